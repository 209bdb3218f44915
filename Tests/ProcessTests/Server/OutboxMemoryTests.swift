import Foundation
import RexProtocol
import RexTesting
import Testing

/// All outboxes together have a bound: readers count as slow earlier, then those with most go.
@Suite(.ownThreads) struct OutboxMemoryTests {
    private static let total = 4_000_000

    private func start() throws -> ServerProcess {
        try Programs.startServer(
            limits: "\"outbox_total_bytes\": \(Self.total), \"linger_ms\": 60000, "
                + "\"stall_ms\": 600000")
    }

    @Test(.uninstrumented("measures memory")) func thoseWithMostAreClosedWhereRepliesAreNotRead()
        throws
    {
        let server = try start()
        let writer = try LineClient(server)
        let text = JSONValue.string(String(repeating: "x", count: 20_000))
        _ = try writer.dispatch("merge", ["text": text], store: "doc")
        let modest = try LineClient(server, receiveBuffer: 4_096)
        try modest.send(String(repeating: "{\"op\":\"get\",\"store\":\"doc\"}\n", count: 10))
        let before = server.residentBytes
        let ask = String(repeating: "{\"op\":\"get\",\"store\":\"doc\"}\n", count: 300)
        let greedy = try (0..<30).map { _ in
            let client = try LineClient(server, receiveBuffer: 4_096)
            // Who reads what it asks for is not one of them, whenever that is looked at.
            try writer.send(String(repeating: "{\"op\":\"get\",\"store\":\"doc\"}\n", count: 40))
            try client.send(ask)
            for _ in 1...40 { #expect(try writer.frame().op == "state") }
            #expect(try server.metric("rex_outbox_memory_bytes") <= Self.total)
            return client
        }
        let closed = try server.metric(#"rex_limit_hits_total{limit="outbox_total_bytes"}"#)
        #expect(closed > 0 && closed < 30)
        #expect(try server.metric("rex_closes_total{reason=\"too_slow\"}") == closed)
        #expect(server.residentBytes - before < 40_000_000)
        // What the closed ones still read is whole, and then most are told; the others have all.
        var (ended, cut) = (0, 0)
        for client in greedy {
            var count = 0
            while count < 300 {
                guard let line = try client.line() else {
                    cut += 1
                    break
                }
                let frame = try RawJSON(parsing: line).value
                if frame.op == "bye" {
                    #expect(frame.code == "too_slow" && frame["reconnect"] == true)
                    #expect(frame["message"]?.string?.contains("\(Self.total)") == true)
                    ended += 1
                    break
                }
                #expect(frame.op == "state" && frame["state"]?["text"] == text)
                count += 1
            }
        }
        let all = try server.metric(#"rex_limit_hits_total{limit="outbox_total_bytes"}"#)
        #expect(ended + cut == all && ended > cut, "\(ended) told, \(cut) cut off")
        for _ in 1...10 { #expect(try modest.frame().op == "state") }
        try server.awaitMetric("rex_outbox_memory_bytes") { $0 == 0 }
        #expect(server.process.isRunning)
    }

    /// Thirty readers who leave the same patches unread cost what one costs.
    @Test func whatReadersShareClosesNobody() throws {
        let server = try start()
        let writer = try LineClient(server)
        let readers = try (0..<30).map { _ in
            try Replica(try LineClient(server, receiveBuffer: 4_096), "doc")
        }
        let text = String(repeating: "x", count: 50_000)
        for round in 1...200 {
            let value = JSONValue.string("\(round)\(text)")
            _ = try writer.dispatch("set", ["path": "/t", "value": value], store: "doc")
        }
        // Far more than the bound, were it counted for each of them.
        #expect(try server.metric("rex_outbox_bytes") > 2 * Self.total)
        #expect(try server.metric("rex_outbox_memory_bytes") < Self.total / 2)
        #expect(try server.metric(#"rex_limit_hits_total{limit="outbox_total_bytes"}"#) == 0)
        for reader in readers { try reader.follow { $0.rev == 200 } }
        try server.awaitMetric("rex_outbox_bytes") { $0 == 0 }
        #expect(try server.metric("rex_outbox_memory_bytes") == 0)
    }

    /// With little room left everybody counts as slow at an eighth of `outbox_bytes`, and nobody
    /// has to go for it.
    @Test func beforeTheBoundPatchesAreMergedEarlier() throws {
        let server = try start()
        let writer = try LineClient(server)
        let text = String(repeating: "x", count: 50_000)
        // Places of their own: what they leave unread is not shared.
        let readers = try (0..<10).map { number in
            try Replica(try LineClient(server, receiveBuffer: 4_096), "doc", "/t\(number)")
        }
        for round in 1...150 {
            for number in readers.indices {
                let value = JSONValue.string("\(round)\(text)")
                let path = JSONValue.string("/t\(number)")
                _ = try writer.dispatch("set", ["path": path, "value": value], store: "doc")
            }
        }
        // Ten times a megabyte, if each might have its own.
        let waiting = try server.metric("rex_outbox_memory_bytes")
        #expect(waiting > Self.total / 2 && waiting <= Self.total)
        #expect(try server.metric(#"rex_limit_hits_total{limit="outbox_total_bytes"}"#) == 0)
        for reader in readers {
            try reader.follow { $0.state.string == "150\(text)" }
        }
    }
}
