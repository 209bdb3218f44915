import FoundationEssentials
import RexProtocol

/// How much a log line matters.
public enum LogLevel: String, Sendable, CaseIterable, Comparable {
    case debug, info, notice, warning, error

    private var rank: Int { Self.allCases.firstIndex(of: self)! }
    public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rank < b.rank }
}

/// One line per event: time, level, the event's name, then its members.
///
/// Members are names, addresses, counts and codes; never a payload and never a token. Characters
/// that move a terminal's cursor or turn its text round are escaped, so that one event is always
/// one line and shows what it says; a member has at most 1,024 bytes.
public struct Log: Sendable {
    /// `text` is `key=value`, `json` one object a line.
    public enum Format: String, Sendable, CaseIterable { case text, json }

    /// Events below it are not written.
    public var level: LogLevel
    /// How events are written.
    public var format: Format
    private let write: @Sendable ([UInt8]) -> Void
    private let now: @Sendable () -> Date

    /// - Parameter write: takes one whole line with its line feed.
    public init(
        level: LogLevel = .notice, format: Format = .text,
        now: @escaping @Sendable () -> Date = { Date() },
        write: @escaping @Sendable ([UInt8]) -> Void
    ) {
        self.level = level
        self.format = format
        self.write = write
        self.now = now
    }

    /// Writes one event, if its level is wanted; the members are not even made otherwise.
    public func event(
        _ level: LogLevel, _ name: StaticString,
        _ members: @autoclosure () -> KeyValuePairs<StaticString, String> = [:]
    ) {
        guard level >= self.level else { return }
        write(level, name, members(), repeated: nil)
    }

    /// One line for so many of an event that came again and again.
    func event(
        _ level: LogLevel, _ name: StaticString, _ members: KeyValuePairs<StaticString, String>,
        repeated: Int
    ) {
        guard level >= self.level else { return }
        write(level, name, members, repeated: repeated)
    }

    private func write(
        _ level: LogLevel, _ name: StaticString, _ members: KeyValuePairs<StaticString, String>,
        repeated: Int?
    ) {
        var line = JSONWriter()
        switch format {
        case .json:
            writeJSON(level, name, members, into: &line)
            if let repeated { line.bytes += ",\"repeated\":\"\(repeated)\"".utf8 }
            line.literal("}")
        case .text:
            writeText(level, name, members, into: &line)
            if let repeated { line.bytes += " repeated=\(repeated)".utf8 }
        }
        line.bytes.append(UInt8(ascii: "\n"))
        write(line.bytes)
    }

    private func writeJSON(
        _ level: LogLevel, _ name: StaticString, _ members: KeyValuePairs<StaticString, String>,
        into line: inout JSONWriter
    ) {
        line.literal("{\"time\":")
        line.string(WireTime.text(now()) ?? "?")
        line.literal(",\"level\":")
        line.string(level.rawValue)
        line.literal(",\"event\":")
        line.string("\(name)")
        for (key, value) in members {
            line.literal(",")
            line.string("\(key)")
            line.literal(":")
            LogText.write(value, into: &line)
        }
    }

    private func writeText(
        _ level: LogLevel, _ name: StaticString, _ members: KeyValuePairs<StaticString, String>,
        into line: inout JSONWriter
    ) {
        line.bytes += "\(WireTime.text(now()) ?? "?") \(level.rawValue) \(name)".utf8
        for (key, value) in members {
            line.bytes += " \(key)=".utf8
            // Quoted only where needed: the common values stay easy to read and to cut out.
            if LogText.isPlain(value) {
                line.bytes += value.utf8
            } else {
                LogText.write(value, into: &line)
            }
        }
    }
}
