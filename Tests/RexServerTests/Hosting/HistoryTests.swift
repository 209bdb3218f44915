import Foundation
import Rex
import RexProtocol
import Testing

@testable import RexServer

private struct Tally: Statable, Codable {
    var count = 0
    var log: [String] = []
}

private enum TallyAction: WireAction {
    case add(Int)
    static let clientTypes = ["add"]
}

@Suite struct HistoryTests {
    private func history(_ limits: Limits, commits: Int) throws -> History {
        var history = History(TypedSnapshot(revision: 0, state: Tally()), limits: limits)
        var state = Tally()
        for revision in 1...commits {
            let before = try JSONCoder.value(of: state)
            state.count += revision
            if revision % 3 == 0 { state.log.append("at \(revision)") }
            if revision % 7 == 0 { state.log.removeFirst() }
            let patch = JSONPatch.difference(from: before, to: try JSONCoder.value(of: state))
            history.append(
                .init(
                    revision: revision, time: Date(), origin: .local,
                    action: TallyAction.add(revision),
                    actionBytes: 10, travel: nil, patch: patch.raw),
                state: TypedSnapshot(revision: revision, state: state))
        }
        return history
    }

    private func tally(_ snapshot: any StateSnapshot) throws -> Tally {
        try #require(snapshot as? TypedSnapshot<Tally>).state
    }

    @Test func everyStateThatIsHeldComesBack() throws {
        let history = try history(Limits(), commits: 3_000)
        #expect(history.firstRevision == 0 && history.lastRevision == 3_000)
        for revision in [0, 1, 2, 500, 1_023, 1_024, 1_025, 2_047, 2_048, 2_900, 2_999, 3_000] {
            let state = try tally(history.state(at: revision))
            #expect(state.count == revision * (revision + 1) / 2, "at \(revision)")
            #expect(state.log.count == revision / 3 - revision / 7)
        }
    }

    @Test func theOldestGoesAtTheLimitOfCommits() throws {
        var limits = Limits()
        limits.historyCommits = 100
        let history = try history(limits, commits: 1_000)
        #expect(history.firstRevision >= 900 && history.firstRevision < 920)
        #expect(try tally(history.state(at: history.firstRevision)).count > 0)
        let entries = try history.entries(after: 0, limit: 1_000)
        #expect(entries.map(\.revision) == Array((history.firstRevision + 1)...1_000))
    }

    @Test func theOldestGoesAtTheLimitOfBytes() throws {
        var limits = Limits()
        limits.historyCommits = 8_000
        limits.historyBytes = 300_000
        let history = try history(limits, commits: 4_000)
        #expect(history.firstRevision > 0)
        #expect(history.lastRevision == 4_000)
    }

    @Test func pagesAndTheNewest() throws {
        let history = try history(Limits(), commits: 50)
        #expect(try history.entries(after: 10, limit: 3).map(\.revision) == [11, 12, 13])
        #expect(try history.entries(after: 50, limit: 3).isEmpty)
        #expect(try history.newestEntries(limit: 3).map(\.revision) == [48, 49, 50])
    }

    @Test func thePlaceSaysWhichCommitsCount() throws {
        let history = try history(Limits(), commits: 2_100)
        func revisions(_ path: String, after: Int = 0) throws -> [Int] {
            let place = try JSONPointer(path)
            return try history.entries(after: after, limit: 5_000, changing: place).map(\.revision)
        }
        #expect(try revisions("/count") == Array(1...2_100))
        #expect(try revisions("/count", after: 2_098) == [2_099, 2_100])
        #expect(try revisions("/nowhere").isEmpty)
        let log = (1...2_100).filter { ($0 % 3 == 0) || ($0 % 7 == 0) }
        #expect(try revisions("/log") == log)
        // The first element changes when it comes and whenever it goes.
        let first = (1...2_100).filter { $0 == 3 || $0 % 7 == 0 }
        #expect(try revisions("/log/0") == first)
        let place = try JSONPointer("/log/0")
        #expect(
            try history.newestEntries(limit: 2, changing: place).map(\.revision) == [2_093, 2_100])
    }
}
