import Foundation
import RexProtocol
import RexTesting
import Testing

/// One connection's hunger is not everybody's: nobody waits for it, memory has a bound, and a busy
/// moment is held against nobody.
@Suite(.ownThreads) struct FairnessTests {
    /// With a turn of one millisecond what one packet holds takes many turns.
    @Test func whatTakesManyTurnsIsAnsweredInOrderToTheEnd() throws {
        let server = try Programs.startServer(limits: "\"turn_ms\": 1")
        let client = try LineClient(server)
        let count = 3_000
        let lines = (1...count).map { number in
            number % 2 == 0
                ? "{\"op\":\"history\",\"store\":\"counter\",\"id\":\(number)}"
                : "{\"type\":\"increment\",\"store\":\"counter\",\"id\":\(number)}"
        }
        // The end of the input comes while most of it still waits to be served.
        try client.send(lines.joined(separator: "\n") + "\n")
        client.finish()
        for number in 1...count {
            let reply = try client.frame()
            try #require(reply["id"]?.int == number && reply.op != "error", "\(reply)")
        }
        #expect(try client.line() == nil)
    }

    /// The listeners of one connection each get a copy, and it reads none of them.
    @Test(.uninstrumented("measures memory")) func listenersOfOneConnectionAddUpToItsBound() throws
    {
        let server = try Programs.startServer()
        let listener = try LineClient(server, receiveBuffer: 16_384)
        for _ in 0..<200 { _ = try listener.ask(["op": "listen", "topic": "a"]) }
        let writer = try LineClient(server)
        let before = server.residentBytes
        let data = JSONValue.string(String(repeating: "x", count: 500_000))
        for _ in 0..<4 {
            #expect(try writer.ask(["op": "publish", "topic": "a", "data": data]).op == "ack")
        }
        let grown = server.residentBytes - before
        #expect(grown < 60_000_000, "200 copies of 500 kB took \(grown) bytes")
    }

    @Test(.uninstrumented("measures memory")) func statesForOneConnectionAddUpToItsBound() throws {
        let server = try Programs.startServer()
        let writer = try LineClient(server)
        let text = JSONValue.string(String(repeating: "x", count: 900_000))
        _ = try writer.dispatch("merge", ["text": text], store: "doc")
        let reader = try LineClient(server)
        for _ in 0..<100 {
            _ = try reader.ask([
                "op": "subscribe", "store": "doc", "mode": "state", "path": "",
            ])
        }
        let before = server.residentBytes
        for number in 0..<3 {
            _ = try writer.dispatch("merge", ["n": .int(number)], store: "doc")
        }
        let grown = server.residentBytes - before
        #expect(grown < 60_000_000, "100 states of 900 kB took \(grown) bytes")
    }

    /// Whoever was stopped, or busy, hears first what was said meanwhile.
    @Test func whoSpokeWhileTheServerWasStoppedIsNotIdle() throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        _ = try client.ask(["op": "hello", "heartbeat_ms": 200])
        server.process.signal(SIGSTOP)
        try client.send("{\"op\":\"ping\",\"id\":\"there\"}\n")
        Sockets.idle(.milliseconds(1_000))
        server.process.signal(SIGCONT)
        while true {
            let frame = try client.frame()
            try #require(frame.op != "bye", "\(frame)")
            if frame["id"] == "there" { break }
        }
    }

    /// However long the server was stopped, nobody is let go of unasked.
    @Test func twoPingsComeBeforeIdle() throws {
        let server = try Programs.startServer()
        for stop in [false, true] {
            let client = try LineClient(server)
            _ = try client.ask(["op": "hello", "heartbeat_ms": 200])
            if stop {
                server.process.signal(SIGSTOP)
                Sockets.idle(.milliseconds(1_000))
                server.process.signal(SIGCONT)
            }
            let frames = try client.rest()
            #expect(frames.map(\.op) == ["ping", "ping", "bye"])
            #expect(frames.last?.code == "idle")
        }
    }

    @Test func whoAnswersEachPingStays() throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        // Long enough for a busy machine to answer within three of them.
        _ = try client.ask(["op": "hello", "heartbeat_ms": 2_000])
        for _ in 0..<5 {
            #expect(try client.frame().op == "ping")
            try client.send("{\"op\":\"pong\"}\n")
        }
        #expect(try client.ask(["op": "ping", "id": 1]).op == "pong")
    }

    /// Slow and steady: many stalls long, and never one.
    @Test func whoReadsSlowlyIsNotStalled() throws {
        let server = try Programs.startServer(
            limits: "\"stall_ms\": 1000, \"outbox_bytes\": 100000")
        let writer = try LineClient(server)
        let text = JSONValue.string(String(repeating: "x", count: 900_000))
        _ = try writer.dispatch("merge", ["text": text], store: "doc")
        let reader = try LineClient(server, receiveBuffer: 65_536)
        let count = 10
        for _ in 0..<count { try reader.send("{\"op\":\"get\",\"store\":\"doc\"}\n") }
        var read = 0
        for _ in 0..<30 {
            read += try #require(try reader.bytes(60_000)).count
            Sockets.idle(.milliseconds(100))
        }
        // Three stalls are over; the rest comes whole.
        while read < count * 900_000 { read += try #require(try reader.bytes(100_000)).count }
    }
}
