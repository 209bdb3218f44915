import Foundation
import RexProtocol
import RexTesting
import Testing

/// permessage-deflate (RFC 7692): what is agreed on, both directions, and what only looks small.
@Suite(.ownThreads) struct CompressionTests {
    private static let both =
        "permessage-deflate; server_no_context_takeover; client_no_context_takeover"

    @Test(arguments: [
        ("permessage-deflate", both), ("permessage-deflate; client_max_window_bits", both),
        ("permessage-deflate; server_max_window_bits=10", both + "; server_max_window_bits=10"),
        ("permessage-deflate; client_max_window_bits=\"10\"", both),
        ("permessage-deflate; nonsense, permessage-deflate", both),
        ("x-webkit-deflate-frame, permessage-deflate", both),
        ("permessage-deflate; server_max_window_bits=7", nil),
        ("permessage-deflate; server_max_window_bits=16", nil),
        ("permessage-deflate; server_max_window_bits", nil),
        ("permessage-deflate; client_max_window_bits=08", nil),
        ("permessage-deflate; server_no_context_takeover=1", nil),
        ("permessage-deflate; client_no_context_takeover; client_no_context_takeover", nil),
        ("permessage-bzip2", nil), ("", nil),
    ])
    func anOfferIsTakenOrNot(offer: String, answer: String?) throws {
        let server = try Programs.startServer()
        let socket = try MessageClient(server, ["Sec-WebSocket-Extensions": offer])
        #expect(socket.handshake.headers["sec-websocket-extensions"] == answer)
        #expect(try socket.ask(["op": "ping"]).op == "pong")
    }

    /// A deflate of stored blocks alone, which needs no compressor: five bytes, then the content.
    private func stored(_ bytes: [UInt8]) -> [UInt8] {
        let low = UInt8(bytes.count & 0xFF)
        let high = UInt8(bytes.count >> 8)
        return [0x00, low, high, ~low, ~high] + bytes + [0x00]
    }

    @Test func aCompressedMessageIsReadAndALargeOneIsSentCompressed() throws {
        let server = try Programs.startServer()
        let socket = try MessageClient(
            server, ["Sec-WebSocket-Extensions": "permessage-deflate"])
        try socket.send(0xC1, stored(Array(#"{"op":"ping","id":3}"#.utf8)))
        #expect(try socket.message()["id"] == 3)
        // In fragments, of which only the first says so.
        let whole = stored(Array(#"{"op":"ping","id":4}"#.utf8))
        try socket.send(0x41, whole.prefix(7))
        try socket.send(0x80, whole.dropFirst(7))
        #expect(try socket.message()["id"] == 4)
        // Without the mark it is a message as it is.
        try socket.send(0x81, Array(#"{"op":"ping","id":5}"#.utf8))
        #expect(try socket.message()["id"] == 5)
        let value = String(repeating: "all work and no play ", count: 500)
        _ = try socket.ask([
            "op": "dispatch", "store": "doc",
            "action": ["type": "set", "payload": ["path": "/v", "value": .string(value)]],
        ])
        try socket.send(["op": "get", "store": "doc"])
        let frame = try #require(try socket.frame())
        #expect(frame.isCompressed && frame.payload.count < 1_000)
        let text = try Inflater.inflate(frame.payload)
        #expect(try RawJSON(parsing: text).value["state"] == ["v": .string(value)])
        // The fragment of a message that is under way must not say it again.
        try socket.send(0x41, whole.prefix(7))
        try socket.send(0xC0, whole.dropFirst(7))
        #expect(try socket.ending().code == 1_002)
    }

    /// Watchers that compress and those that do not get the same patch, each in its way.
    @Test func patchesAreCompressedForThoseWhoAskedForIt() throws {
        let server = try Programs.startServer()
        let small = try MessageClient(server, ["Sec-WebSocket-Extensions": "permessage-deflate"])
        let plain = try MessageClient(server)
        let narrow = try MessageClient(
            server,
            ["Sec-WebSocket-Extensions": "permessage-deflate; server_max_window_bits=9"])
        for socket in [small, plain, narrow] {
            #expect(try socket.ask(["op": "subscribe", "store": "doc"]).op == "subscribed")
        }
        let value = String(repeating: "la", count: 2_000)
        _ = try LineClient(server).dispatch(
            "set", ["path": "/v", "value": .string(value)], store: "doc")
        let frame = try #require(try small.frame())
        #expect(frame.isCompressed)
        let patch = try RawJSON(parsing: try Inflater.inflate(frame.payload)).value
        #expect(try plain.message() == patch)
        #expect(try narrow.message() == patch)
    }

    @Test(.uninstrumented("measures memory")) func aKilobyteThatInflatesToAGigabyteIsRefused()
        throws
    {
        let server = try Programs.startServer()
        let other = try MessageClient(server)
        _ = try other.ask(["op": "ping"])
        let before = server.residentBytes
        let bomb = try Inflater.bomb
        #expect(bomb.count < 1_048_576)
        for _ in 0..<4 {
            let socket = try MessageClient(
                server, ["Sec-WebSocket-Extensions": "permessage-deflate"])
            try socket.send(0xC1, bomb)
            let end = try socket.ending()
            #expect(end.code == 1_009 && end.messages.first?.code == "too_large")
        }
        #expect(server.residentBytes - before < 16 << 20)
        #expect(try other.ask(["op": "ping"]).op == "pong")
    }

    @Test(arguments: [[0xFF, 0xFF, 0xFF], [0x00, 0x05, 0x00, 0x00, 0x00, 0x00]] as [[UInt8]])
    func whatCannotBeInflatedIsRefused(payload: [UInt8]) throws {
        let server = try Programs.startServer()
        let socket = try MessageClient(
            server, ["Sec-WebSocket-Extensions": "permessage-deflate"])
        try socket.send(0xC1, payload)
        #expect(try socket.ending().code == 1_007)
    }

    @Test func textIsCheckedAlsoWhereItWasCompressed() throws {
        let server = try Programs.startServer()
        let socket = try MessageClient(
            server, ["Sec-WebSocket-Extensions": "permessage-deflate"])
        try socket.send(0xC1, stored([0xC3, 0x28]))
        #expect(try socket.ending().code == 1_007)
    }
}

/// Deflate by somebody else than the server: Python's zlib.
enum Inflater {
    private static func python(_ program: String, _ input: String = "") throws -> String {
        let ended = try Programs.run(["python3", "-c", program], input: input)
        guard ended.code == 0 else { throw LineClient.Failure(description: ended.errors) }
        return ended.output
    }

    static func inflate(_ payload: [UInt8]) throws -> String {
        let hex = payload.map { String($0, radix: 16).leftPadded }.joined()
        return try python(
            "import sys, zlib; data = bytes.fromhex(sys.stdin.read()) + b'\\0\\0\\xff\\xff'; "
                + "sys.stdout.write(zlib.decompressobj(-15).decompress(data).decode())", hex)
    }

    /// Many at once, which are lines.
    static func inflate(all payloads: [[UInt8]]) throws -> [String] {
        // By a file: a pipe that both ends fill would hold up both.
        let scratch = try Scratch()
        defer { withExtendedLifetime(scratch) {} }
        let text = payloads.map { Data($0).base64EncodedString() }.joined(separator: "\n")
        let file = try scratch.write(text + "\n", to: "packed")
        let program = """
            import base64, sys, zlib
            for line in open(sys.argv[1]):
                data = base64.b64decode(line) + b'\\0\\0\\xff\\xff'
                print(zlib.decompressobj(-15).decompress(data).decode())
            """
        let ended = try Programs.run(["python3", "-c", program, file])
        guard ended.code == 0 else { throw LineClient.Failure(description: ended.errors) }
        return ended.lines
    }

    /// A gigabyte of blanks.
    static var bomb: [UInt8] {
        get throws {
            let hex = try python(
                "import zlib; c = zlib.compressobj(9, zlib.DEFLATED, -15); block = b' ' * 2 ** 20; "
                    + "out = b''.join(c.compress(block) for _ in range(1024)); "
                    + "print((out + c.flush(zlib.Z_SYNC_FLUSH))[:-4].hex())")
            let digits = Array(hex.utf8.dropLast())
            return stride(from: 0, to: digits.count, by: 2).map {
                UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16)!
            }
        }
    }
}

extension String {
    fileprivate var leftPadded: String { count < 2 ? "0" + self : self }
}
