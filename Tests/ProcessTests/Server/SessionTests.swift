import Foundation
import RexProtocol
import RexTesting
import Testing

/// A client that comes back under the name of its session.
@Suite(.ownThreads) struct SessionTests {
    private func hello(_ client: LineClient, _ session: JSONValue? = nil) throws -> JSONValue {
        var frame: JSONObject = ["op": "hello", "protocol": 1]
        frame["session"] = session
        return try client.ask(.object(frame))
    }

    private func watcher(_ server: ServerProcess) throws -> LineClient {
        let watcher = try LineClient(server)
        _ = try watcher.ask(["op": "listen", "topic": "$presence.chat.*"])
        return watcher
    }

    private func join(_ client: LineClient) throws {
        _ = try client.dispatch("join", ["room": "general", "name": "ann"], store: "chat")
        _ = try client.dispatch("typing", ["room": "general"], store: "chat")
    }

    @Test(arguments: [true, false]) func whoComesBackInTimeIsWhoItWas(byReset: Bool) throws {
        let server = try Programs.startServer()
        let watcher = try watcher(server)
        let client = try LineClient(server)
        let welcome = try hello(client)
        try join(client)
        if byReset { client.reset() } else { client.close() }
        let again = try LineClient(server)
        let back = try hello(again, welcome["session"])
        #expect(back["client"] == welcome["client"] && back["session"] == welcome["session"])
        // Its name, its room and its effect are still its own.
        let effects = try again.ask(["op": "effects", "store": "chat"])
        #expect(effects["effects"]?.array?.count == 1)
        let text: JSONValue = ["room": "general", "text": "back"]
        #expect(try again.dispatch("send", text, store: "chat").op == "ack")
        #expect(try watcher.push { $0.op == "event" }["topic"] == "$presence.chat.join")
        _ = try watcher.ask(["op": "ping"])
        #expect(watcher.takePushed { $0.op == "event" }.isEmpty)
    }

    @Test func anOldSocketIsReplacedAtOnce() throws {
        let server = try Programs.startServer()
        let watcher = try watcher(server)
        let old = try LineClient(server)
        let welcome = try hello(old)
        try join(old)
        let replica = try Replica(old, "chat")
        let new = try LineClient(server)
        #expect(try hello(new, welcome["session"])["client"] == welcome["client"])
        let rest = try old.rest()
        #expect(rest.last?.op == "bye" && rest.last?.code == "replaced")
        #expect(rest.last?["reconnect"] == false)
        // Nobody left, and what was missed comes by `since`.
        _ = try new.dispatch("setTopic", ["room": "general", "topic": "x"], store: "chat")
        let back = try Replica(
            new, "chat", "",
            ["since": ["epoch": .string(replica.epoch), "rev": .int(replica.rev)]])
        #expect(back.isResumed)
        _ = try watcher.ask(["op": "ping"])
        let told = watcher.takePushed { $0.op == "event" }
        #expect(told.compactMap { $0["topic"]?.string } == ["$presence.chat.join"])
        let clients = try new.ask(["op": "clients"])["clients"]?.array ?? []
        #expect(clients.filter { $0["client"] == welcome["client"] }.count == 1)
    }

    @Test func whoDoesNotComeBackHasGone() throws {
        let server = try Programs.startServer(limits: "\"grace_ms\": 300")
        let watcher = try watcher(server)
        let client = try LineClient(server)
        let welcome = try hello(client)
        try join(client)
        client.close()
        let left = try watcher.push { $0["topic"] == "$presence.chat.leave" }
        #expect(left["data"]?["client"] == welcome["client"])
        #expect(try watcher.state("chat", "/rooms/general/members") == [])
        #expect(try watcher.ask(["op": "effects", "store": "chat"])["effects"] == [])
        let late = try LineClient(server)
        let other = try hello(late, welcome["session"])
        #expect(other["client"] != welcome["client"] && other["session"] != welcome["session"])
    }

    @Test func whoWasNeverWelcomedIsGoneAtOnce() throws {
        let server = try Programs.startServer()
        let watcher = try watcher(server)
        let client = try LineClient(server)
        try join(client)
        client.close()
        _ = try watcher.push { $0["topic"] == "$presence.chat.leave" }
    }

    @Test func aSessionThatNobodyHasIsANewOne() throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        let welcome = try hello(client, "0123456789abcdef0123456789abcdef")
        #expect(welcome.op == "welcome")
        #expect(welcome["session"]?.string != "0123456789abcdef0123456789abcdef")
    }
}
