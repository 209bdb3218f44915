/// Events that come again and again about the same: the first is a line at once, those of the
/// second after it are one line more, and so on while they come.
///
/// It holds no clock. What it keeps is bounded: beyond `subjectsLimit` of them, events are counted
/// by their names alone.
struct LogStorms {
    /// One event that has come lately.
    struct Storm {
        let level: LogLevel
        let name: StaticString
        /// As they were the first time; empty where many subjects are counted together.
        let members: KeyValuePairs<StaticString, String>
        /// How often it came since its last line.
        fileprivate(set) var count = 0
        fileprivate var due: UInt64
    }

    private struct Key: Hashable {
        let name: String
        /// Nil for all that have no place of their own.
        let subject: String?
    }

    static let subjectsLimit = 256
    private static let milliseconds: UInt64 = 1_000

    private var storms: [Key: Storm] = [:]

    /// Takes an event; returns the members of the line that is to be written now, if one is.
    mutating func take(
        _ level: LogLevel, _ name: StaticString, about subject: String, at now: UInt64,
        _ members: () -> KeyValuePairs<StaticString, String>
    ) -> KeyValuePairs<StaticString, String>? {
        let key = Key(name: "\(name)", subject: subject)
        if storms[key] != nil {
            storms[key]!.count += 1
            return nil
        }
        let due = now + Self.milliseconds
        guard storms.count < Self.subjectsLimit else {
            let rest = Key(name: key.name, subject: nil)
            storms[rest, default: Storm(level: level, name: name, members: [:], due: due)]
                .count += 1
            return nil
        }
        let members = members()
        storms[key] = Storm(level: level, name: name, members: members, due: due)
        return members
    }

    /// When the next second is over; nil where nothing has come lately.
    var next: UInt64? { storms.values.map(\.due).min() }

    /// Those that came again until now, to be written with their counts. What did not is forgotten.
    mutating func takeDue(at now: UInt64) -> [Storm] {
        var found: [Storm] = []
        for (key, storm) in storms where storm.due <= now {
            guard storm.count > 0 else {
                storms[key] = nil
                continue
            }
            found.append(storm)
            storms[key]!.count = 0
            storms[key]!.due = now &+ Self.milliseconds
        }
        return found.sorted { "\($0.name)" < "\($1.name)" }
    }
}
