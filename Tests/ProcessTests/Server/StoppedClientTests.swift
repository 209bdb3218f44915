import Foundation
import RexProtocol
import RexTesting
import Testing

/// Clients that are stopped (SIGSTOP), as a laptop that is closed: by the real client, on every
/// transport. They go on when they may.
@Suite(.ownThreads) struct StoppedClientTests {
    private func client(
        _ scheme: String, _ server: ServerProcess, _ words: String...
    ) throws -> ChildProcess {
        let secure = scheme == "tls" || scheme == "wss"
        let options = secure ? ["--tls-ca", Certificates.path("authority.pem")] : []
        return try ChildProcess(
            [Programs.client, "--url", "\(scheme)://localhost:\(server.port)", "--json"] + options
                + words,
            environment: ["REX_URL": nil, "REX_JSON": nil, "NO_COLOR": nil])
    }

    private func json(_ child: ChildProcess) throws -> JSONValue {
        try RawJSON(parsing: try child.line()).value
    }

    @Test(arguments: ["tcp", "tls", "ws", "wss"])
    func aListenerIsToldWhatItMissed(scheme: String) throws {
        let server = try Programs.startSecureServer(limits: "\"outbox_bytes\": 200000")
        let listener = try client(scheme, server, "listen", "news")
        try server.awaitMetric("rex_listeners") { $0 == 1 }
        listener.signal(SIGSTOP)
        let publisher = try LineClient(server)
        let fill = String(repeating: "x", count: 20_000)
        let count = 1_000
        for number in 1...count {
            try publisher.send(
                "{\"op\":\"publish\",\"topic\":\"news\",\"ack\":false,\"data\":{\"n\":\(number),"
                    + "\"fill\":\"\(fill)\"}}\n")
        }
        #expect(try publisher.ask(["op": "ping"]).op == "pong")
        // A cipher's own bytes are counted too.
        #expect(try server.metric("rex_outbox_memory_bytes") < 500_000)
        let lost = try server.metric("rex_events_dropped_total")
        #expect(lost > 0)
        listener.signal(SIGCONT)
        var (last, received, dropped) = (0, 0, 0)
        while last < count {
            let frame = try json(listener)
            if frame.op == "dropped" {
                let number = frame["count"]?.int ?? count
                dropped += number
                last += number
            } else {
                #expect(frame["data"]?["n"]?.int == last + 1)
                last += 1
                received += 1
            }
        }
        #expect(received + dropped == count && dropped == lost)
        #expect(listener.errorText.contains("\(lost) events were dropped: too slow"))
        try server.awaitMetric("rex_outbox_memory_bytes") { $0 == 0 }
    }

    @Test(arguments: ["tcp", "tls", "ws", "wss"])
    func aWatcherComesToTheSameState(scheme: String) throws {
        let server = try Programs.startSecureServer(limits: "\"outbox_bytes\": 200000")
        let watcher = try client(scheme, server, "--store", "doc", "watch", "/t", "--patches")
        #expect(try json(watcher).op == "subscribed")
        watcher.signal(SIGSTOP)
        let writer = try LineClient(server)
        let text = String(repeating: "x", count: 50_000)
        let count = 400
        for number in 1...count {
            let value = JSONValue.string("\(number)\(text)")
            _ = try writer.dispatch("set", ["path": "/t", "value": value], store: "doc")
        }
        let merged = try server.metric("rex_patches_merged_total")
        #expect(merged > 0)
        watcher.signal(SIGCONT)
        var (rev, frames) = (0, 0)
        var state = JSONValue.null
        while rev < count {
            let frame = try json(watcher)
            #expect(frame.op == "patch" && frame["from"]?.int == rev)
            rev = frame["rev"]?.int ?? count
            state = frame["patch"]?.array?.last?["value"] ?? .null
            frames += 1
        }
        #expect(state.string == "\(count)\(text)" && frames < count)
    }

    @Test func aListenerThatWantsNoGapsComesBack() throws {
        let server = try Programs.startSecureServer(
            limits: "\"outbox_bytes\": 100000, \"linger_ms\": 60000")
        // Nobody looks at what it prints.
        let listener = try ChildProcess([
            "/bin/sh", "-c", "exec \"$0\" \"$@\" > /dev/null", Programs.client, "--url",
            "tcp://\(server.address)", "listen", "news", "--slow", "close",
        ])
        try server.awaitMetric("rex_listeners") { $0 == 1 }
        listener.signal(SIGSTOP)
        let publisher = try LineClient(server)
        let fill = String(repeating: "x", count: 20_000)
        var listeners = 1
        for _ in 1...1_000 where listeners > 0 {
            let event: JSONValue = ["op": "publish", "topic": "news", "data": .string(fill)]
            listeners = try publisher.ask(event)["listeners"]?.int ?? 0
        }
        #expect(listeners == 0)
        listener.signal(SIGCONT)
        try listener.errors(until: "events in between are not seen")
        try listener.errors(until: "connected again")
        #expect(try server.metric("rex_closes_total{reason=\"too_slow\"}") == 1)
        let wrong = try Programs.client(server, "listen", "news", "--slow", "drop")
        #expect(wrong.code == 2 && wrong.errors.contains("expected merge or close, got drop"))
    }
}
