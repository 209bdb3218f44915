import Foundation
import RexClient
import RexProtocol
import RexTesting
import Testing

/// What a program does with a store that it hosts, as clients see it. The program is that of
/// docs/hosting.md; it opens a poll before it listens, and publishes what came of it.
@Suite(.ownThreads) struct HostingTests {
    let server: ServerProcess
    let client: LineClient

    init() throws {
        server = try ServerProcess([ServerProcess.builtPrograms + "/PollServer", "127.0.0.1:0"])
        client = try LineClient(server)
    }

    @Test func aCommitOfTheProgramHasNoSender() throws {
        let reply = try client.ask(["op": "history", "store": "poll", "after": 0, "limit": 1])
        let entry = try #require(reply["entries"]?.array?.first)
        #expect(entry["rev"] == 1)
        #expect(entry["action"]?["type"] == "open")
        #expect(entry["from"] == nil)
        #expect(try client.state("poll", "/id") == "1-1")
    }

    @Test func whatOnlyTheProgramMayDoIsForbidden() throws {
        let payload: JSONValue = ["question": "?", "options": ["a", "b"], "seconds": 1]
        #expect(try client.dispatch("open", payload, store: "poll").code == "forbidden")
    }

    @Test func theProgramHearsOfACommitAndPublishes() throws {
        _ = try client.ask(["op": "listen", "topic": "results.>"])
        _ = try client.ask(["op": "subscribe", "store": "poll", "path": "/closesAt"])
        #expect(try client.dispatch("vote", "tea", store: "poll").op == "ack")
        // The hook ended the poll, since everybody had voted.
        let patch = try client.push { $0.op == "patch" && $0["patch"]?[0]?["value"] == .null }
        let event = try client.push { $0.op == "event" }
        #expect(event["topic"] == "results.1-1")
        #expect(event["data"] == ["tea": 1])
        #expect(event["from"] == nil && event["store"] == nil)
        #expect(try client.state("poll", "/notice/value") == "'Tea or coffee?' is closed")
        #expect(patch["store"] == "poll")
    }

    /// An undo starts no effect: without `reconcile` the poll would stay open for ever.
    @Test func anUndoneEndGetsItsTimerBack() throws {
        func effects() throws -> JSONValue? {
            try client.ask(["op": "effects", "store": "poll"])["effects"]
        }
        #expect(try effects()?[0]?["id"] == "closing")
        _ = try client.dispatch("vote", "tea", store: "poll")
        #expect(try effects() == [])
        let revision = try client.ask(["op": "undo", "store": "poll"])["rev"]?.int ?? 0
        #expect(try client.state("poll", "/closesAt") != .null)
        #expect(try effects()?[0]?["id"] == "closing")
        #expect(try effects()?[0]?["from_rev"] == .int(revision + 1))
    }

    @Test func aReminderEndsWithItsClient() throws {
        let other = try LineClient(server)
        _ = try other.dispatch("remindMe", ["afterSeconds": 3_600], store: "poll")
        let request: JSONValue = ["op": "effects", "store": "poll"]
        let before = try client.ask(request)["effects"]?.array ?? []
        #expect(before.map { $0["scope"] }.contains { $0?.string?.hasPrefix("client:") == true })
        _ = try client.ask(["op": "listen", "topic": "$presence.poll.leave"])
        other.close()
        _ = try client.push { $0.op == "event" }
        #expect(try client.ask(request)["effects"]?.array?.count == before.count - 1)
    }

    /// The program's own loop over the states ends with the server, so the program does too.
    @Test func theProgramEnds() throws {
        #expect(try server.stop() == .exited(0))
    }
}
