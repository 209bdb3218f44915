import RexProtocol
import RexTesting
import Testing

/// What operators ask: is it alive, is it ready, what does it count.
@Suite(.ownThreads) struct ObservationTests {
    @Test func aServerIsAliveAndReadyUntilItStops() throws {
        let server = try Programs.startServer()
        let web = try WebClient(server)
        #expect(try web.ask("GET", "/livez").text == "ok\n")
        #expect(try web.ask("GET", "/readyz").text == "ok\n")
        // An ack that waits for its effects keeps the drain from ending at once.
        let client = try LineClient(server)
        try client.send([
            "op": "dispatch", "id": 1, "store": "counter", "await": "effects",
            "action": ["type": "fetch", "payload": ["delay_ms": 2_000, "fail": false]],
        ])
        #expect(try client.ask(["op": "ping"]).op == "pong")
        server.process.signal(15)
        var status = 200
        while status == 200 {
            guard let answer = try? web.ask("GET", "/readyz") else { break }
            status = answer.status
        }
        #expect(status == 503)
        #expect(try server.process.wait() == .exited(0))
    }

    @Test func theMetricsCountWhatHappens() throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        _ = try client.dispatch("increment")
        _ = try client.ask(["op": "nonsense"])
        _ = try client.ask(["op": "subscribe", "store": "counter"])
        _ = try client.ask(["op": "listen", "topic": "a.*"])
        _ = try client.ask(["op": "fork", "store": "counter", "as": "a\"b"])
        let socket = try MessageClient(server)
        _ = try socket.ask(["op": "ping"])
        let web = try WebClient(server)
        let page = try web.ask("GET", "/metrics")
        #expect(page.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        let values = try MetricsText(page.text)
        #expect(values["rex_commits_total{store=\"counter\"}"] == 1)
        #expect(values["rex_commits_total{store=\"a\\\"b\"}"] == 0)
        #expect(values["rex_errors_total{code=\"unknown_op\"}"] == 1)
        #expect(values["rex_subscriptions{store=\"counter\"}"] == 1)
        #expect(values["rex_listeners"] == 1)
        #expect(values["rex_connections{transport=\"lines\"}"] == 1)
        #expect(values["rex_connections{transport=\"websocket\"}"] == 1)
        #expect(values["rex_connections{transport=\"http\"}"] == 1)
        #expect(values["rex_frames_received_total"] == 6)
        #expect(values["rex_http_requests_total"] == 2)
        #expect(values["rex_connections_accepted_total"] == 3)
        let next = try MetricsText(try web.ask("GET", "/metrics").text)
        #expect(next["rex_sent_bytes_total"]! - values["rex_sent_bytes_total"]! >= page.body.count)
    }
}
