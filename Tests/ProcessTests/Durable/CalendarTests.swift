import Foundation
import RexProtocol
import RexTesting
import Testing

/// A calendar that is set while the server runs.
@Suite(.ownThreads) struct CalendarTests {
    private let scratch: Scratch
    private let faults: Faults

    init() throws {
        scratch = try Scratch()
        faults = try Faults(in: scratch)
    }

    private func start() throws -> ServerProcess {
        try Programs.startServer(
            data: scratch.folder + "/data", environment: try faults.environment())
    }

    @Test func anIntervalNeitherHurriesNorStops() throws {
        defer { faults.remove() }
        let server = try start()
        let client = try LineClient(server)
        let replica = try Replica(client, "counter", "/ticks")
        let began = ContinuousClock.now
        _ = try client.dispatch("startTimer", ["dueTime_ms": 20, "period_ms": 20])
        var ticks = 3
        try replica.follow { $0.state.int ?? 0 >= ticks }
        // An hour forward, back to the present, an hour back.
        for jump in [3_600, 0, -3_600] {
            try faults.set("clock \(jump)")
            let now = try client.dispatch("add", 0)
            #expect(now.op == "ack")
            ticks = (replica.state.int ?? 0) + 10
            try replica.follow { $0.state.int ?? 0 >= ticks }
            let passed = (ContinuousClock.now - began) / .milliseconds(20)
            #expect(Double(replica.state.int ?? 0) <= passed + 1)
        }
        // The commits say what the calendar said: the jumps were real.
        let history = try client.ask(["op": "history", "store": "counter", "after": 0])
        let times = (history["entries"]?.array ?? []).filter { $0["action"]?["type"] == "add" }
            .compactMap { $0["at"]?.string?.prefix(13) }
        #expect(times.count == 3 && Set(times).count >= 3, "\(times)")
    }

    @Test(arguments: [3_600, -3_600]) func keysAndStatesOutliveAJump(seconds: Int) throws {
        defer { faults.remove() }
        var server = try start()
        var client = try LineClient(server)
        let epoch = try client.ask(["op": "get", "store": "counter"])["epoch"]
        _ = try client.dispatch("add", 1, with: ["key": "before"])
        try faults.set("clock \(seconds)")
        #expect(try client.dispatch("add", 1, with: ["key": "before"])["duplicate"] == true)
        _ = try client.dispatch("add", 2, with: ["key": "after"])
        // Down and up again while the calendar is wrong, then while it is right.
        for text in ["clock \(seconds)", ""] {
            try server.kill()
            try faults.set(text)
            server = try start()
            client = try LineClient(server)
            for (key, value) in [("before", 1), ("after", 2)] {
                let reply = try client.dispatch("add", .int(value), with: ["key": .string(key)])
                #expect(reply["duplicate"] == true, "\(key) after \(seconds): \(reply)")
            }
            let now = try client.ask(["op": "get", "store": "counter"])
            #expect(now["state"]?["count"] == 3 && now["epoch"] == epoch)
        }
        #expect(try server.stop() == .exited(0))
        #expect(try Programs.run([Programs.server, "verify", scratch.folder + "/data"]).code == 0)
    }

    /// A client whose connection ends has its ten seconds, whatever the calendar says.
    @Test func thoseWhoAreAwayAreWaitedForAsLongAsEver() throws {
        defer { faults.remove() }
        let server = try start()
        let watcher = try LineClient(server)
        var leaver: LineClient? = try LineClient(server)
        let session = try leaver?.ask(["op": "hello", "protocol": 1])["session"] ?? .null
        _ = try leaver?.dispatch("join", ["room": "general", "name": "ann"], store: "chat")
        leaver?.close()
        leaver = nil
        try faults.set("clock 3600")
        _ = try watcher.dispatch("add", 1)
        #expect(try watcher.state("chat", "/rooms/general/members").array?.count == 1)
        let back = try LineClient(server)
        let welcome = try back.ask(["op": "hello", "protocol": 1, "session": session])
        #expect(welcome.op == "welcome" && welcome["session"] == session, "\(welcome)")
        #expect(try back.state("chat", "/rooms/general/members").array?.count == 1)
    }
}
