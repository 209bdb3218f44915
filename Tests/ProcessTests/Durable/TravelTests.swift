import Foundation
import RexProtocol
import RexTesting
import Testing

/// Undo, redo and jump on stores that outlive the program: as on one that has never ended.
@Suite(.ownThreads) struct TravelTests {
    private let scratch: Scratch
    private let faults: Faults

    init() throws {
        scratch = try Scratch()
        faults = try Faults(in: scratch)
    }

    private func start(_ limits: String) throws -> ServerProcess {
        try Programs.startServer(
            data: scratch.folder + "/data", limits: limits, environment: try faults.environment())
    }

    /// What is answered, and the state behind it.
    private func travel(_ op: JSONValue, _ client: LineClient) throws -> [JSONValue] {
        let reply =
            if let number = op.int {
                try client.dispatch("add", .int(number))
            } else if let target = op["jump"] {
                try client.ask(["op": "jump", "store": "counter", "rev": target])
            } else {
                try client.ask(["op": op, "store": "counter"])
            }
        return [
            reply["rev"] ?? .null, .string(reply.code ?? ""), try client.state("counter", "/count"),
        ]
    }

    /// Every commit brings a snapshot, each second or third one does, or none.
    @Test(arguments: [1, 2, 3, 100]) func aRestartBetweenAnyTwoStepsIsNotSeen(commits: Int) throws {
        let twin = try Programs.startServer()
        let other = try LineClient(twin)
        let steps: [JSONValue] = [
            1, 2, 4, "undo", "undo", "redo", ["jump": 1], "undo", "redo", 8, "undo", "undo", "redo",
            ["jump": 0], "undo", "redo", "redo",
        ]
        for step in steps {
            let server = try start("\"snapshot_commits\": \(commits)")
            let found = try travel(step, try LineClient(server))
            #expect(try found == travel(step, other), "\(step)")
            #expect(try server.stop() == .exited(0))
        }
    }

    /// What was undone below what memory holds is known there too.
    @Test(arguments: [false, true]) func aDiskThatFailedTakesNoStepBack(restarts: Bool) throws {
        defer { faults.remove() }
        let limits = "\"history_commits\": 4, \"snapshot_commits\": 5"
        var server = try start(limits)
        var client = try LineClient(server)
        for number in 1...10 { _ = try client.dispatch("add", .int(number)) }
        if restarts {
            #expect(try server.stop() == .exited(0))
            server = try start(limits)
            client = try LineClient(server)
        }
        for _ in 1...3 { _ = try travel("undo", client) }
        #expect(try client.state("counter", "/count") == 28)
        try faults.set("write 28")
        // Whoever has the failure under way is cut off.
        _ = try? client.dispatch("add", 100)
        try faults.set("")
        let deadline = ContinuousClock.now + ChildProcess.patience
        while try WebClient.ask(server, "GET", "/readyz").status != 200 {
            try #require(ContinuousClock.now < deadline)
        }
        client = try LineClient(server)
        for (step, count) in [("undo", 21), ("redo", 28), ("redo", 36), ("redo", 45), ("undo", 36)]
        {
            let found = try travel(.string(step), client)
            #expect(found[1] == "" && found[2].int == count, "\(step): \(found)")
        }
    }
}
