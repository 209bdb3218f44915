import Foundation
import Rex
import RexClient
import RexProtocol
import RexTesting
import Testing

@testable import RexServer

/// A day of random traffic, in which the server is stopped and killed, is what its journal says.
@Suite(.timeLimit(.minutes(30))) struct DayTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let isLong = environment["REX_LONG_TESTS"] == "1"

    /// `REX_SEED` repeats a day.
    @Test func theEveningIsWhatTheJournalReplays() async throws {
        let seed =
            Self.environment["REX_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)
        let steps = Self.isLong ? 20_000 : 250
        print("Day: seed \(seed), \(steps) steps")
        let day = try await Day(seed: seed)
        try await day.live(steps: steps)
        #expect(day.clock.now.offset >= Day.length)
        await day.settle()
        let live = await day.store.snapshot
        let json = try JSONCoder.value(of: live.state)
        for replica in try await day.replicas() {
            #expect(replica.state == json, "seed \(seed): a replica differs")
        }
        try await checkGauges(of: day, seed)
        await day.server.stop()
        try await check(day, live.revision, json, seed)
        #expect(day.lives > 1)
    }

    private func checkGauges(of day: Day, _ seed: UInt64) async throws {
        // The server may not have noticed yet that a connection has ended.
        let deadline = ContinuousClock.now + .seconds(60)
        while await day.gauges()["rex_subscriptions"] != day.clients.count {
            try #require(ContinuousClock.now < deadline, "seed \(seed)")
            await Task.yield()
        }
        for client in day.clients { try await client.disconnect() }
        var gauges = await day.gauges()
        while gauges.values.contains(where: { $0 != 0 }), ContinuousClock.now < deadline {
            await Task.yield()
            gauges = await day.gauges()
        }
        #expect(
            gauges.count == 6 && gauges.values.allSatisfy { $0 == 0 }, "seed \(seed): \(gauges)")
    }

    /// The journal, replayed and reduced again, is the state that was; and it holds each action
    /// that was acknowledged once, where the ack said.
    private func check(
        _ day: Day, _ revision: Int, _ live: JSONValue, _ seed: UInt64
    ) async throws {
        let journal = try SQLiteJournal(reading: "\(day.folder)/\(JournalFolder.fileName)")
        let stored = try #require(try journal.stores().first)
        let recovery = try Recovery(of: stored, in: journal)
        #expect(recovery.damage == nil && recovery.notes.isEmpty)
        #expect(recovery.revision == revision, "seed \(seed)")
        let past = JournalPast(journal: journal, store: stored.number)
        #expect(try past.state(at: revision) == live, "seed \(seed): the replay differs")
        let archive = JournalArchive(folder: day.folder)
        let verdict = try archive.verify("day", DayReducer())
        #expect(verdict.fault == nil && verdict.commits == revision, "seed \(seed): \(verdict)")
        var keys: [String: [Int]] = [:]
        try past.forEachCommit(after: 0, through: .max) { commit in
            if let key = commit.key { keys[key, default: []].append(commit.revision) }
            return true
        }
        for client in day.clients {
            #expect(await client.open.isEmpty, "seed \(seed): \(client.name) waits for an answer")
            for (key, rev) in await client.acked {
                #expect(keys[key] == [rev], "seed \(seed): \(key) was acknowledged at \(rev)")
            }
        }
        #expect(keys.count > 100)
        journal.close()
    }
}
