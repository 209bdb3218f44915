import RexProtocol
import RexTesting
import Testing

/// Connections that say nothing for long.
@Suite(.serialized, .ownThreads) struct IdleTests {
    @Test func aConnectionOfHTTPWithoutARequestIsEnded() throws {
        let server = try Programs.startServer(limits: "\"idle_ms\": 150")
        let lines = try LineClient(server)
        #expect(try lines.ask(["op": "ping"]).op == "pong")
        let silent = try LineClient(server)
        let stream = try WebClient(server)
        try stream.socket.send(stream.request("GET", "/stores/counter/patches"))
        #expect(try stream.head().status == 200)
        #expect(try stream.event()["event"] == "state")
        let web = try WebClient(server)
        #expect(try web.ask("GET", "/livez").status == 200)
        let began = ContinuousClock.now
        #expect(try web.ask("GET", "/livez").status == 200)
        #expect(try web.isEnded())
        #expect(ContinuousClock.now - began >= .milliseconds(140))
        // Lines may be silent, before their first byte too, and streams have nothing to say.
        #expect(try lines.ask(["op": "ping"]).op == "pong")
        #expect(try silent.ask(["op": "ping"]).op == "pong")
        #expect(try lines.dispatch("increment").op == "ack")
        #expect(try stream.event()["event"] == "patch")
        let metrics = try MetricsText.of(server)
        #expect(metrics.hits("idle_ms") == 1)
        #expect(metrics["rex_closes_total{reason=\"idle\"}"] == 1)
    }

    @Test func aWebSocketIsAskedForASignOfLife() throws {
        let server = try Programs.startServer(limits: "\"idle_ms\": 150")
        let mute = try MessageClient(server)
        let alive = try MessageClient(server)
        let asking = try MessageClient(server)
        let hello: JSONValue = ["op": "hello", "protocol": 1, "heartbeat_ms": 3_600_000]
        #expect(try asking.ask(hello).op == "welcome")
        for _ in 0..<4 {
            let frame = try #require(try alive.frame())
            #expect(frame.first == MessageClient.pingFrame && frame.payload.isEmpty)
            try alive.send(0x8A, [])
        }
        let ending = try mute.ending()
        #expect(ending.messages.map(\.op) == ["bye"] && ending.messages.first?.code == "idle")
        #expect(ending.code == 4000)
        // Who asked for a heartbeat of an hour has that.
        try asking.send(["op": "ping"])
        #expect(try asking.message().op == "pong")
        #expect(try MetricsText.of(server).hits("idle_ms") == 1)
    }

    @Test func withoutABoundNobodyIsAsked() throws {
        let server = try Programs.startServer(limits: "\"idle_ms\": 0")
        let web = try WebClient(server)
        #expect(try web.ask("GET", "/livez").status == 200)
        Sockets.idle(.milliseconds(100))
        #expect(try web.ask("GET", "/livez").status == 200)
    }
}
