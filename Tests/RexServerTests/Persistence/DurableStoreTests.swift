import Foundation
import Rex
import RexProtocol
import Testing

@testable import RexServer

private struct Tally: Statable, Codable {
    var count = 0
    var starts = 0
    var isBusy = false
}

private enum TallyAction: WireAction {
    case add(Int)
    case work
    case started
    case done
    case reconcile([String])
    case remind(atMilliseconds: Int)
    static let clientTypes = ["add", "work", "remind"]
    static let ownTypes = ["started", "done", "reconcile"]
    static var onStart: TallyAction? { .started }
    static func reconcile(clients: [String], effects: [String]) -> TallyAction? {
        .reconcile(effects)
    }
}

private struct TallyReducer: Reducer {
    func reduce(state: inout Tally, action: TallyAction) throws -> [Effect<TallyAction>] {
        switch action {
        case .add(let number):
            guard number != 0 else { throw Refusal("0 adds nothing") }
            state.count += number
        case .work:
            state.isBusy = true
            return [.delayed(.done, delay: .seconds(3_600), id: "work")]
        case .started: state.starts += 1
        case .remind(let due):
            return [
                .reminder(
                    .add(1_000), id: "later",
                    at: Date(timeIntervalSince1970: Double(due) / 1_000))
            ]
        case .done: state.isBusy = false
        case .reconcile(let effects): state.isBusy = effects.contains("work")
        }
        return []
    }
}

/// Stores that outlive their server, from the inside.
@Suite(.timeLimit(.minutes(2))) struct DurableStoreTests {
    private func host(
        _ journal: any Journal, _ limits: Limits = Limits()
    ) async throws -> (Server, LocalStore<Tally, TallyAction>) {
        var configuration = Server.Configuration()
        configuration.limits = limits
        configuration.log.level = .error
        let server = Server(configuration)
        try await server.useForTest(journal)
        let store = try await server.host("tally", TallyReducer(), initialState: Tally())
        return (server, store)
    }

    @Test func theStateIsThereAgainAndTheStoreBeginsAnew() async throws {
        let journal = MemoryJournal()
        var (server, store) = try await host(journal)
        #expect(try await store.dispatch(.add(5)) == 2)
        #expect(try await store.dispatch(.work) == 3)
        await server.stop()
        (server, store) = try await host(journal)
        // The effect is gone, so the state is put right; then comes what is done at each start.
        #expect(await store.snapshot.revision == 5)
        #expect(await store.state == Tally(count: 5, starts: 2, isBusy: false))
        #expect(try await store.dispatch(.add(1)) == 6)
        await server.stop()
    }

    @Test func itComesBackFromASnapshotToo() async throws {
        let journal = MemoryJournal()
        var limits = Limits()
        limits.snapshotCommits = 10
        limits.journalCommits = 40
        var (server, store) = try await host(journal, limits)
        let epoch = await server.epochForTest
        var taken = 0
        for number in 1...300 {
            try await store.dispatch(.add(number))
            taken = max(taken, journal.snapshots(of: 1).count)
        }
        // What is old goes with the snapshots, which are made beside the commits.
        while journal.commits(of: 1, after: 0, limit: 1_000).count >= 150 {
            try await store.dispatch(.add(-1))
        }
        let sum = await store.state.count
        await server.stop()
        #expect(taken > 1)
        #expect(journal.snapshots(of: 1)[0].revision > 0)
        (server, store) = try await host(journal, limits)
        #expect(await store.state.count == sum)
        #expect(await server.epochForTest == epoch)
        await server.stop()
    }

    @Test func whatCannotBeStoredDidNotHappen() async throws {
        let journal = FailingJournal()
        let (server, store) = try await host(journal)
        try await store.dispatch(.add(1))
        journal.fail("no space left on device")
        let error = await #expect(throws: JournalError.self) { try await store.dispatch(.add(10)) }
        #expect(error?.description.contains("no space left") == true)
        #expect(await store.snapshot.state.count == 1)
        #expect(await store.snapshot.revision == 2)
        // From here on it is not even tried.
        await #expect(throws: JournalError.self) { try await store.dispatch(.work) }
        #expect(await store.effects.isEmpty)
        journal.fail(nil)
        while (try? await store.dispatch(.add(100))) == nil { await Task.yield() }
        #expect(await store.state.count == 101)
        #expect(journal.commits(of: 1, after: 0, limit: 9).map(\.revision) == [1, 2, 3])
        await server.stop()
    }

    /// A snapshot, or the removal of what is old, that was lost with a write comes again.
    @Test func whatWasToBeTidiedUpWhenTheDiskFailedIsTidiedUpLater() async throws {
        let journal = FailingJournal()
        var limits = Limits()
        limits.snapshotCommits = 1
        limits.journalCommits = 5
        var (server, store) = try await host(journal, limits)
        var count = 0
        for _ in 0..<20 {
            journal.fail("no space left on device")
            // Perhaps it is a snapshot that fails first.
            _ = try? await store.dispatch(.add(1_000_000))
            journal.fail(nil)
            while (try? await store.dispatch(.add(1))) == nil { await Task.yield() }
            try await store.dispatch(.add(1))
            count += 2
        }
        while journal.commits(of: 1, after: 0, limit: 999).count > 40 {
            try await store.dispatch(.add(1))
            count += 1
        }
        let stored = Set(journal.snapshots(of: 1).map(\.revision))
        #expect(!stored.isEmpty)
        #expect(await store.state.count == count)
        await server.stop()
        (server, store) = try await host(journal, limits)
        #expect(await store.state.count == count)
        await server.stop()
    }

    @Test func effectsOfWhatWasTakenBackAreEnded() async throws {
        let journal = FailingJournal()
        let (server, store) = try await host(journal)
        journal.fail("input/output error")
        await #expect(throws: JournalError.self) { try await store.dispatch(.work) }
        #expect(await store.effects.isEmpty)
        #expect(await store.state.isBusy == false)
        await server.stop()
    }

    @Test func remindersOutliveTheServerAndComeOnce() async throws {
        let journal = MemoryJournal()
        let hour = Date().milliseconds + 3_600_000
        var (server, store) = try await host(journal)
        try await store.dispatch(.remind(atMilliseconds: hour))
        await server.stop()
        #expect(journal.reminders(of: 1).map(\.due) == [hour])
        (server, store) = try await host(journal)
        #expect(await store.effects.map(\.id) == ["later"])
        #expect(await store.state.count == 0)
        // A later one takes its place, and is due at once.
        try await store.dispatch(.remind(atMilliseconds: 1))
        for await now in store.states() where now.state.count == 1_000 { break }
        await server.stop()
        #expect(journal.reminders(of: 1).isEmpty)
        (server, store) = try await host(journal)
        #expect(await store.effects.isEmpty)
        #expect(await store.state.count == 1_000)
        await server.stop()
    }

    @Test func aReminderThatWasTakenBackWaitsAgain() async throws {
        let journal = FailingJournal()
        let hour = Date().milliseconds + 3_600_000
        let (server, store) = try await host(journal)
        try await store.dispatch(.remind(atMilliseconds: hour))
        journal.fail("input/output error")
        await #expect(throws: JournalError.self) {
            try await store.dispatch(.remind(atMilliseconds: hour + 1))
        }
        #expect(await store.effects.map(\.id) == ["later"])
        journal.fail(nil)
        while (try? await store.dispatch(.add(1))) == nil { await Task.yield() }
        #expect(journal.reminders(of: 1).map(\.due) == [hour])
        await server.stop()
    }

    @Test func acksThatMayHaveBeenAheadMakeAnotherEpoch() async throws {
        let journal = MemoryJournal()
        var (server, _) = try await host(journal)
        let epoch = await server.epochForTest
        await server.stop()
        journal.setUncertain(true)
        (server, _) = try await host(journal)
        #expect(await server.epochForTest != epoch)
        #expect(!journal.isUncertain())
        await server.stop()
    }

    @Test func aStateOfAnotherTypeIsRefused() async throws {
        let journal = MemoryJournal()
        _ = journal.addStore("tally", epoch: "e", Stock.snapshot(at: 0))
        await #expect(throws: JournalError.self) { try await host(journal) }
    }
}

extension Server {
    fileprivate func useForTest(_ journal: any Journal) throws {
        try use(journal, readingFrom: journal, .sync)
    }

    fileprivate var epochForTest: String? { stores["tally"]?.host.epoch }
}
