import RexProtocol
import RexTesting
import Testing

/// Who sends more than it may waits, and nobody else does; nothing is lost and nothing spins.
@Suite(.serialized, .ownThreads) struct RateTests {
    enum WayIn: CaseIterable { case lines, webSocket, http }

    /// Sends so many requests at once, and returns when the last is answered, each in its order.
    private static func ask(
        _ count: Int, by way: WayIn, _ server: ServerProcess
    ) throws -> (_ inBetween: () throws -> Void) throws -> Duration {
        switch way {
        case .lines:
            let client = try LineClient(server)
            let lines = (1...count).map { "{\"op\":\"ping\",\"id\":\($0)}\n" }.joined()
            return { inBetween in
                try timed {
                    try client.send(lines)
                    try inBetween()
                    for id in 1...count { #expect(try client.frame()["id"]?.int == id) }
                }
            }
        case .webSocket:
            let client = try MessageClient(server)
            // Every second one is a ping of the WebSocket itself.
            let frames = (1...count).flatMap { number in
                number % 2 == 0
                    ? MessageClient.frame(MessageClient.pingFrame, [UInt8(number)])
                    : MessageClient.frame(
                        MessageClient.textFrame, "{\"op\":\"ping\",\"id\":\(number)}".utf8)
            }
            return { inBetween in
                try timed {
                    try client.web.socket.send(frames)
                    try inBetween()
                    for number in 1...count {
                        let frame = try client.frame()
                        #expect(frame?.opcode == (number % 2 == 0 ? 10 : 1))
                        if number % 2 == 0 { #expect(frame?.payload == [UInt8(number)]) }
                    }
                }
            }
        case .http:
            let client = try WebClient(server)
            let request = client.request("GET", "/livez")
            return { inBetween in
                try timed {
                    try client.socket.send(String(repeating: request, count: count))
                    try inBetween()
                    for _ in 1...count { #expect(try client.answer().text == "ok\n") }
                }
            }
        }
    }

    /// The loop hears nothing of a connection that it does not read from.
    @Test func whoGoesWhileItWaitsIsGone() throws {
        let server = try Programs.startServer(limits: "\"frames_per_second\": 10")
        let watcher = try LineClient(server)
        let client = try LineClient(server)
        #expect(try client.ask(["op": "hello"]).op == "welcome")
        // For these it would wait an hour.
        try client.send(String(repeating: "{\"op\":\"pong\"}\n", count: 15_000))
        try server.awaitMetric("rex_connections_paused{reason=\"rate\"}") { $0 == 1 }
        client.reset()
        try server.awaitMetric("rex_connections{transport=\"lines\"}") { $0 == 1 }
        #expect(try watcher.ask(["op": "ping"]).op == "pong")
    }

    private static func timed(_ body: () throws -> Void) throws -> Duration {
        let began = ContinuousClock.now
        try body()
        return .now - began
    }

    @Test(arguments: WayIn.allCases)
    func framesBeyondTheRateWaitInTheirOrder(way: WayIn) throws {
        let server = try Programs.startServer(
            limits: "\"frames_per_second\": 40, \"burst_ms\": 250")
        // Ten may come at once; thirty more take three quarters of a second.
        let wait = try Self.ask(40, by: way, server)
        let other = try LineClient(server)
        let before = server.processorTime
        let began = ContinuousClock.now
        let took = try wait {
            // Meanwhile somebody else is answered.
            for _ in 1...5 { #expect(try other.ask(["op": "ping"]).op == "pong") }
            let paused = try MetricsText.of(server)["rex_connections_paused{reason=\"rate\"}"]
            // Where the machine was busy for so long, it may be over.
            #expect(paused == 1 || ContinuousClock.now - began > .milliseconds(700))
        }
        #expect(took >= .milliseconds(700), "40 frames at 40 a second took \(took)")
        #expect(server.processorTime - before < .milliseconds(300))
        let metrics = try MetricsText.of(server)
        #expect(metrics.hits("frames_per_second") >= 1)
        #expect(metrics.hits("bytes_per_second") == 0)
        #expect(metrics["rex_errors_total{code=\"rate_limited\"}"] == 0)
        let deadline = ContinuousClock.now + .seconds(60)
        while try MetricsText.of(server)["rex_connections_paused{reason=\"rate\"}"] != 0 {
            try #require(ContinuousClock.now < deadline)
        }
    }

    @Test func bytesBeyondTheRateAreWaitedFor() throws {
        let server = try Programs.startServer(
            limits: "\"bytes_per_second\": 100000, \"burst_ms\": 100")
        let client = try LineClient(server)
        let data = JSONValue.string(String(repeating: "x", count: 30_000))
        let took = try Self.timed {
            for _ in 1...4 {
                let ack = try client.ask(["op": "publish", "topic": "a", "data": data])
                #expect(ack.op == "ack")
            }
        }
        // What comes first is over the burst already, and is served; the next waits for it.
        #expect(took >= .milliseconds(700), "120 kB at 100 kB a second took \(took)")
        let metrics = try MetricsText.of(server)
        #expect(metrics.hits("bytes_per_second") >= 3 && metrics.hits("frames_per_second") == 0)
    }

    /// The rest of a request waits because the server makes it: that time is not held against it.
    @Test func aRequestThatIsMadeToWaitIsNotLate() throws {
        let server = try Programs.startServer(
            limits: "\"bytes_per_second\": 20000, \"burst_ms\": 100, \"request_ms\": 300")
        let web = try WebClient(server)
        let json = ["Content-Type": "application/json"]
        let body = "\"" + String(repeating: "x", count: 20_000) + "\""
        let text = web.request("POST", "/topics/a", json, body: body)
        // The first byte of a second request comes with the first: its rest waits for a second.
        try web.socket.send(text + text.prefix(1))
        #expect(try web.answer().status == 200)
        try web.socket.send(String(text.dropFirst()))
        #expect(try web.answer().status == 200)
        #expect(try MetricsText.of(server).hits("request_ms") == 0)
    }

    /// Who ends its sending half at once gets every answer before the end.
    @Test func whatCameBeforeTheEndOfTheInputIsServed() throws {
        let server = try Programs.startServer(
            limits: "\"frames_per_second\": 40, \"burst_ms\": 100")
        let client = try LineClient(server)
        let lines = (1...12).map { "{\"op\":\"ping\",\"id\":\($0)}" }
        try client.send(lines.joined(separator: "\n"))
        client.finish()
        #expect(try client.rest().map { $0["id"]?.int } == Array(1...12))
    }

    /// A full outbox is another reason to wait, and no excuse from this one.
    @Test func whoReadsItsRepliesStillWaits() throws {
        let server = try Programs.startServer(
            limits: "\"frames_per_second\": 1, \"burst_ms\": 1, \"outbox_bytes\": 65536")
        let text = JSONValue.string(String(repeating: "x", count: 900_000))
        for key in ["a", "b", "c", "d"] {
            let writer = try LineClient(server)
            #expect(try writer.dispatch("merge", [key: text], store: "doc").op == "ack")
        }
        let reader = try LineClient(server, receiveBuffer: 16_384)
        let took = try Self.timed {
            try reader.send(String(repeating: "{\"op\":\"get\",\"store\":\"doc\"}\n", count: 4))
            for _ in 0..<4 { #expect((try reader.line()?.count ?? 0) > 3_600_000) }
        }
        #expect(took >= .milliseconds(2_900), "four frames at one a second took \(took)")
    }

    /// Every reason to wait at once: a rate, a full outbox, the disk, a short turn.
    @Test func nobodyIsForgotten() throws {
        let scratch = try Scratch()
        let server = try Programs.startServer(
            data: scratch.folder,
            limits: "\"frames_per_second\": 2000, \"bytes_per_second\": 2000000, "
                + "\"burst_ms\": 5, \"outbox_bytes\": 4096, \"turn_ms\": 1")
        let text = String(repeating: "x", count: 3_000)
        let clients = try (0..<4).map { _ in try LineClient(server, receiveBuffer: 8_192) }
        let count = 400
        for (index, client) in clients.enumerated() {
            let lines = (1...count).map { number in
                let end = "\"id\":\(number),\"store\":\"doc\""
                let payload = "{\"path\":\"/c\(index)\",\"value\":\"\(number)\(text)\"}"
                return number % 3 == 0
                    ? "{\"op\":\"get\",\(end)}\n"
                    : "{\"type\":\"set\",\"payload\":\(payload),\(end)}\n"
            }
            try client.send(lines.joined())
        }
        for client in clients {
            for number in 1...count {
                let reply = try client.frame()
                try #require(reply["id"]?.int == number && reply.op != "error", "\(reply)")
            }
        }
        let metrics = try MetricsText.of(server)
        #expect(metrics.hits("frames_per_second") + metrics.hits("bytes_per_second") > 0)
    }

    /// What is pushed on all the same stays with who pushes it.
    @Test(.uninstrumented("measures memory")) func whoPushesOnIsNotReadFrom() throws {
        let server = try Programs.startServer(limits: "\"frames_per_second\": 20")
        let flood = try LineClient(server)
        let lines = Array(String(repeating: "{\"op\":\"ping\"}\n", count: 4_096).utf8)
        let memory = server.residentBytes
        let before = server.processorTime
        // Until the system takes no more for a while.
        var sent = 0
        while Sockets.wait(flood.descriptor, for: 4, until: .now + .milliseconds(300)) {
            sent += try flood.sendSome(lines[...])
            try #require(sent < 64_000_000, "it is read from for ever")
        }
        let other = try LineClient(server)
        for _ in 1...10 { #expect(try other.ask(["op": "ping"]).op == "pong") }
        #expect(server.residentBytes - memory < 8_000_000)
        #expect(server.processorTime - before < .milliseconds(500))
        #expect(try flood.frame().op == "pong")
        // And who goes in the middle of it is gone.
        flood.reset()
        var left = 2
        let deadline = ContinuousClock.now + .seconds(60)
        while left > 1 {
            try #require(ContinuousClock.now < deadline)
            left = try MetricsText.of(server)["rex_connections{transport=\"lines\"}"] ?? 0
        }
        #expect(try server.stop() == .exited(0))
    }
}
