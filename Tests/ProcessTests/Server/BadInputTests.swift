import Foundation
import RexProtocol
import RexTesting
import Testing

/// Whatever arrives, the process stays up, names what is wrong, and serves everybody else.
@Suite(.ownThreads) struct BadInputTests {
    @Test func eachWrongLineGetsItsErrorAndTheConnectionStays() throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        for wrong in WrongLine.all {
            try client.send(wrong.bytes + [10])
            let error = try client.frame()
            #expect(error.op == "error" && error.code == wrong.code, "\(wrong): \(error)")
            #expect(error["message"]?.string?.isEmpty == false)
            if let place = wrong.place {
                #expect(error["at"]?.string == place, "\(wrong): \(error)")
            }
            #expect(try client.ask(["op": "ping"]).op == "pong", "\(wrong)")
        }
        #expect(try client.ask(["op": "get", "store": "counter"])["rev"] == 0)
        #expect(try client.ask(["op": "nonsense"]).code == "unknown_op")
        try client.send("{\"op\":\"get\",\"id\":\"me\",\"at\":[]}\n")
        #expect(try client.frame()["id"] == "me")
    }

    @Test func framesMayBeCutAndJoinedAnywhere() throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        try client.send(
            "{\"op\":\"ping\",\"id\":1}\n{\"op\":\"ping\",\"id\":2}\r\n\n \n"
                + "{\"op\":\"ping\",\"id\":3}\n")
        #expect(try (0..<3).map { _ in try client.frame()["id"]?.int } == [1, 2, 3])
        let text = "{\"op\":\"ping\",\"id\":\"中😀é\"}\n"
        for byte in text.utf8 {
            try client.send([byte])
            // The server has taken this byte by itself before the next comes.
            if byte & 0xc0 == 0x80 { _ = try LineClient(server).ask(["op": "ping"]) }
        }
        #expect(try client.frame()["id"] == "中😀é")
        #expect(client.pushed.isEmpty)
    }

    @Test func numbersAndStringsKeepTheirValue() throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        let values = [
            "0", "-0", "-0.0", "1.0", "9007199254740993", "9223372036854775807",
            "-9223372036854775808", "18446744073709551615", "0.1", "1e-7", "5e-324",
            "1.7976931348623157e308", "\"\\u0000\"", "\"\\ud83d\\ude00\"", "\"/~\\\"\\\\\"",
            "[[],{\"\":{\"/\":1,\"~\":2}}]", "{\"__proto__\":1}", "true", "null",
        ]
        for text in values {
            try client.send(
                "{\"op\":\"dispatch\",\"store\":\"doc\",\"ack\":false,\"action\":{\"type\":\"set\","
                    + "\"payload\":{\"path\":\"/v\",\"value\":\(text)}}}\n")
            let value = try client.state("doc", "/v")
            #expect(try value == RawJSON(parsing: text).value, "\(text) became \(value)")
        }
        #expect(try client.dispatch("add", 3.0).op == "ack")
        #expect(try client.state("counter", "/count") == 3)
    }

    @Test(arguments: [
        [0x00], [0x16, 0x03, 0x01], [0xff], [0x5b],
    ])
    func anotherFirstByteIsRefused(bytes: [UInt8]) throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        try client.send(bytes)
        let frames = try client.rest()
        #expect(frames.map(\.op) == ["error", "bye"])
        #expect(frames.map(\.code) == ["bad_frame", "bad_frame"])
        #expect(frames[1]["reconnect"] == false)
        #expect(try LineClient(server).ask(["op": "ping"]).op == "pong")
    }

    /// As much as a test can wait for; the server keeps none of it.
    @Test(.uninstrumented("measures memory")) func aLineWithoutAnEndIsRefusedAndTakesNoMemory()
        throws
    {
        let server = try Programs.startServer()
        let other = try LineClient(server)
        _ = try other.ask(["op": "ping"])
        let before = server.residentBytes
        var most = before
        let client = try LineClient(server)
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
        try client.send("{\"op\":\"")
        var sent = 0
        do {
            while sent < 64 << 20 {
                try client.send(piece)
                sent += piece.count
                most = max(most, server.residentBytes)
            }
        } catch {
            // It is read on for a while so that the reason arrives, and then no more.
        }
        #expect(sent >= 1 << 20)
        let frames = try client.rest()
        #expect(frames.map(\.code) == ["too_large", "too_large"])
        #expect(frames.last?.op == "bye")
        #expect(most - before < 16 << 20, "from \(before) to \(most) bytes")
        #expect(try other.ask(["op": "ping"]).op == "pong")
    }

    @Test func aLineOfExactlyTheLimitIsTaken() throws {
        let server = try Programs.startServer(limits: "\"frame_bytes\": 1000")
        let client = try LineClient(server)
        let frame = "{\"op\":\"ping\",\"id\":1}"
        let pad = String(repeating: " ", count: 1_000 - frame.utf8.count)
        try client.send(frame + pad + "\n")
        #expect(try client.frame().op == "pong")
        try client.send(frame + pad + " \n")
        #expect(try client.rest().map(\.code) == ["too_large", "too_large"])
    }

    @Test func noiseHarmsNobody() throws {
        let server = try Programs.startServer()
        let other = try LineClient(server)
        let replica = try Replica(other, "counter", "/count")
        var random = SeededRandom(seed: 99)
        for round in 0..<60 {
            let client = try LineClient(server)
            let count = Int.random(in: 1...3_000, using: &random)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            if round % 2 == 0 { bytes.insert(UInt8(ascii: "{"), at: 0) }
            try? client.send(bytes)
            if round % 3 == 0 { client.reset() } else { client.finish() }
            if round % 3 == 1 { _ = try client.line() }
        }
        #expect(try other.dispatch("increment").op == "ack")
        try replica.follow { $0.state == 1 }
    }
}
