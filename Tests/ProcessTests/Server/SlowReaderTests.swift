import Foundation
import RexProtocol
import RexTesting
import Testing

/// Readers that do not read: the server stays small, nobody else waits, and nothing is lost but the
/// steps between.
@Suite(.ownThreads) struct SlowReaderTests {
    @Test(.uninstrumented("measures memory")) func aSubscriberThatDoesNotReadCatchesUpWithOnePatch()
        throws
    {
        let server = try Programs.startServer(limits: "\"history_bytes\": 4000000")
        let writer = try LineClient(server)
        // A text of 100 kB that an action of a few bytes copies: 50 MB of patches, 50 kB of input.
        let text = JSONValue.string(String(repeating: "0123456789", count: 10_000))
        let merge: JSONValue = ["long": text, "short": "", "at": ""]
        #expect(try writer.dispatch("merge", merge, store: "doc").op == "ack")
        let reader = try LineClient(server, receiveBuffer: 16_384)
        let replica = try Replica(reader, "doc")
        let before = server.residentBytes
        var most = before
        for round in 1...500 {
            let from: JSONValue = round % 2 == 0 ? "/long" : "/short"
            let steps: JSONValue = [
                ["op": "copy", "from": from, "path": "/at"],
                ["op": "add", "path": "/round", "value": .int(round)],
            ]
            #expect(try writer.dispatch("patch", steps, store: "doc").op == "ack")
            if round % 10 == 0 { most = max(most, server.residentBytes) }
        }
        #expect(most - before < 40_000_000, "from \(before) to \(most) bytes")
        let truth = try writer.ask(["op": "hash", "store": "doc"])
        let rev = try #require(truth["rev"]?.int)
        try replica.follow { $0.rev == rev }
        #expect(replica.frames < 250)
        #expect(try server.metric("rex_limit_hits_total{limit=\"outbox_bytes\"}") > 0)
        #expect(replica.state["round"] == 500)
        #expect(replica.state == (try writer.state("doc")))
        // In step again: the next change comes by itself.
        _ = try writer.dispatch("merge", ["round": "last"], store: "doc")
        try replica.follow { $0.state["round"] == "last" }
    }

    @Test(.uninstrumented("measures memory")) func whoDoesNotReadRepliesIsNotReadFrom() throws {
        let server = try Programs.startServer(limits: "\"outbox_bytes\": 200000")
        let writer = try LineClient(server)
        let text = JSONValue.string(String(repeating: "x", count: 100_000))
        _ = try writer.dispatch("merge", ["text": text], store: "doc")
        let greedy = try LineClient(server, receiveBuffer: 16_384)
        let before = server.residentBytes
        let ask = Array("{\"op\":\"get\",\"store\":\"doc\"}\n".utf8)
        let askAll = Array(repeatElement(ask, count: 2_000).joined())[...]
        // All that is asked for would be 200 MB.
        var rest = askAll
        var quiet = 0
        while !rest.isEmpty, quiet < 20 {
            let count = try greedy.sendSome(rest.prefix(65_536))
            rest = rest.dropFirst(count)
            quiet = count == 0 ? quiet + 1 : 0
            #expect(try writer.ask(["op": "ping"]).op == "pong")
        }
        #expect(server.residentBytes - before < 20_000_000)
        // It reads again, and gets what it asked for in order, every one.
        let answers = (askAll.count - rest.count) / ask.count
        #expect(answers > 10)
        for _ in 0..<min(answers, 100) { #expect(try greedy.line()?.count ?? 0 > 100_000) }
    }

    /// Who asked to have fewer patches is not slow.
    @Test func aThrottledSubscriberCountsAsNoSlowOne() throws {
        let server = try Programs.startServer()
        let writer = try LineClient(server)
        let replica = try Replica(
            try LineClient(server), "counter", "/count", ["throttle_ms": 300])
        for _ in 1...20 { _ = try writer.dispatch("increment") }
        try replica.follow { $0.state == 20 }
        #expect(replica.frames < 20)
        #expect(try server.metric("rex_patches_merged_total") == 0)
    }

    @Test func whoReadsNothingForTooLongIsLetGo() throws {
        let server = try Programs.startServer(
            limits: "\"outbox_bytes\": 100000, \"stall_ms\": 200, \"linger_ms\": 100")
        let writer = try LineClient(server)
        let text = JSONValue.string(String(repeating: "x", count: 100_000))
        _ = try writer.dispatch("merge", ["text": text], store: "doc")
        let greedy = try LineClient(server, receiveBuffer: 4_096)
        for _ in 1...200 { try greedy.send("{\"op\":\"get\",\"store\":\"doc\"}\n") }
        let deadline = ContinuousClock.now + ChildProcess.patience
        while try writer.ask(["op": "clients"])["clients"]?.array?.count != 1 {
            try #require(ContinuousClock.now < deadline)
        }
        #expect(try writer.ask(["op": "ping"]).op == "pong")
    }

    @Test func aListenerThatWantsNoGapsIsClosed() throws {
        // Time enough to read what came before the reason.
        let server = try Programs.startServer(
            limits: "\"outbox_bytes\": 100000, \"linger_ms\": 60000")
        let listener = try LineClient(server, receiveBuffer: 4_096)
        _ = try listener.ask(["op": "listen", "topic": "news", "slow": "close"])
        let fast = try LineClient(server)
        _ = try fast.ask(["op": "listen", "topic": "news"])
        let writer = try LineClient(server)
        let data = JSONValue.string(String(repeating: "x", count: 20_000))
        var heard = 2
        var published = 0
        while heard == 2, published < 2_000 {
            let ack = try writer.ask(["op": "publish", "topic": "news", "data": data])
            heard = ack["listeners"]?.int ?? 0
            published += 1
            _ = try fast.push { $0.op == "event" }
        }
        #expect(heard == 1, "it was never too slow")
        let rest = try listener.rest()
        #expect(rest.last?.op == "bye" && rest.last?.code == "too_slow")
        #expect(rest.last?["reconnect"] == true)
        // What it did get came in order and whole.
        #expect(rest.dropLast().allSatisfy { $0["data"] == data })
    }

    @Test func aSubscriberThatWantsEveryStepIsClosed() throws {
        // Time enough to read what came before the reason.
        let server = try Programs.startServer(
            limits: "\"outbox_bytes\": 100000, \"linger_ms\": 60000, \"stall_ms\": 600000")
        let writer = try LineClient(server)
        let reader = try LineClient(server, receiveBuffer: 4_096)
        _ = try Replica(reader, "doc", "", ["slow": "close"])
        let patient = try LineClient(server, receiveBuffer: 4_096)
        let replica = try Replica(patient, "doc")
        let text = String(repeating: "x", count: 50_000)
        var rounds = 0
        while try server.metric("rex_closes_total{reason=\"too_slow\"}") == 0, rounds < 2_000 {
            rounds += 1
            let value = JSONValue.string("\(rounds)\(text)")
            _ = try writer.dispatch("set", ["path": "/t", "value": value], store: "doc")
        }
        let frames = try reader.rest()
        #expect(frames.last?.op == "bye" && frames.last?.code == "too_slow")
        #expect(frames.dropLast().allSatisfy { $0.op == "patch" })
        // Every step up to the end, none merged.
        let steps = frames.dropLast().compactMap { $0["rev"]?.int }
        #expect(steps == Array(1..<(1 + steps.count)))
        // The other one on the same path is still there.
        try replica.follow { $0.rev == rounds }
        #expect(try server.metric("rex_patches_merged_total") > 0)
    }

    /// Many small changes in one: where the places take more than the values, the whole is sent.
    @Test func aMergedPatchIsNoLargerThanTheState() throws {
        let server = try Programs.startServer(limits: "\"outbox_bytes\": 100000")
        let writer = try LineClient(server)
        let numbers = { (offset: Int) in JSONValue.array((0..<2_000).map { .int($0 + offset) }) }
        _ = try writer.dispatch("merge", ["l": numbers(0)], store: "doc")
        let reader = try LineClient(server, receiveBuffer: 4_096)
        let replica = try Replica(reader, "doc")
        let fill = String(repeating: "x", count: 50_000)
        for round in 1...200 {
            // Element by element, as others change them: no patch has the whole list.
            let steps = (0..<10).map { step -> JSONValue in
                let index = round * 10 + step - 10
                let path = JSONValue.string("/l/\(index)")
                return ["op": "replace", "path": path, "value": .int(index + 7)]
            }
            _ = try writer.dispatch("patch", .array(steps), store: "doc")
            let value = JSONValue.string("\(round)\(fill)")
            _ = try writer.dispatch("set", ["path": "/t", "value": value], store: "doc")
        }
        _ = try writer.dispatch("remove", ["path": "/t"], store: "doc")
        var bytes = 0
        while replica.rev < 402 {
            let frame = try reader.push { $0.op == "patch" }
            bytes = "\(frame)".utf8.count
            try replica.take(frame)
        }
        #expect(replica.state == ["l": numbers(7)])
        #expect(bytes < "\(replica.state)".utf8.count + 200)
    }
}
