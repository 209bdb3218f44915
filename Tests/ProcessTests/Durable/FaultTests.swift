import Foundation
import RexProtocol
import RexTesting
import Testing

/// Disks that fail under the running program, as anybody can let them.
@Suite(.ownThreads) struct FaultTests {
    private let scratch: Scratch
    private let faults: Faults

    init() throws {
        scratch = try Scratch()
        faults = try Faults(in: scratch)
    }

    /// What the disk says, in the file's words, and what must stand in the answer.
    enum Fault: String, CaseIterable, CustomTestStringConvertible {
        case full = "write 28"
        case broken = "write 5"
        case readOnly = "write 30"
        case notSynced = "sync 5"

        var testDescription: String { rawValue }
        var words: String {
            switch self {
            case .full: "disk is full"
            case .broken, .notSynced: "I/O error"
            case .readOnly: "cannot be stored"
            }
        }
    }

    private func line(_ number: Int) -> String {
        "{\"op\":\"dispatch\",\"id\":\(number),\"key\":\"k\(number)\",\"store\":\"doc\",\"action\":"
            + "{\"type\":\"append\",\"payload\":{\"path\":\"/list\",\"value\":\(number)}}}\n"
    }

    private func write(_ numbers: ClosedRange<Int>, _ client: LineClient) throws -> [JSONValue] {
        try client.send(numbers.map(line).joined())
        return try numbers.map { try client.reply(.int($0)) }
    }

    /// What is answered to all of them, or until the connection ends: it does for whoever was under
    /// way when the disk failed, and not for those who came later.
    private func offer(_ numbers: ClosedRange<Int>, _ server: ServerProcess) throws -> [JSONValue] {
        let client = try LineClient(server)
        try client.send(numbers.map(line).joined())
        var replies: [JSONValue] = []
        while replies.count < numbers.count, let line = try client.line() {
            replies.append(try RawJSON(parsing: line).value)
        }
        return replies
    }

    private func isReady(_ server: ServerProcess) throws -> Bool {
        try WebClient.ask(server, "GET", "/readyz").status == 200
    }

    private func waitUntilReady(_ server: ServerProcess) throws {
        let deadline = ContinuousClock.now + ChildProcess.patience
        while try !isReady(server) { try #require(ContinuousClock.now < deadline) }
    }

    private func start(limits: String = "") throws -> ServerProcess {
        try Programs.startServer(
            data: scratch.folder + "/data", limits: limits, environment: try faults.environment())
    }

    @Test(arguments: Fault.allCases) func whatFailsIsRefusedAndNothingElseIsTouched(
        fault: Fault
    ) throws {
        defer { faults.remove() }
        var server = try start()
        let replica = try Replica(try LineClient(server), "doc", "/list")
        for (reply, rev) in zip(try write(1...20, try LineClient(server)), 1...) {
            #expect(reply["rev"]?.int == rev)
        }
        try faults.set(fault.rawValue)
        let replies = try offer(21...30, server)
        #expect(replies.contains { $0.code == "overloaded" && $0["retry_ms"]?.int != nil })
        #expect(!replies.contains { $0.op == "ack" }, "\(replies)")
        #expect("\(replies)".contains(fault.words), "\(replies)")
        // Where the server keeps its files is nobody's business.
        #expect(!"\(replies)".contains(scratch.folder), "\(replies)")
        #expect(try !isReady(server))
        // Whoever watched has seen what is stored, and no more.
        #expect(throws: LineClient.Failure.self) { try replica.follow { _ in false } }
        #expect(replica.rev <= 20)
        try expectOnlyWhatIsStored(server)

        try faults.set("")
        try waitUntilReady(server)
        let client = try LineClient(server)
        let back = try Replica(
            client, "doc", "/list",
            ["since": ["epoch": .string(replica.epoch), "rev": .int(replica.rev)]])
        #expect(back.isResumed)
        back.state = replica.state
        for (reply, rev) in zip(try write(21...30, client), 21...) {
            #expect(reply["rev"]?.int == rev && reply["duplicate"] == nil, "\(reply)")
        }
        try back.follow { $0.rev == 30 }
        #expect(back.state.array?.compactMap(\.int) == Array(1...30))
        try expectUndoReachesBehindTheFailure(client)

        try server.kill()
        server = try Programs.startServer(data: scratch.folder + "/data")
        let after = try LineClient(server)
        #expect(try after.state("doc", "/list").array?.compactMap(\.int) == Array(1...30))
        for reply in try write(21...30, after) { #expect(reply["duplicate"] == true) }
        #expect(try server.stop() == .exited(0))
        let checked = try Programs.run([Programs.server, "verify", scratch.folder + "/data"])
        #expect(checked.code == 0, "\(checked.errors)")
    }

    /// State, hash, history and past agree on revision 20; nothing moves them.
    private func expectOnlyWhatIsStored(_ server: ServerProcess) throws {
        let reader = try LineClient(server)
        let get = try reader.ask(["op": "get", "store": "doc", "path": "/list"])
        #expect(get["rev"] == 20 && get["state"]?.array?.compactMap(\.int) == Array(1...20))
        let newest = try reader.ask(["op": "history", "store": "doc", "limit": 1])
        #expect(newest["entries"]?.array?.compactMap { $0["rev"]?.int } == [20])
        #expect(try reader.ask(["op": "hash", "store": "doc"])["rev"] == 20)
        #expect(try reader.ask(["op": "get", "store": "doc", "at": 7])["rev"] == 7)
        for move in ["undo", "redo", "jump"] {
            let reply = try reader.ask(["op": .string(move), "store": "doc", "rev": 3])
            #expect(reply.code == "overloaded", "\(move): \(reply)")
        }
        #expect(try reader.dispatch("increment").code == "overloaded")
        #expect(try reader.ask(["op": "hash", "store": "doc"])["rev"] == 20)
    }

    /// Undo goes over the place where the disk failed as if nothing had been there.
    private func expectUndoReachesBehindTheFailure(_ client: LineClient) throws {
        for count in (15..<30).reversed() {
            #expect(try client.ask(["op": "undo", "store": "doc"]).op == "ack")
            #expect(try client.state("doc", "/list").array?.count == count)
        }
        for _ in 15..<30 { #expect(try client.ask(["op": "redo", "store": "doc"]).op == "ack") }
        #expect(try client.ask(["op": "redo", "store": "doc"]).code == "rejected")
        #expect(try client.state("doc", "/list").array?.count == 30)
    }

    /// What could not be noted while the disk failed is noted when it goes again.
    @Test func clientsOfABadTimeLendTheirNamesToNobody() throws {
        defer { faults.remove() }
        func name(_ client: LineClient) throws -> Int {
            let hello = try client.ask(["op": "hello", "protocol": 1])
            return try #require(Int((hello["client"]?.string ?? "").dropFirst()))
        }
        try faults.set("")
        var server = try start()
        try faults.set(Fault.full.rawValue)
        _ = try name(try LineClient(server))
        _ = try offer(1...1, server)
        #expect(try !isReady(server))
        try faults.set("")
        try waitUntilReady(server)
        let client = try LineClient(server)
        let last = try name(client)
        #expect(try client.dispatch("increment").op == "ack")
        try server.kill()
        server = try start()
        #expect(try name(try LineClient(server)) > last)
    }

    /// Of the events that wait for a slow listener, which came of what was not stored is not known:
    /// all of them count as lost, and none is sent.
    @Test func aSlowListenerHearsNothingOfWhatWasNotStored() throws {
        defer { faults.remove() }
        let server = try start(limits: "\"outbox_bytes\": 100000, \"stall_ms\": 600000")
        let listener = try LineClient(server, receiveBuffer: 4_096)
        let topic: JSONValue = "chat.general"
        #expect(try listener.ask(["op": "listen", "topic": topic]).op == "listening")
        func say(_ text: String, _ client: LineClient) throws -> JSONValue {
            try client.dispatch(
                "send", ["room": "general", "text": .string(text)], store: "chat")
        }
        func join(_ name: String) throws -> LineClient {
            let client = try LineClient(server)
            let name = JSONValue.string(name)
            let ack = try client.dispatch("join", ["room": "general", "name": name], store: "chat")
            #expect(ack.op == "ack")
            return client
        }
        let ann = try join("ann")
        let text = String(repeating: "x", count: 4_000)
        let count = 1_500
        for number in 0..<count {
            try ann.send([
                "op": "dispatch", "id": .int(number), "store": "chat",
                "action": ["type": "send", "payload": ["room": "general", "text": .string(text)]],
            ])
        }
        for number in 0..<count { #expect(try ann.reply(.int(number)).op == "ack") }
        #expect(try server.metric("rex_events_dropped_total") > 0)
        try faults.set(Fault.full.rawValue)
        #expect(try say("never", ann).code == "overloaded")
        try faults.set("")
        try waitUntilReady(server)
        let bob = try join("bob")
        #expect(try say("after", bob).op == "ack")
        var (received, dropped) = (0, 0)
        var last = ""
        while last != "after" {
            let frame = try listener.frame()
            // Where the kernel took more meanwhile, the event was on its way and is held: then its
            // listener is turned away as everybody is who was owed what was not stored.
            if frame.op == "bye" {
                #expect(frame.code == "overloaded")
                return
            }
            dropped += frame["count"]?.int ?? 0
            guard frame.op == "event" else { continue }
            received += 1
            last = frame["data"]?["text"]?.string ?? "after"
            #expect(last == text || last == "after", "\(frame)")
        }
        // All that were said, the one that was taken back among them.
        #expect(received + dropped == count + 2)
        #expect(try server.metric("rex_events_dropped_total") == dropped)
    }

    /// More is under way than memory holds by its bounds.
    @Test func aShortHistoryReachesBackToWhatIsStored() throws {
        defer { faults.remove() }
        let server = try start(limits: "\"history_commits\": 4, \"snapshot_commits\": 5")
        _ = try write(1...10, try LineClient(server))
        for round in 0..<3 {
            try faults.set(Fault.notSynced.rawValue)
            #expect(try !offer((11 + round)...200, server).contains { $0.op == "ack" })
            let stored = try LineClient(server).state("doc", "/list").array?.count
            #expect(stored == 10 + round)
            try faults.set("")
            try waitUntilReady(server)
            let client = try LineClient(server)
            #expect(try write((11 + round)...(11 + round), client)[0].op == "ack")
        }
        try server.kill()
        let again = try Programs.startServer(data: scratch.folder + "/data")
        let list = try LineClient(again).state("doc", "/list").array?.compactMap(\.int)
        #expect(list == Array(1...13))
    }

    /// Killed while the disk takes nothing: what was promised is there, and the rest can be asked
    /// again.
    @Test(arguments: Fault.allCases) func anEndWhileTheDiskFailsLosesNothing(fault: Fault) throws {
        defer { faults.remove() }
        var server = try start()
        _ = try write(1...5, try LineClient(server))
        try faults.set(fault.rawValue)
        #expect(try !offer(6...9, server).contains { $0.op == "ack" })
        try server.kill()
        server = try Programs.startServer(data: scratch.folder + "/data")
        let client = try LineClient(server)
        for reply in try write(1...5, client) { #expect(reply["duplicate"] == true) }
        for reply in try write(6...9, client) { #expect(reply.op == "ack", "\(reply)") }
        #expect(try client.state("doc", "/list").array?.compactMap(\.int) == Array(1...9))
    }
}
