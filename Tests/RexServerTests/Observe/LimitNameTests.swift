import Foundation
import Testing

@testable import RexServer

@Suite struct LimitNameTests {
    /// Those that only say how much is kept or for how long, how much one reply has, or how long
    /// the end of something may take: nobody is turned away there.
    static let uncounted: Set = [
        "burst_ms", "history_commits", "history_bytes", "history_entries", "keys", "key_ttl_ms",
        "journal_commits", "journal_bytes", "journal_ms", "snapshot_commits", "snapshot_bytes",
        "session_ms", "grace_ms", "drain_ms", "linger_ms",
    ]

    @Test func everyLimitIsCountedOrSaysWhyNot() {
        let counted = Set(LimitName.allCases.map(\.rawValue))
        #expect(counted.isDisjoint(with: Self.uncounted))
        #expect(counted.union(Self.uncounted) == Set(Limits.all.map(\.name)))
        #expect(Limits.all.count == counted.count + Self.uncounted.count)
    }

    /// protocol.md has a row for each limit, in the order of the code, with its default.
    @Test func theTableOfLimitsIsThatOfTheCode() throws {
        let file = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in
            url.deletingLastPathComponent()
        }
        let text = try String(contentsOf: file.appending(path: "protocol.md"), encoding: .utf8)
        let section = try #require(text.components(separatedBy: "## 9. Limits").last)
        let rows = section.split(separator: "\n").prefix { !$0.hasPrefix("## ") }
            .filter { $0.hasPrefix("| `") }
            .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
        let table = rows.map { "\($0[0]) \($0[1].filter(\.isNumber))" }
        let limits = Limits()
        #expect(table == Limits.all.map { "`\($0.name)` \(limits[keyPath: $0.bound])" })
        #expect(rows.allSatisfy { $0.count == 4 && !$0[2].isEmpty && !$0[3].isEmpty })
    }

    @Test func whatCanBeLeftOutMayBeNoneAndNothingElse() throws {
        for (name, bound) in Limits.all {
            var settings = ServerSettings()
            let text = Array("{\"limits\":{\"\(name)\":0}}".utf8)
            let mayBeNone = [
                "address_connections", "frames_per_second", "bytes_per_second",
                "dispatches_per_second", "idle_ms",
            ].contains(name)
            if mayBeNone {
                try settings.apply(configuration: text)
                #expect(settings.limits[keyPath: bound] == 0)
            } else {
                #expect(throws: ConfigurationError.self) { try settings.apply(configuration: text) }
            }
        }
    }
}
