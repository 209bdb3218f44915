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
    /// - Parameter lazily: the patches are left to the history.
    private func history(_ limits: Limits, commits: Int, lazily: Bool = false) throws -> History {
        var history = History(
            TypedSnapshot(revision: 0, state: Tally()), limits: limits, timeline: Timeline(),
            difference: difference)
        var last = TypedSnapshot(revision: 0, state: Tally())
        for revision in 1...commits {
            var state = last.state
            state.count += revision
            if revision % 3 == 0 { state.log.append("at \(revision)") }
            if revision % 7 == 0 { state.log.removeFirst() }
            let next = TypedSnapshot(revision: revision, state: state)
            try history.append(
                .init(
                    revision: revision, time: Date(), origin: .local,
                    action: TallyAction.add(revision), actionBytes: 10, travel: nil),
                patch: lazily && !history.wantsPatch ? nil : difference(last, next), state: next)
            last = next
        }
        return history
    }

    private func difference(_ old: any StateSnapshot, _ new: any StateSnapshot) throws -> RawJSON {
        JSONPatch.difference(from: try old.encoded().value, to: try new.encoded().value).raw
    }

    private func tally(_ snapshot: any StateSnapshot) throws -> Tally {
        try #require(snapshot as? TypedSnapshot<Tally>).state
    }

    @Test(arguments: [false, true]) func everyStateThatIsHeldComesBack(lazily: Bool) throws {
        let history = try history(Limits(), commits: 3_000, lazily: lazily)
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
        #expect(entries.map(\.commit.revision) == Array((history.firstRevision + 1)...1_000))
    }

    @Test func theOldestGoesAtTheLimitOfBytes() throws {
        var limits = Limits()
        limits.historyCommits = 8_000
        limits.historyBytes = 300_000
        let history = try history(limits, commits: 4_000)
        #expect(history.firstRevision > 0)
        #expect(history.lastRevision == 4_000)
    }

    /// Whatever bound lets the kept states go: the patches are those that would have been given.
    @Test(arguments: [(100_000, 1 << 26), (100_000, 60_000), (500, 1 << 26), (2_000, 200_000)])
    func patchesAreTheSameHoweverLateTheyAreMade(commits: Int, bytes: Int) throws {
        var limits = Limits()
        limits.historyCommits = commits
        limits.historyBytes = bytes
        let late = try history(limits, commits: 1_500, lazily: true)
        let unbounded = try history(Limits(), commits: 1_500)
        let first = late.firstRevision
        let patches = try late.entries(after: first, limit: 2_000)
        let expected = try unbounded.entries(after: first, limit: 2_000)
        #expect(patches.map(\.patch) == expected.map(\.patch))
        #expect(patches.count == 1_500 - first && patches.count > 100)
        for revision in stride(from: first, through: 1_500, by: 37) {
            #expect(try tally(late.state(at: revision)) == tally(unbounded.state(at: revision)))
        }
    }

    @Test func pagesAndTheNewest() throws {
        let history = try history(Limits(), commits: 50)
        #expect(try history.entries(after: 10, limit: 3).map(\.commit.revision) == [11, 12, 13])
        #expect(try history.entries(after: 50, limit: 3).isEmpty)
        #expect(try history.newestEntries(limit: 3).map(\.commit.revision) == [48, 49, 50])
    }

    @Test(arguments: [false, true]) func thePlaceSaysWhichCommitsCount(lazily: Bool) throws {
        let history = try history(Limits(), commits: 2_100, lazily: lazily)
        func revisions(_ path: String, after: Int = 0) throws -> [Int] {
            let place = try JSONPointer(path)
            return try history.entries(after: after, limit: 5_000, changing: place).map(
                \.commit.revision)
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
            try history.newestEntries(limit: 2, changing: place).map(\.commit.revision) == [
                2_093, 2_100,
            ])
    }
}
