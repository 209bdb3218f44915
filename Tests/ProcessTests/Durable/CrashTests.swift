import Foundation
import RexProtocol
import RexTesting
import Synchronization
import Testing

/// The server is killed in the middle of its work, again and again, and nothing that it promised is
/// missing. `REX_CRASH_ROUNDS` says how often; `make test-crash` has 200.
@Suite(.ownThreads) struct CrashTests {
    private static let rounds =
        ProcessInfo.processInfo.environment["REX_CRASH_ROUNDS"].flatMap { Int($0) } ?? 20
    private static let writers = 4

    /// A replica that lives longer than its server.
    private struct Follower {
        var state: JSONValue
        var rev: Int
        var epoch: String

        /// Comes back, takes what it missed, and is where the server is.
        mutating func catchUp(_ client: LineClient, to rev: Int) throws {
            let replica = try Replica(
                client, "doc", "",
                ["since": ["epoch": .string(epoch), "rev": .int(self.rev)]])
            #expect(replica.isResumed, "from \(self.rev) to \(rev)")
            #expect(self.rev <= rev, "a client was shown a revision that is not there")
            if replica.isResumed { replica.state = state }
            try replica.follow { $0.rev == rev }
            state = replica.state
            self.rev = replica.rev
        }
    }

    @Test func everyAckedActionIsThereOnceAfterEveryKill() throws {
        let scratch = try Scratch()
        var random = SystemRandomNumberGenerator()
        let writers = (0..<Self.writers).map { CrashWriter(name: "w\($0)") }
        var follower: Follower?
        var acked = 0
        for round in 0...Self.rounds {
            let server = try Programs.startServer(
                data: scratch.folder, "--stores", "doc",
                limits: "\"snapshot_commits\": 150, \"journal_commits\": 1000")
            for writer in writers { try writer.settle(at: server.port) }
            let client = try LineClient(server)
            try check(writers, against: client, round: round)
            try check(&follower, against: client)
            acked += writers.reduce(0) { $0 + $1.acked.count }
            try startAnew(writers, client)
            if round == Self.rounds {
                #expect(try server.stop() == .exited(0))
            } else {
                follower = try crash(
                    server, writers, follower, after: Int.random(in: 1...300, using: &random))
            }
        }
        #expect(acked > Self.rounds * 10)
    }

    /// Each of the writers' lists holds every acknowledged key once, in order, and nothing else.
    private func check(
        _ writers: [CrashWriter], against client: LineClient, round: Int
    ) throws {
        let state = try client.state("doc")
        for writer in writers {
            let stored = (state[writer.name]?.array ?? []).compactMap(\.string)
            #expect(stored == writer.acked, "round \(round), \(writer.name)")
        }
    }

    private func check(_ follower: inout Follower?, against client: LineClient) throws {
        let truth = try client.ask(["op": "hash", "store": "doc"])
        let rev = try #require(truth["rev"]?.int)
        if follower == nil {
            let replica = try Replica(client, "doc")
            follower = Follower(state: replica.state, rev: replica.rev, epoch: replica.epoch)
        } else {
            try follower!.catchUp(client, to: rev)
        }
        #expect(try follower!.state.hash == truth["hash"]?.string)
    }

    private func startAnew(_ writers: [CrashWriter], _ client: LineClient) throws {
        var nothing: JSONObject = [:]
        for writer in writers {
            nothing[writer.name] = .null
            writer.forgetAcked()
        }
        _ = try client.dispatch("merge", .object(nothing), store: "doc")
    }

    /// Lets everybody work, kills the server when so many acks have come, and returns what the
    /// follower had seen by then.
    private func crash(
        _ server: ServerProcess, _ writers: [CrashWriter], _ follower: Follower?, after acks: Int
    ) throws -> Follower? {
        let client = try LineClient(server)
        let replica = try Replica(
            client, "doc", "",
            ["since": ["epoch": .string(follower!.epoch), "rev": .int(follower!.rev)]])
        replica.state = follower!.state
        let count = AckCount()
        let isReached = DispatchSemaphore(value: 0)
        let done = DispatchGroup()
        let port = server.port
        for writer in writers {
            DispatchQueue.global().async(group: done) {
                writer.run(at: port) {
                    if count.next() == acks { isReached.signal() }
                }
            }
        }
        #expect(isReached.wait(timeout: .now() + 60) == .success)
        try server.kill()
        #expect(done.wait(timeout: .now() + 60) == .success)
        // What had left the server before it was killed still comes.
        #expect(throws: LineClient.Failure.self) { try replica.follow { _ in false } }
        return Follower(state: replica.state, rev: replica.rev, epoch: replica.epoch)
    }
}

/// Acks of all writers.
private final class AckCount: Sendable {
    private let count = Atomic<Int>(0)
    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
