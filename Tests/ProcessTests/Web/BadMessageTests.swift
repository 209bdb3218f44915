import RexProtocol
import RexTesting
import Testing

/// Frames that break the rules: the close code of each, memory flat, everybody else served.
@Suite(.ownThreads) struct BadMessageTests {
    /// What is sent after the handshake, what is wrong with it, and the code.
    private static let wrong: [(what: String, bytes: [UInt8], code: Int)] = {
        func frame(
            _ first: UInt8, _ payload: [UInt8] = [], isMasked: Bool = true, claiming: UInt64? = nil
        ) -> [UInt8] {
            MessageClient.frame(first, payload, isMasked: isMasked, claiming: claiming)
        }
        let text = Array(#"{"op":"ping"}"#.utf8)
        let mask: [UInt8] = [0, 0, 0, 0]
        return [
            ("not masked", frame(0x81, text, isMasked: false), 1002),
            ("reserved bit 1", frame(0xC1, text), 1002),
            ("reserved bit 2", frame(0xA1, text), 1002),
            ("reserved bit 3", frame(0x91, text), 1002),
            ("a reserved bit of a ping", frame(0xC9), 1002),
            ("opcode 3", frame(0x83), 1002), ("opcode 15", frame(0x8F), 1002),
            ("binary", frame(0x82, text), 1003), ("an empty binary", frame(0x82), 1003),
            ("a length of 2^64 - 1", frame(0x81, claiming: .max), 1002),
            ("a length of 2^63", frame(0x81, claiming: 1 << 63), 1002),
            ("a length of 2^63 - 1", frame(0x81, claiming: (1 << 63) - 1), 1009),
            ("a length of 2^32", frame(0x81, claiming: 1 << 32), 1009),
            ("a byte over the limit", frame(0x81, claiming: 1_048_577), 1009),
            ("a length longer than need be", [0x81, 0xFE, 0, 5] + mask + [0, 0, 0, 0, 0], 1002),
            (
                "64 bits for a small length", [0x81, 0xFF, 0, 0, 0, 0, 0, 0, 0, 5] + mask + [0],
                1002
            ),
            ("a ping of 126 bytes", frame(0x89, [UInt8](repeating: 0, count: 126)), 1002),
            ("a close of 126 bytes", frame(0x88, [UInt8](repeating: 0, count: 126)), 1002),
            ("a fragment of a ping", frame(0x09), 1002),
            ("a continuation of nothing", frame(0x80, text), 1002),
            ("a message within another", frame(0x01, [0x7B]) + frame(0x81, text), 1002),
            ("not UTF-8", frame(0x81, [0xFF]), 1007),
            ("a surrogate", frame(0x81, [0xED, 0xA0, 0x80]), 1007),
            ("half a character", frame(0x81, [0x7B, 0xC3]), 1007),
            ("half a character in fragments", frame(0x01, [0xC3]) + frame(0x80, [0x7B]), 1007),
            ("not UTF-8 before the end", frame(0x01, [0x7B, 0xC0]), 1007),
            ("half a close code", frame(0x88, [3]), 1002),
            ("code 999", frame(0x88, [0x03, 0xE7]), 1002),
            ("code 1005", frame(0x88, [0x03, 0xED]), 1002),
            ("code 1006", frame(0x88, [0x03, 0xEE]), 1002),
            ("code 2999", frame(0x88, [0x0B, 0xB7]), 1002),
            ("code 5000", frame(0x88, [0x13, 0x88]), 1002),
            ("a reason that is not UTF-8", frame(0x88, [0x03, 0xE8, 0xFF]), 1007),
        ]
    }()

    @Test func eachEndsWithItsCode() throws {
        let server = try Programs.startServer()
        let other = try MessageClient(server)
        for (what, bytes, code) in Self.wrong {
            let socket = try MessageClient(server)
            try socket.web.socket.send(bytes)
            #expect(try socket.ending().code == code, "\(what)")
        }
        #expect(try other.ask(["op": "ping"]).op == "pong")
    }

    /// The reason is said in frames too, for one who only reads those.
    @Test func aMessageOverTheLimitIsSaidToBeOne() throws {
        let server = try Programs.startServer(limits: "\"frame_bytes\": 1000")
        let socket = try MessageClient(server)
        let frame = #"{"op":"ping","id":1}"#
        let pad = String(repeating: " ", count: 1_000 - frame.utf8.count)
        try socket.send(frame + pad)
        #expect(try socket.message()["id"] == 1)
        try socket.send(frame + pad + " ")
        let end = try socket.ending()
        #expect(end.code == 1_009)
        #expect(end.messages.map(\.code) == ["too_large", "too_large"])
        #expect(end.messages.map(\.op) == ["error", "bye"])
    }

    @Test(.uninstrumented("measures memory")) func aFragmentThatNeverEndsTakesNoMemory() throws {
        let server = try Programs.startServer()
        let other = try MessageClient(server)
        _ = try other.ask(["op": "ping"])
        let before = server.residentBytes
        let socket = try MessageClient(server)
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
        try socket.send(0x01, piece)
        for _ in 0..<256 { do { try socket.send(0x00, piece) } catch { break } }
        #expect(try socket.ending().code == 1_009)
        // One that sends nothing but empty fragments holds nothing.
        let empty = try MessageClient(server)
        try empty.send(0x01, [])
        let many = (0..<10_000).flatMap { _ in MessageClient.frame(0x00, []) }
        for _ in 0..<10 { try empty.web.socket.send(many) }
        try empty.send(MessageClient.pingFrame, [1])
        #expect(try empty.frame()?.payload == [1])
        #expect(server.residentBytes - before < 16 << 20)
        #expect(try other.ask(["op": "ping"]).op == "pong")
    }

    @Test(.uninstrumented("measures memory")) func pingsWhoseAnswersAreNotReadTakeNoMemory() throws
    {
        let server = try Programs.startServer(limits: "\"outbox_bytes\": 65536")
        let other = try MessageClient(server)
        _ = try other.ask(["op": "ping"])
        let before = server.residentBytes
        let socket = try MessageClient(server)
        let ping = MessageClient.frame(
            MessageClient.pingFrame, [UInt8](repeating: 7, count: 125))
        let many = (0..<2_000).flatMap { _ in ping }
        // As long as it takes them; then it reads no more.
        var sent = 0
        var refusals = 0
        while refusals < 50, sent < 64 << 20 {
            let count = try socket.web.socket.sendSome(many[(sent % many.count)...])
            sent += count
            if count == 0 {
                refusals += 1
                _ = try other.ask(["op": "ping"])
            }
        }
        #expect(refusals == 50, "it read on, \(sent) bytes")
        #expect(server.residentBytes - before < 16 << 20)
        #expect(try other.ask(["op": "ping"]).op == "pong")
    }

    @Test func noiseHarmsNobody() throws {
        let server = try Programs.startServer()
        let other = try MessageClient(server)
        var random = SeededRandom(seed: 3)
        for round in 0..<100 {
            let socket = try MessageClient(server)
            let count = Int.random(in: 1...2_000, using: &random)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            if round % 2 == 0 { bytes = MessageClient.frame(0x81, bytes) }
            try? socket.web.socket.send(bytes)
            if round % 3 == 0 { socket.web.socket.reset() } else { socket.web.socket.finish() }
        }
        #expect(try other.ask(["op": "ping"]).op == "pong")
    }
}
