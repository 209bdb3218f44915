import Foundation
import RexProtocol
import RexTesting
import Testing

/// Whoever comes to a limit is counted under its name, once each time.
@Suite(.serialized, .ownThreads) struct CountedLimitTests {
    /// Limits that frames and requests alone can meet, set low.
    private static let low = """
        "frame_bytes": 4096, "depth": 6, "subscriptions": 1, "listeners": 1, "topic_bytes": 20,
        "key_bytes": 8, "stores": 4, "name_bytes": 12, "path_bytes": 20, "throttle_ms": 100,
        "heartbeat_ms": 50, "awaited_effects": 1, "effects": 1, "sessions": 1, "request_ms": 50
        """

    private static let frames: [(limit: String, frame: String)] = [
        ("depth", "{\"op\":\"ping\",\"x\":[[[[[[[1]]]]]]]}"),
        ("subscriptions", "{\"op\":\"subscribe\",\"store\":\"counter\"}"),
        ("listeners", "{\"op\":\"listen\",\"topic\":\"b\"}"),
        ("topic_bytes", "{\"op\":\"listen\",\"topic\":\"aaaaaaaaaaaaaaaaaaaaa\"}"),
        ("topic_bytes", "{\"op\":\"publish\",\"topic\":\"aaaaaaaaaaaaaaaaaaaaa\",\"data\":1}"),
        (
            "topic_bytes",
            "{\"op\":\"publish\",\"topic\":\"\(String(repeating: "a", count: 300))\",\"data\":1}"
        ),
        ("key_bytes", "{\"type\":\"increment\",\"store\":\"counter\",\"key\":\"123456789\"}"),
        ("name_bytes", "{\"op\":\"fork\",\"store\":\"doc\",\"as\":\"a-name-too-long\"}"),
        ("stores", "{\"op\":\"fork\",\"store\":\"doc\",\"as\":\"b\"}"),
        ("path_bytes", "{\"op\":\"get\",\"store\":\"doc\",\"path\":\"/aaaaaaaaaaaaaaaaaaaaa\"}"),
        (
            "awaited_effects",
            "{\"op\":\"dispatch\",\"id\":9,\"store\":\"counter\",\"await\":\"effects\","
                + "\"action\":{\"type\":\"increment\"}}"
        ),
    ]

    @Test func framesAndRequests() throws {
        let server = try Programs.startServer(limits: Self.low)
        let client = try LineClient(server)
        #expect(try client.ask(["op": "subscribe", "store": "counter"]).op == "subscribed")
        #expect(try client.ask(["op": "listen", "topic": "a"]).op == "listening")
        #expect(try client.ask(["op": "fork", "store": "doc", "as": "copy"]).op == "ack")
        let fetch: JSONValue = ["delay_ms": 80_000_000, "fail": false]
        try client.send([
            "op": "dispatch", "id": 0, "store": "counter", "await": "effects",
            "action": ["type": "fetch", "payload": fetch],
        ])
        var expected: [String: Int] = [:]
        for (limit, frame) in Self.frames {
            expected[limit, default: 0] += 1
            try client.send(frame + "\n")
            let error = try client.push { $0.op == "error" }
            #expect(error.code != nil, "\(frame)")
            #expect(try MetricsText.of(server).hits(limit) == expected[limit], "\(frame)")
        }
        for (limit, hello) in [
            ("heartbeat_ms", ["op": "hello", "protocol": 1, "heartbeat_ms": 49] as JSONValue),
            ("name_bytes", ["op": "hello", "protocol": 1, "client": "a-name-too-long"]),
        ] {
            #expect(try LineClient(server).ask(hello).code == "bad_frame")
            expected[limit, default: 0] += 1
        }
        #expect(try client.ask(["op": "unsubscribe", "sub": "s1"]).op == "ack")
        let late: JSONValue = ["op": "subscribe", "store": "counter", "throttle_ms": 101]
        #expect(try client.ask(late).code == "bad_frame")
        expected["throttle_ms"] = 1
        // A second effect is not started.
        let timer: JSONValue = ["dueTime_ms": 80_000_000, "period_ms": 1_000]
        #expect(try client.dispatch("startTimer", timer).op == "ack")
        expected["effects"] = 1
        try sendTooMuch(to: server, &expected)
        let metrics = try MetricsText.of(server)
        for limit in metrics.labels(of: "rex_limit_hits_total") where limit != "turn_ms" {
            #expect(metrics.hits(limit) == expected[limit] ?? 0, "\(limit)")
        }
        #expect(expected.count >= 15)
    }

    private func sendTooMuch(
        to server: ServerProcess, _ expected: inout [String: Int]
    ) throws {
        let long = "\"" + String(repeating: "x", count: 5_000) + "\""
        let lines = try LineClient(server)
        try lines.send("{\"op\":" + long + "}\n")
        #expect(try lines.frame().code == "too_large")
        let socket = try MessageClient(server)
        try socket.send(long)
        #expect(try socket.ending().code == 1009)
        #expect(try WebClient(server).post("/topics/a", long).status == 413)
        expected["frame_bytes"] = 3
        let web = try WebClient(server)
        let action = "{\"type\":\"increment\"}"
        let path = "/stores/counter/actions"
        #expect(try web.post(path, action, ["Rex-Session": "a"]).status == 200)
        #expect(try web.post(path, action, ["Rex-Session": "b"]).status == 503)
        expected["sessions"] = 1
        #expect(try web.post(path, action, ["Rex-Session": "a-name-too-long"]).status == 400)
        expected["name_bytes", default: 0] += 1
        #expect(try web.post(path, action, ["Idempotency-Key": "123456789"]).status == 400)
        expected["key_bytes", default: 0] += 1
        #expect(try web.post("/topics/aaaaaaaaaaaaaaaaaaaaa", "1").status == 400)
        expected["topic_bytes", default: 0] += 1
        #expect(try web.post("/topics/a", "[[[[[[[1]]]]]]]").status == 400)
        expected["depth", default: 0] += 1
        #expect(
            try web.ask("GET", "/stores/doc/state?path=/aaaaaaaaaaaaaaaaaaaaa").status == 400)
        expected["path_bytes", default: 0] += 1
        try web.socket.send("GET / HTTP/1.1\r\n")
        #expect(try web.answer().status == 408)
        expected["request_ms"] = 1
    }

    @Test func whoDoesNotReadIsCounted() throws {
        let server = try Programs.startServer(
            limits: "\"outbox_bytes\": 65536, \"stall_ms\": 200")
        let writer = try LineClient(server)
        let text = JSONValue.string(String(repeating: "x", count: 500_000))
        _ = try writer.dispatch("merge", ["text": text], store: "doc")
        let client = try LineClient(server, receiveBuffer: 16_384)
        for _ in 0..<40 { try client.send("{\"op\":\"get\",\"store\":\"doc\"}\n") }
        let deadline = ContinuousClock.now + .seconds(60)
        while try MetricsText.of(server).hits("stall_ms") == 0 {
            try #require(ContinuousClock.now < deadline)
        }
        let metrics = try MetricsText.of(server)
        #expect(metrics.hits("outbox_bytes") >= 1 && metrics.hits("stall_ms") == 1)
        #expect(metrics["rex_closes_total{reason=\"too_slow\"}"] == 1)
    }

    @Test func whoDoesNotSayWhoTheyAreIsCounted() throws {
        let tokens = try TokenText(["ann": TokenText.owner])
        let scratch = try Scratch()
        let file = try scratch.write("{\"limits\": {\"handshake_ms\": 50}}", to: "rex.json")
        let server = try tokens.server("--config", file)
        #expect(try LineClient(server).rest().last?.code == "unauthorized")
        let guess: JSONValue = ["op": "hello", "token": "a guess"]
        #expect(try LineClient(server).ask(guess).code == "unauthorized")
        let metrics = try MetricsText.of(server, WebClient.bearer("ann"))
        #expect(metrics.hits("handshake_ms") == 1)
        #expect(metrics["rex_logins_failed_total"] == 2)
    }

    @Test func aLongTurnIsCounted() throws {
        let server = try Programs.startServer(limits: "\"turn_ms\": 1")
        let client = try LineClient(server)
        try client.send(String(repeating: "{\"op\":\"hash\",\"store\":\"doc\"}\n", count: 4_000))
        for _ in 0..<4_000 { #expect(try client.frame().op == "hash") }
        let metrics = try MetricsText.of(server)
        #expect(metrics.hits("turn_ms") >= 1)
        #expect((metrics.families["rex_turn_seconds"]?.samples["rex_turn_seconds_sum"] ?? 0) > 0)
    }

    /// One connection more than there may be.
    @Test func connectionsAreCounted() throws {
        let server = try Programs.startServer(limits: "\"connections\": 1")
        let web = try WebClient(server)
        #expect(try web.ask("GET", "/livez").status == 200)
        #expect(try LineClient(server).frame().code == "overloaded")
        let metrics = try MetricsText(try web.ask("GET", "/metrics").text)
        #expect(metrics.hits("connections") == 1 && metrics.hits("address_connections") == 0)
    }
}
