import Foundation
import RexProtocol
import RexTesting
import Testing

/// Every bound of the configuration is kept, and says so to whoever comes to it.
@Suite(.ownThreads) struct LimitTests {
    @Test func connectionsOneTooMany() throws {
        let server = try Programs.startServer(limits: "\"connections\": 2")
        let first = try LineClient(server)
        let second = try LineClient(server)
        for client in [first, second] { #expect(try client.ask(["op": "ping"]).op == "pong") }
        let third = try LineClient(server)
        let frames = try third.rest()
        #expect(frames.map(\.op) == ["error", "bye"])
        #expect(frames.map(\.code) == ["overloaded", "overloaded"])
        #expect((frames[0]["retry_ms"]?.int ?? 0) > 0 && frames[1]["reconnect"] == true)
        #expect(try first.ask(["op": "ping"]).op == "pong")
        // A place that is free again is given to the next who comes.
        second.close()
        let deadline = ContinuousClock.now + .seconds(10)
        while try first.ask(["op": "clients"])["clients"]?.array?.count != 1 {
            try #require(ContinuousClock.now < deadline)
        }
        #expect(try LineClient(server).ask(["op": "ping"]).op == "pong")
    }

    @Test func subscriptionsAndListenersOfOneConnection() throws {
        let server = try Programs.startServer(limits: "\"subscriptions\": 2, \"listeners\": 1")
        let client = try LineClient(server)
        let welcome = try client.ask(["op": "hello", "protocol": 1])
        #expect(welcome["limits"]?["subscriptions"] == 2 && welcome["limits"]?["listeners"] == 1)
        let one = try Replica(client, "counter")
        _ = try Replica(client, "counter", "/count")
        let subscribe = try client.ask(["op": "subscribe", "store": "counter"])
        #expect(subscribe.code == "overloaded")
        #expect(try client.ask(["op": "unsubscribe", "sub": one.sub]).op == "ack")
        _ = try Replica(client, "counter")
        #expect(try client.ask(["op": "listen", "topic": "a"]).op == "listening")
        #expect(try client.ask(["op": "listen", "topic": "b"]).code == "overloaded")
        let other = try LineClient(server)
        #expect(try other.ask(["op": "listen", "topic": "b"]).op == "listening")
    }

    @Test func lengthsAndTimesOfAFrame() throws {
        let server = try Programs.startServer(
            limits: "\"key_bytes\": 8, \"name_bytes\": 12, \"throttle_ms\": 100, "
                + "\"heartbeat_ms\": 50, \"depth\": 6")
        func refused(_ frame: JSONValue, at place: String, code: String = "bad_frame") throws {
            let error = try LineClient(server).ask(frame)
            #expect(error.code == code && error["at"]?.string == place, "\(error)")
        }
        let client = try LineClient(server)
        #expect(try client.dispatch("increment", with: ["key": "12345678"]).op == "ack")
        let action: JSONValue = ["type": "increment"]
        func keyed(_ key: String) -> JSONValue {
            ["op": "dispatch", "store": "counter", "action": action, "key": .string(key)]
        }
        try refused(keyed("123456789"), at: "/key")
        try refused(keyed(""), at: "/key")
        try refused(
            ["op": "hello", "protocol": 1, "client": "a-name-of-some-length"], at: "/client")
        try refused(["op": "fork", "store": "doc", "at": 0, "as": "a-name-of-some"], at: "/as")
        try refused(["op": "fork", "store": "doc", "at": 0, "as": "a.b"], at: "/as")
        try refused(["op": "subscribe", "throttle_ms": 101], at: "/throttle_ms")
        try refused(["op": "hello", "protocol": 1, "heartbeat_ms": 49], at: "/heartbeat_ms")
        try refused(["op": "hello", "protocol": 1, "heartbeat_ms": 3_600_001], at: "/heartbeat_ms")
        try client.send(
            "{\"op\":\"ping\",\"x\":[[[[[]]]]]}\n{\"op\":\"ping\",\"x\":[[[[[[]]]]]]}\n")
        #expect(try client.frame().op == "pong")
        let deep = try client.frame()
        #expect(deep.code == "bad_json" && deep["message"]?.string?.contains("6") == true)
    }

    @Test func storesForksIncluded() throws {
        let server = try Programs.startServer(limits: "\"stores\": 4")
        let client = try LineClient(server)
        #expect(try client.ask(["op": "fork", "store": "doc", "at": 0, "as": "a"]).op == "ack")
        #expect(
            try client.ask(["op": "fork", "store": "doc", "at": 0, "as": "a"]).code == "rejected")
        let more = try client.ask(["op": "fork", "store": "doc", "at": 0, "as": "b"])
        #expect(more.code == "overloaded")
    }

    @Test func whatHistoryHoldsNoMoreIsGone() throws {
        let server = try Programs.startServer(
            limits: "\"history_commits\": 8, \"history_entries\": 3")
        let client = try LineClient(server)
        let first = try client.ask(["op": "get", "store": "counter"])
        for _ in 1...40 { _ = try client.dispatch("add", 100) }
        for frame: JSONValue in [
            ["op": "get", "store": "counter", "at": 1],
            ["op": "diff", "store": "counter", "from": 1, "to": 40],
            ["op": "jump", "store": "counter", "rev": 1],
            ["op": "fork", "store": "counter", "at": 1, "as": "x"],
        ] {
            let error = try client.ask(frame)
            #expect(error.code == "gone", "\(error)")
        }
        #expect(
            try client.ask(["op": "get", "store": "counter", "at": 38])["state"]?["count"] == 3_800)
        let entries = try client.ask(["op": "history", "store": "counter", "limit": 100])
        #expect(entries["entries"]?.array?.count == 3)
        // A position that is not held is answered with the state.
        let since: JSONValue = ["epoch": first["epoch"]!, "rev": 1]
        let replica = try Replica(client, "counter", "", ["since": since])
        #expect(!replica.isResumed && replica.state["count"] == 4_000)
    }

    @Test func keysAreForgottenTheOldestFirst() throws {
        let server = try Programs.startServer(limits: "\"keys\": 3")
        let client = try LineClient(server)
        for key in ["a", "b", "c", "d"] {
            #expect(
                try client.dispatch("increment", with: ["key": .string(key)])["duplicate"] == nil)
        }
        #expect(try client.dispatch("increment", with: ["key": "d"])["duplicate"] == true)
        #expect(try client.dispatch("increment", with: ["key": "a"])["duplicate"] == nil)
        let brief = try Programs.startServer(limits: "\"key_ttl_ms\": 1")
        let other = try LineClient(brief)
        _ = try other.dispatch("increment", with: ["key": "k"])
        let deadline = ContinuousClock.now + .seconds(10)
        while try other.dispatch("increment", with: ["key": "k"])["duplicate"] == true {
            try #require(ContinuousClock.now < deadline)
        }
    }

    @Test func acksThatWaitForEffects() throws {
        let server = try Programs.startServer(limits: "\"awaited_effects\": 1, \"effects\": 1")
        let client = try LineClient(server)
        let fetch = """
            "store":"counter","await":"effects","action":{"type":"fetch",\
            "payload":{"delay_ms":80000000,"fail":false}}}

            """
        try client.send("{\"op\":\"dispatch\",\"id\":\"a\"," + fetch)
        try client.send("{\"op\":\"dispatch\",\"id\":\"b\"," + fetch)
        #expect(try client.frame()["code"] == "overloaded")
        try client.send("{\"op\":\"dispatch\"," + fetch)
        let error = try client.frame()
        #expect(error.code == "bad_frame" && error["at"] == "/id")
    }

    @Test func aHeartbeatMayBeAsShortAsItsBound() throws {
        let server = try Programs.startServer(limits: "\"heartbeat_ms\": 20")
        let mute = try LineClient(server)
        let hello: JSONValue = ["op": "hello", "protocol": 1, "heartbeat_ms": 40]
        #expect(try mute.ask(hello).op == "welcome")
        let frames = try mute.rest()
        #expect(frames.first?.op == "ping" && frames.last?.op == "bye")
        #expect(frames.last?.code == "idle" && frames.last?["reconnect"] == true)
    }

    // MARK: The system's own bounds

    @Test func withoutDescriptorsItWaitsAndThenServesAgain() throws {
        let server = try Programs.startServer(
            prefix: ["/bin/sh", "-c", "ulimit -n 40; exec \"$0\" \"$@\""])
        let first = try LineClient(server)
        #expect(try first.ask(["op": "ping"]).op == "pong")
        // More than two hundred have no place.
        var crowd = try (0..<250).map { _ in try LineClient(server) }
        for client in crowd { try client.send("{\"op\":\"ping\"}\n") }
        #expect(try first.ask(["op": "ping"]).op == "pong")
        // Nobody is waited for here: that it does nothing is what is looked at.
        let before = server.processorTime
        Sockets.idle(.milliseconds(500))
        #expect(server.processorTime - before < .milliseconds(200))
        #expect(try first.dispatch("increment").op == "ack")
        let served = crowd.filter { (try? $0.line(within: .milliseconds(10))) != nil }
        #expect(served.count > 5 && served.count < 40)
        for client in served { client.close() }
        // The others waited, and each is served when some have gone.
        crowd.removeAll { client in served.contains { $0 === client } }
        for client in crowd {
            #expect(try client.frame().op == "pong")
            client.close()
        }
        #expect(try server.stop() == .exited(0))
    }

    @Test func whoWaitsToBeAcceptedIsCounted() throws {
        let server = try Programs.startServer(
            prefix: ["/bin/sh", "-c", "ulimit -n 40; exec \"$0\" \"$@\""])
        let web = try WebClient(server)
        #expect(try web.ask("GET", "/livez").status == 200)
        let crowd = try (0..<80).map { _ in try LineClient(server) }
        defer { withExtendedLifetime(crowd) {} }
        let deadline = ContinuousClock.now + .seconds(60)
        var metrics = try MetricsText(try web.ask("GET", "/metrics").text)
        // They wait there for a moment before the first of them are accepted, too.
        while metrics["rex_connections_waiting"] ?? 0 < 40
            || metrics["rex_accept_pauses_total"] ?? 0 < 1
        {
            try #require(ContinuousClock.now < deadline)
            metrics = try MetricsText(try web.ask("GET", "/metrics").text)
        }
        #expect(metrics["rex_addresses"] == 1)
    }

    @Test func aClosedStandardErrorEndsNothing() throws {
        let server = try Programs.startServer(
            "--log-level", "debug", prefix: ["/bin/sh", "-c", "exec \"$0\" \"$@\" 2>&-"])
        for _ in 1...5 { #expect(try LineClient(server).ask(["op": "ping"]).op == "pong") }
        #expect(try server.stop() == .exited(0))
    }

    @Test func pathsHaveALength() throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        func path(_ bytes: Int) -> JSONValue {
            .string("/" + String(repeating: "x", count: bytes - 1))
        }
        for op in ["get", "subscribe", "history", "diff"] {
            var frame: JSONValue = [
                "op": .string(op), "store": "doc", "from": 0, "path": path(1_025),
            ]
            let error = try client.ask(frame)
            #expect(error.code == "bad_frame" && error["at"] == "/path", "\(error)")
            frame = ["op": .string(op), "store": "doc", "from": 0, "path": path(1_024)]
            #expect(try client.ask(frame).op != "error")
        }
    }

    /// A value that is set again and again leaves empty patches; the actions count too.
    @Test func historyIsBoundedInBytesOfActions() throws {
        let server = try Programs.startServer(limits: "\"history_bytes\": 200000")
        let client = try LineClient(server)
        let text = JSONValue.string(String(repeating: "x", count: 20_000))
        let payload: JSONValue = ["path": "/x", "value": text]
        for _ in 0..<30 {
            _ = try client.ask([
                "op": "dispatch", "store": "doc", "action": ["type": "set", "payload": payload],
            ])
        }
        #expect(try client.ask(["op": "get", "store": "doc", "at": 1]).code == "gone")
        #expect(try client.ask(["op": "get", "store": "doc", "at": 30]).op == "state")
    }

    @Test(arguments: ["connections", "history_commits", "linger_ms", "depth"])
    func aLimitBeyondAllReasonIsRefused(name: String) throws {
        let scratch = try Scratch()
        let file = try scratch.write(
            "{\"limits\": {\"\(name)\": 9223372036854775807}}", to: "rex.json")
        let checked = try Programs.run([Programs.server, "--config", file, "--check-config"])
        #expect(checked.code == 78 && checked.errors.contains("expected a number from 1 to"))
    }

    @Test func aForkHasNoGhosts() throws {
        let server = try Programs.startServer()
        let ann = try LineClient(server)
        let join: JSONValue = ["type": "join", "payload": ["room": "g", "name": "ann"]]
        let dispatch: JSONValue = ["op": "dispatch", "store": "chat", "action": join]
        #expect(try ann.ask(dispatch).op == "ack")
        #expect(try ann.ask(["op": "fork", "store": "chat", "as": "copy"])["rev"] == 1)
        #expect(try ann.state("copy", "/rooms/g/members") == [])
        let again: JSONValue = ["op": "dispatch", "store": "copy", "action": join]
        #expect(try LineClient(server).ask(again).op == "ack")
    }
}
