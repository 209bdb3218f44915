import Foundation
import RexProtocol
import RexTesting
import Testing

/// Listeners that do not read: they lose the oldest of what waits for them, are told how much, and
/// go on.
@Suite(.ownThreads) struct SlowListenerTests {
    enum Wire: String, CaseIterable { case lines, messages, deflated }

    /// Takes one frame after the other on any wire.
    private func open(_ wire: Wire, _ server: ServerProcess) throws -> (
        send: (JSONValue) throws -> Void, next: () throws -> JSONValue
    ) {
        switch wire {
        case .lines:
            let client = try LineClient(server, receiveBuffer: 16_384)
            return ({ try client.send($0) }, { try client.frame() })
        case .messages:
            let client = try MessageClient(server)
            return ({ try client.send($0) }, { try client.message() })
        case .deflated:
            let offer = ["Sec-WebSocket-Extensions": "permessage-deflate"]
            let client = try MessageClient(server, offer)
            var waiting: [JSONValue] = []
            return (
                { try client.send($0) },
                {
                    if waiting.isEmpty { waiting = try Self.takeUntilPlain(client).reversed() }
                    return waiting.removeLast()
                }
            )
        }
    }

    /// The frames up to the next that is not compressed, which small ones are not; inflated all at
    /// once.
    private static func takeUntilPlain(_ client: MessageClient) throws -> [JSONValue] {
        var packed: [[UInt8]] = []
        while true {
            guard let frame = try client.frame() else {
                throw LineClient.Failure(description: "the server ended the connection")
            }
            guard frame.isCompressed else {
                let texts = packed.isEmpty ? [] : try Inflater.inflate(all: packed)
                return try texts.map { try RawJSON(parsing: $0).value }
                    + [try RawJSON(parsing: frame.payload).value]
            }
            packed.append(frame.payload)
        }
    }

    /// Publishes numbered events, with a text that compression makes no smaller than two thirds;
    /// the last one has none.
    private func publish(
        _ numbers: ClosedRange<Int>, on topic: String = "news", by client: LineClient, bytes: Int
    ) throws {
        var random = SystemRandomNumberGenerator()
        let fill = (0..<bytes / 13).map { _ in
            String(random.next(), radix: 36).suffix(13)
        }.joined()
        for number in numbers {
            try client.send(
                "{\"op\":\"publish\",\"topic\":\"\(topic)\",\"ack\":false,"
                    + "\"data\":{\"n\":\(number),"
                    + "\"fill\":\"\(number == numbers.last ? "" : fill)\"}}\n")
        }
        #expect(try client.ask(["op": "ping"]).op == "pong")
    }

    /// Reads numbered events to the last: what is missing between two of them is what `dropped`
    /// says there.
    private func follow(
        to last: Int, _ next: () throws -> JSONValue
    ) throws -> (received: Int, dropped: Int, gaps: Int) {
        var (number, received, dropped, gaps) = (0, 0, 0, 0)
        while number < last {
            let frame = try next()
            if frame.op == "dropped" {
                let count = try #require(frame["count"]?.int)
                #expect(frame["listen"] == "t1" && count > 0)
                number += count
                dropped += count
                gaps += 1
            } else {
                #expect(
                    frame["data"]?["n"]?.int == number + 1, "after \(number) and \(dropped) lost")
                number = frame["data"]?["n"]?.int ?? last
                received += 1
            }
        }
        return (received, dropped, gaps)
    }

    @Test(.uninstrumented("measures memory"), arguments: Wire.allCases)
    func theOldestAreLostAndCountedInTheirPlace(wire: Wire) throws {
        let server = try Programs.startServer(limits: "\"stall_ms\": 600000")
        let (send, next) = try open(wire, server)
        try send(["op": "listen", "topic": "news"])
        #expect(try next().op == "listening")
        let publisher = try LineClient(server)
        try publish(1...10, by: publisher, bytes: 20_000)
        for _ in 1...10 { #expect(try next().op == "event") }
        let before = server.residentBytes
        // 200 MB, or 20 of them.
        let count = Programs.isLong ? 10_000 : 1_000
        try publish(1...count, by: publisher, bytes: 20_000)
        let grown = server.residentBytes - before
        let waiting = try server.metric("rex_outbox_memory_bytes")
        #expect(grown < 24_000_000, "\(grown) bytes more")
        // The half in the outbox may be passed by one chunk, of 64 KiB and the event that fills it;
        // and of the first one, which counts whole, a part may have left.
        #expect(waiting <= 1_048_576 + 2 * (65_536 + 20_200), "\(waiting) bytes")
        let all = try follow(to: count, next)
        if Programs.isLong {
            print("listener on \(wire): \(count) events of 20 kB, \(all), +\(grown) bytes")
        }
        #expect(all.received + all.dropped == count && all.gaps == 1)
        #expect(all.received > 40 && all.dropped > 100)
        #expect(try server.metric("rex_events_dropped_total") == all.dropped)
        // It goes on as if nothing had been.
        try publish(1...3, by: publisher, bytes: 100)
        #expect(try follow(to: 3, next).received == 3)
        try server.awaitMetric("rex_outbox_memory_bytes") { $0 == 0 }
    }

    /// Stopped and gone on with again and again: each gap is told where it is.
    @Test func severalGapsAreToldOneByOne() throws {
        let server = try Programs.startServer(limits: "\"outbox_bytes\": 100000")
        let (send, next) = try open(.lines, server)
        try send(["op": "listen", "topic": "news"])
        #expect(try next().op == "listening")
        let publisher = try LineClient(server)
        for _ in 1...5 {
            try publish(1...400, by: publisher, bytes: 20_000)
            let all = try follow(to: 400, next)
            #expect(all.received + all.dropped == 400 && all.gaps == 1)
        }
    }

    @Test func aFloodOnOneTopicCostsNoOtherItsEvents() throws {
        let server = try Programs.startServer(limits: "\"outbox_bytes\": 200000")
        let reader = try LineClient(server, receiveBuffer: 16_384)
        for topic in ["flood", "calm"] {
            #expect(try reader.ask(["op": "listen", "topic": .string(topic)]).op == "listening")
        }
        let publisher = try LineClient(server)
        for round in 0..<10 {
            try publish(1...100, on: "flood", by: publisher, bytes: 10_000)
            try publish((round + 1)...(round + 1), on: "calm", by: publisher, bytes: 1_000)
        }
        let rest = try (0..<10).map { number in
            let frame = try reader.push { $0["listen"] == "t2" }
            #expect(frame.op == "event" && frame["data"]?["n"]?.int == number + 1)
            return frame
        }
        #expect(rest.count == 10)
        // The other one lost some, and was told; those that wait are the newest.
        let flood = reader.takePushed { $0["listen"] == "t1" }
        #expect(flood.count { $0.op == "dropped" } == 1)
        let told = flood.first { $0.op == "dropped" }?["count"]?.int ?? 0
        #expect(flood.count { $0.op == "event" } + told == 1_000)
    }

    @Test func replyAndUnlistenStandBehindWhatWaits() throws {
        let server = try Programs.startServer(limits: "\"outbox_bytes\": 200000")
        let reader = try LineClient(server, receiveBuffer: 16_384)
        #expect(try reader.ask(["op": "listen", "topic": "news"]).op == "listening")
        let publisher = try LineClient(server)
        try publish(1...500, by: publisher, bytes: 20_000)
        try reader.send(["op": "unlisten", "id": "u", "listen": "t1"])
        var frames = [try reader.frame()]
        while frames.last?["id"] != "u" { frames.append(try reader.frame()) }
        #expect(frames.last?.op == "ack")
        let told = frames.compactMap { $0.op == "dropped" ? $0["count"]?.int : nil }
        #expect(told.count == 1 && frames.count - 2 + told[0] == 500)
        try publish(1...1, by: publisher, bytes: 10)
        #expect(try reader.ask(["op": "ping"]).op == "pong" && reader.pushed.isEmpty)
        // Nor does anything of it stay where a reader goes in the middle of it.
        for ends in [LineClient.close, LineClient.reset] {
            let other = try LineClient(server, receiveBuffer: 16_384)
            #expect(try other.ask(["op": "listen", "topic": "news"]).op == "listening")
            try publish(1...500, by: publisher, bytes: 20_000)
            #expect(try server.metric("rex_outbox_memory_bytes") > 100_000)
            ends(other)()
            try server.awaitMetric("rex_outbox_memory_bytes") { $0 == 0 }
        }
    }

    /// To close one that is too slow brings more of them; the stack must not grow with it.
    @Test func thousandsThatWouldRatherBeClosedAreClosedOnce() throws {
        let server = try Programs.startServer(limits: "\"outbox_bytes\": 65536")
        let readers = try (0..<12).map { _ in
            let reader = try LineClient(server, receiveBuffer: 4_096)
            for number in 1...256 {
                try reader.send(["op": "listen", "topic": "news", "slow": "close"])
                #expect(try reader.frame()["listen"] == .string("t\(number)"))
            }
            return reader
        }
        let publisher = try LineClient(server)
        try publish(1...120, by: publisher, bytes: 1_000)
        #expect(try publisher.ask(["op": "ping"]).op == "pong")
        let tooSlow = "rex_closes_total{reason=\"too_slow\"}"
        try server.awaitMetric(tooSlow) { $0 == readers.count }
        #expect(try publisher.ask(["op": "ping"]).op == "pong")
        #expect(try server.metric(tooSlow) == readers.count)
    }

    @Test(arguments: ["subscribe", "listen"])
    func aWrongChoiceIsNamed(op: String) throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        let error = try client.ask(["op": .string(op), "topic": "a", "slow": "drop"])
        #expect(error.code == "bad_frame" && error["at"] == "/slow")
        #expect(error["message"] == "expected 'merge' or 'close', got 'drop'")
    }

    @Test func aStreamOfEventsChoosesByItsQuery() throws {
        let server = try Programs.startServer(limits: "\"outbox_bytes\": 100000")
        let bad = try WebClient.ask(server, "GET", "/stores/doc/patches?slow=drop")
        #expect(bad.status == 400 && bad.json["message"]?.string?.contains("slow in") == true)
        let writer = try LineClient(server)
        let streams = try ["merge", "close"].map { slow in
            let web = try WebClient(server)
            try web.socket.send(web.request("GET", "/stores/doc/patches?slow=\(slow)"))
            #expect(try web.head().status == 200)
            #expect(try web.event()["event"] == "state")
            return web
        }
        let text = String(repeating: "x", count: 50_000)
        var rounds = 0
        while try server.metric("rex_closes_total{reason=\"too_slow\"}") == 0, rounds < 2_000 {
            rounds += 1
            let value = JSONValue.string("\(rounds)\(text)")
            _ = try writer.dispatch("set", ["path": "/t", "value": value], store: "doc")
        }
        var last = try streams[1].event()
        while last["event"] == "patch" { last = try streams[1].event() }
        #expect(last["event"] == "bye" && last["data"]?.contains("too_slow") == true)
        // More than the kernel holds for the one that stays.
        for _ in 0..<300 {
            rounds += 1
            let value = JSONValue.string("\(rounds)\(text)")
            _ = try writer.dispatch("set", ["path": "/t", "value": value], store: "doc")
        }
        var (rev, count) = (0, 0)
        while rev < rounds {
            let event = try streams[0].event()
            rev = try RawJSON(parsing: event["data"] ?? "").value["rev"]?.int ?? rounds
            count += 1
        }
        #expect(count < rounds)
    }
}
