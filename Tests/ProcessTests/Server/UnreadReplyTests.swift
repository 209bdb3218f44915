import Foundation
import RexProtocol
import RexTesting
import Testing

/// Replies are never dropped: who does not read them is not read from, and after `stall_ms` is
/// closed, on every wire.
@Suite(.ownThreads) struct UnreadReplyTests {
    enum Wire: String, CaseIterable { case lines, messages, deflated, requests, tls }

    /// Asks for far more than buffers hold and reads none of it; what is returned keeps the
    /// connection.
    private func ask(_ wire: Wire, _ server: ServerProcess, times: Int) throws -> AnyObject {
        let get = "{\"op\":\"get\",\"store\":\"doc\"}"
        switch wire {
        case .lines:
            let client = try LineClient(server, receiveBuffer: 4_096)
            try client.send(String(repeating: get + "\n", count: times))
            return client
        case .messages, .deflated:
            let offer = ["Sec-WebSocket-Extensions": "permessage-deflate"]
            let client = try MessageClient(server, wire == .deflated ? offer : [:])
            let frame = MessageClient.frame(MessageClient.textFrame, get.utf8)
            try client.web.socket.send(Array(repeatElement(frame, count: times).joined()))
            return client
        case .requests:
            let client = try WebClient(server)
            let request = client.request("GET", "/stores/doc/state")
            try client.socket.send(String(repeating: request, count: times))
            return client
        case .tls:
            // It reads no more once nobody takes what it prints.
            let child = try ChildProcess([
                "openssl", "s_client", "-quiet", "-connect", "127.0.0.1:\(server.port)",
            ])
            try child.write(String(repeating: get + "\n", count: times))
            return child
        }
    }

    /// A text of a hundred kilobytes that compression does not make much smaller.
    private func fill(_ server: ServerProcess) throws -> LineClient {
        let writer = try LineClient(server)
        var random = SeededRandom(seed: 5)
        let text = (0..<8_000).map { _ in String(random.next(), radix: 36) }.joined()
        _ = try writer.dispatch("merge", ["text": .string(text)], store: "doc")
        return writer
    }

    @Test(.uninstrumented("measures memory"), arguments: Wire.allCases)
    func theyAreWaitedForAndThenGivenUp(wire: Wire) throws {
        let server = try Programs.startSecureServer(
            limits: "\"outbox_bytes\": 200000, \"stall_ms\": 500, \"linger_ms\": 100")
        let writer = try fill(server)
        let before = server.residentBytes
        // A hundred megabytes.
        let client = try ask(wire, server, times: 1_000)
        try server.awaitMetric("rex_outbox_bytes") { $0 > 200_000 }
        #expect(try server.metric("rex_outbox_memory_bytes") < 1_000_000)
        #expect(try writer.ask(["op": "ping"]).op == "pong")
        #expect(server.residentBytes - before < 24_000_000)
        try server.awaitMetric("rex_closes_total{reason=\"too_slow\"}") { $0 == 1 }
        try server.awaitMetric("rex_outbox_memory_bytes") { $0 == 0 }
        withExtendedLifetime(client) {}
    }

    /// Every one comes, in order, once it is read.
    @Test func noneIsLost() throws {
        let server = try Programs.startSecureServer(limits: "\"outbox_bytes\": 200000")
        _ = try fill(server)
        let lines = try LineClient(server, receiveBuffer: 4_096)
        let messages = try MessageClient(server)
        for number in 0..<200 {
            let get: JSONValue = ["op": "get", "store": "doc", "id": .int(number)]
            try lines.send(get)
            try messages.send(get)
        }
        try server.awaitMetric("rex_outbox_bytes") { $0 > 400_000 }
        for number in 0..<200 {
            #expect(try lines.frame()["id"]?.int == number)
            #expect(try messages.message()["id"]?.int == number)
        }
        try server.awaitMetric("rex_outbox_memory_bytes") { $0 == 0 }
    }
}
