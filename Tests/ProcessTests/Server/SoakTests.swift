import Foundation
import RexProtocol
import RexTesting
import Testing

/// Much of everything, and nothing of it is left. The sizes are those of the long tests where they
/// are wanted (`make test-soak`), a tenth and less of them otherwise.
@Suite(.ownThreads) struct SoakTests {
    private func report(_ text: String) {
        if Programs.isLong { print("soak: \(text)") }
    }

    // MARK: A stalled reader

    /// What a hundred-kilobyte change costs those who read, in milliseconds, sorted.
    private func times(
        _ rounds: Int, _ writer: LineClient, _ readers: [Replica], from first: Int
    ) throws -> [Double] {
        var times: [Double] = []
        for round in first..<(first + rounds) {
            let from: JSONValue = round % 2 == 0 ? "/long" : "/short"
            let steps: JSONValue = [
                ["op": "copy", "from": from, "path": "/at"],
                ["op": "add", "path": "/round", "value": .int(round)],
            ]
            let began = ContinuousClock.now
            let ack = try writer.dispatch("patch", steps, store: "doc")
            let rev = try #require(ack["rev"]?.int)
            for reader in readers { try reader.follow { $0.rev >= rev } }
            times.append((ContinuousClock.now - began) / .milliseconds(1))
        }
        return times.sorted()
    }

    @Test(.uninstrumented("measures memory")) func aStalledReaderWhileMuchGoesBy() throws {
        let server = try Programs.startServer(
            limits: "\"history_bytes\": 4000000, \"stall_ms\": 3600000")
        let writer = try LineClient(server)
        let text = JSONValue.string(String(repeating: "0123456789", count: 10_000))
        let merge: JSONValue = ["long": text, "short": "", "at": "", "round": 0]
        #expect(try writer.dispatch("merge", merge, store: "doc").op == "ack")
        let readers = try (0..<3).map { _ in try Replica(try LineClient(server), "doc") }
        // 200 MB of patches: every second one has the text.
        let rounds = Programs.isLong ? 4_000 : 200
        let alone = try times(rounds, writer, readers, from: 1)
        let stalled = try Replica(try LineClient(server, receiveBuffer: 16_384), "doc")
        let before = server.residentBytes
        let beside = try times(rounds, writer, readers, from: 1 + rounds)
        let grown = server.residentBytes - before
        let waiting = try server.metric("rex_outbox_memory_bytes")
        // The limit, and one encoding of the state.
        #expect(waiting <= 1_048_576 + 210_000, "\(waiting) bytes wait")
        #expect(grown < 12_000_000, "\(grown) bytes more")
        let p99 = { (list: [Double]) in list[list.count * 99 / 100] }
        report(
            "stalled reader: \(rounds * 50 / 1_000) MB of patches, server +\(grown) bytes, "
                + "\(waiting) wait; the others' p99 \(p99(alone)) ms alone, "
                + "\(p99(beside)) ms beside it"
        )
        // It reads on and has the same.
        let truth = try writer.ask(["op": "hash", "store": "doc"])
        try stalled.follow { $0.rev == truth["rev"]?.int ?? 0 }
        #expect(try stalled.state.hash == truth["hash"]?.string)
        #expect(stalled.frames < rounds)
        try server.awaitMetric("rex_outbox_memory_bytes") { $0 == 0 }
    }

    // MARK: Coming and going

    /// Everything that shows whether something is left behind.
    private func traces(_ server: ServerProcess) throws -> [String: Int] {
        var traces = ["descriptors": server.descriptors]
        for row in [
            "rex_connections{transport=\"lines\"}", "rex_subscriptions{store=\"counter\"}",
            "rex_effects{store=\"counter\"}", "rex_listeners", "rex_outbox_bytes",
            "rex_outbox_memory_bytes",
        ] {
            traces[row] = try server.metric(row)
        }
        return traces
    }

    private func awaitTraces(_ server: ServerProcess, _ wanted: [String: Int]) throws {
        let deadline = ContinuousClock.now + LineClient.patience
        while try traces(server) != wanted {
            guard ContinuousClock.now < deadline else {
                throw LineClient.Failure(
                    description: "left: \(try traces(server)) and not \(wanted)")
            }
        }
    }

    @Test(.uninstrumented("measures memory")) func manyComeSubscribeAndGo() throws {
        let server = try Programs.startServer(
            limits: "\"history_commits\": 1000, \"grace_ms\": 1")
        func cycle(_ number: Int) throws {
            let client = try LineClient(server)
            _ = try Replica(client, "counter")
            let topic = JSONValue.string("t.\(number)")
            #expect(try client.ask(["op": "listen", "topic": topic]).op == "listening")
            switch number % 3 {
            case 0: client.close()
            case 1: client.reset()
            default:
                client.finish()
                client.close()
            }
        }
        for number in 0..<200 { try cycle(number) }
        let calm = ["descriptors": 0].merging(try settled(server)) { $1 }
        let before = server.residentBytes
        let count = Programs.isLong ? 10_000 : 500
        for number in 0..<count { try cycle(number) }
        try awaitTraces(server, calm)
        let grown = server.residentBytes - before
        #expect(grown < 4_000_000, "\(grown) bytes more")
        report("\(count) connections came, subscribed, listened and went: +\(grown) bytes")
    }

    /// The traces once nobody is there any more.
    private func settled(_ server: ServerProcess) throws -> [String: Int] {
        for row in ["rex_connections{transport=\"lines\"}", "rex_listeners"] {
            try server.awaitMetric(row) { $0 == 0 }
        }
        let deadline = ContinuousClock.now + LineClient.patience
        var last = try traces(server)
        while true {
            let next = try traces(server)
            if next == last { return next }
            last = next
            try #require(ContinuousClock.now < deadline)
        }
    }

    @Test(.uninstrumented("measures memory")) func manyEffectsLeaveNothing() throws {
        let server = try Programs.startServer(
            limits: "\"history_commits\": 1000, \"history_bytes\": 1000000")
        let client = try LineClient(server)
        let fetch =
            "{\"op\":\"dispatch\",\"store\":\"counter\",\"ack\":false,"
            + "\"action\":{\"type\":\"fetch\","
            + "\"payload\":{\"delay_ms\":0,\"fail\":false}}}\n"
        let batch = String(repeating: fetch, count: 500)
        func run(_ count: Int) throws {
            for _ in 0..<(count / 500) {
                try client.send(batch)
                #expect(try client.ask(["op": "ping"]).op == "pong")
            }
            try server.awaitMetric("rex_effects{store=\"counter\"}") { $0 == 0 }
        }
        try run(20_000)
        let calm = try settledWith(client, server)
        let before = server.residentBytes
        let count = Programs.isLong ? 1_000_000 : 20_000
        try run(count)
        try awaitTraces(server, calm)
        let grown = server.residentBytes - before
        #expect(grown < 8_000_000, "\(grown) bytes more")
        report("\(count) effects: +\(grown) bytes")
        #expect(try client.state("counter", "/isLoading") == false)
    }

    private func settledWith(_ client: LineClient, _ server: ServerProcess) throws -> [String: Int]
    {
        #expect(try client.ask(["op": "ping"]).op == "pong")
        return try traces(server)
    }

    // MARK: Those who say nothing

    @Test(.uninstrumented("measures memory")) func silentSocketsCostNobodyAnything() throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        #expect(try client.ask(["op": "ping"]).op == "pong")
        let before = server.residentBytes
        let silent = try (0..<500).map { number in
            let socket = try LineClient(server)
            // Some have begun something.
            if number % 2 == 0 { try socket.send(number % 4 == 0 ? "{\"op\":" : "GET /st") }
            return socket
        }
        try server.awaitMetric("rex_connections_accepted_total") { $0 > 500 }
        let grown = server.residentBytes - before
        #expect(grown < 500 * 20_000, "\(grown) bytes more")
        // Nobody is waited for here: that it does nothing is what is looked at.
        let busy = server.processorTime
        Sockets.idle(.milliseconds(500))
        #expect(server.processorTime - busy < .milliseconds(100))
        report("500 silent sockets: +\(grown) bytes")
        var random = SeededRandom(seed: 1)
        for _ in 0..<200 {
            let number = Int.random(in: -5...5, using: &random)
            #expect(try client.dispatch("add", .int(number)).op == "ack")
        }
        withExtendedLifetime(silent) {}
    }
}
