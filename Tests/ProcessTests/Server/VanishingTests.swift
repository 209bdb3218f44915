import Foundation
import RexProtocol
import RexTesting
import Testing

/// Clients that go without a word, in every way in which they can.
@Suite(.ownThreads) struct VanishingTests {
    private let server: ServerProcess
    private let watcher: LineClient
    private let members: Replica

    init() throws {
        server = try Programs.startServer()
        watcher = try LineClient(server)
        members = try Replica(watcher, "chat", "/rooms/general/members")
    }

    private func join(_ name: String) throws -> LineClient {
        let client = try LineClient(server)
        let join: JSONValue = ["room": "general", "name": .string(name)]
        #expect(try client.dispatch("join", join, store: "chat").op == "ack")
        _ = try Replica(client, "chat")
        try members.follow { $0.state == [.string(name)] }
        return client
    }

    @Test func inTheMiddleOfAFrame() throws {
        for (round, ends) in [LineClient.close, LineClient.reset].enumerated() {
            let client = try join("ann\(round)")
            try client.send("{\"type\":\"send\",\"payload\":{\"room\":\"general\",\"te")
            ends(client)()
            try members.follow { $0.state == [] }
        }
        #expect(try watcher.state("chat", "/rooms/general/messages") == [])
    }

    @Test func withUnreadInput() throws {
        let client = try join("ann")
        for _ in 1...100 { try client.send(["op": "get"]) }
        client.close()
        try members.follow { $0.state == [] }
    }

    @Test func byAResetAfterTheEndOfTheInput() throws {
        let client = try join("ann")
        client.finish()
        // The server takes the end of the input for what it is and goes on telling.
        _ = try client.push { $0.op == "ping" }
        client.reset()
        try members.follow { $0.state == [] }
    }

    @Test func whileTheyAreWrittenTo() throws {
        let client = try join("ann")
        for round in 1...20 {
            let reader = try LineClient(server, receiveBuffer: 4_096)
            _ = try Replica(reader, "doc")
            for n in 1...10 {
                let text = String(repeating: "\(n % 10)", count: 50_000)
                try client.send([
                    "op": "dispatch", "store": "doc", "ack": false,
                    "action": ["type": "set", "payload": ["path": "/x", "value": .string(text)]],
                ])
            }
            if round % 2 == 0 { reader.reset() } else { reader.close() }
        }
        #expect(try client.ask(["op": "ping"]).op == "pong")
        #expect(try client.ask(["op": "get", "store": "doc", "path": "/x"])["rev"] == 200)
        #expect(server.process.isRunning)
    }

    /// A host that is switched off says nothing; the kernel asks for it.
    @Test func theKernelWatchesOverEveryConnection() throws {
        let client = try LineClient(server)
        _ = try client.ask(["op": "ping"])
        // Not by Foundation, which takes the first short read of such a file for its end.
        let table = try Programs.run(["cat", "/proc/net/tcp"]).output
        let port = String(format: ":%04X", server.port)
        let rows = table.split(separator: "\n").map { $0.split(separator: " ") }
        let ours = rows.filter { $0.count > 5 && $0[1].hasSuffix(port) && $0[3] == "01" }
        #expect(ours.count >= 2)
        // 02 is the timer of keep-alive; 01 one of a packet that is still under way.
        #expect(ours.contains { $0[5].hasPrefix("02:") })
    }
}
