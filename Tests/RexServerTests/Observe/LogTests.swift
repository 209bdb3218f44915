import Foundation
import RexServer
import Synchronization
import Testing

@Suite struct LogTests {
    private func lines(
        _ format: Log.Format, level: LogLevel = .debug, _ body: (Log) -> Void
    ) -> String {
        let written = Mutex<[UInt8]>([])
        let log = Log(
            level: level, format: format, now: { Date(timeIntervalSince1970: 1_800_000_000.5) },
            write: { line in written.withLock { $0 += line } })
        body(log)
        return written.withLock { String(decoding: $0, as: UTF8.self) }
    }

    @Test func oneEventIsOneLine() {
        let text = lines(.text) {
            $0.event(.notice, "listening", ["address": "127.0.0.1:1", "note": "a b\n\u{1b}[31m"])
        }
        #expect(
            text
                == "2027-01-15T08:00:00.500Z notice listening address=127.0.0.1:1 "
                + #"note="a b\n\u001b[31m""# + "\n")
    }

    @Test func jsonIsAnObjectALine() throws {
        let text = lines(.json) { $0.event(.error, "bad", ["reason": "\"x\"\n"]) }
        #expect(text.hasSuffix("\n") && text.filter { $0 == "\n" }.count == 1)
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String]
        #expect(
            object == [
                "time": "2027-01-15T08:00:00.500Z", "level": "error", "event": "bad",
                "reason": "\"x\"\n",
            ])
    }

    /// Whoever chose the text: nothing of it moves a cursor, ends the line or turns it round.
    @Test(arguments: Log.Format.allCases)
    func nothingUnseenIsWritten(format: Log.Format) {
        let unseen: [ClosedRange<UInt32>] = [
            0...0x1F, 0x7F...0x9F, 0x61C...0x61C, 0x200B...0x200F, 0x2028...0x202E,
            0x2060...0x206F, 0xFEFF...0xFEFF,
        ]
        for value in unseen.joined() {
            let scalar = Unicode.Scalar(value)!
            let text = lines(format) { $0.event(.notice, "x", ["name": "a\(scalar)b"]) }
            let line = text.dropLast()
            #expect(text.last == "\n" && !line.unicodeScalars.contains(scalar), "\(value)")
            #expect(line.contains(#"a\"#), "\(value)")
        }
        let text = lines(format) { $0.event(.notice, "x", ["name": "größe 漢字 😀"]) }
        #expect(text.contains("\"größe 漢字 😀\""))
    }

    @Test(arguments: Log.Format.allCases)
    func aMemberHasABound(format: Log.Format) {
        for letter in ["a", "\u{1}", "漢"] {
            let text = lines(format) {
                $0.event(
                    .notice, "x", ["name": String(repeating: letter, count: 100_000), "z": "1"])
            }
            #expect(text.utf8.count < 8_000 && text.contains("…") && text.contains("z"))
        }
    }

    @Test func whatIsBelowTheLevelIsNotEvenMade() {
        var made = 0
        func member() -> String {
            made += 1
            return "x"
        }
        let text = lines(.text, level: .warning) {
            $0.event(.notice, "quiet", ["a": member()])
            $0.event(.error, "loud", ["a": member()])
        }
        #expect(made == 1 && text.contains("loud") && !text.contains("quiet"))
    }
}
