import Foundation
import RexProtocol
import RexTesting
import Testing

/// How the server ends and begins again.
@Suite(.ownThreads) struct StoppingTests {
    private static let increment =
        "{\"op\":\"dispatch\",\"store\":\"counter\",\"action\":{\"type\":\"increment\"}}\n"

    @Test func underLoadNothingThatWasAckedIsLostAndAllAreToldGoodbye() throws {
        let server = try Programs.startServer()
        let watcher = try LineClient(server)
        let replica = try Replica(watcher, "counter", "/count")
        let listener = try LineClient(server)
        _ = try listener.ask(["op": "listen", "topic": "$server.>"])
        let idle = try LineClient(server)
        _ = try idle.ask(["op": "ping"])
        let writers = try (0..<8).map { _ in try LineClient(server) }
        let load = String(repeating: Self.increment, count: 500)
        for writer in writers { try writer.send(load) }
        // In the middle of it: some acks are there, most are not.
        #expect(try writers[0].frame().op == "ack")
        server.process.signal(SIGTERM)

        var acked = 0
        for writer in writers {
            let frames = try writer.rest()
            acked += frames.filter { $0.op == "ack" }.count
            #expect(frames.last?.op == "bye" && frames.last?.code == "shutting_down")
            #expect(frames.last?["reconnect"] == true)
        }
        acked += 1
        // Everything that had arrived was done, and everything that was done was told.
        #expect(acked == 4_000)
        var last: JSONValue = .null
        while let line = try watcher.line() {
            let frame = try RawJSON(parsing: line).value
            if frame.op == "patch" { last = frame["patch"]?[0]?["value"] ?? .null }
            if frame.op == "bye" { #expect(frame.code == "shutting_down") }
        }
        #expect(last.int == acked)
        _ = replica
        let told = try listener.rest()
        #expect(told.first?["topic"] == "$server.shutdown" && told.last?.op == "bye")
        #expect(try idle.rest().map(\.op) == ["bye"])
        #expect(try server.process.wait() == .exited(0))
    }

    @Test(arguments: [SIGTERM, SIGINT]) func aSignalEndsIt(signal: Int32) throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        _ = try client.ask(["op": "ping"])
        server.process.signal(signal)
        #expect(try client.frame().op == "bye")
        client.close()
        #expect(try server.process.wait(within: .seconds(4)) == .exited(0))
    }

    @Test func whoAwaitsEffectsThatTakeTooLongIsTold() throws {
        let server = try Programs.startServer(limits: "\"drain_ms\": 1500")
        let client = try LineClient(server)
        let fetch: JSONValue = ["type": "fetch", "payload": ["delay_ms": 9_000, "fail": false]]
        try client.send([
            "op": "dispatch", "id": "slow", "store": "counter", "await": "effects", "action": fetch,
        ])
        _ = try client.ask(["op": "ping"])
        server.process.signal(SIGTERM)
        let error = try client.frame()
        #expect(error["id"] == "slow" && error.code == "shutting_down" && error["rev"] == 1)
        #expect(try client.frame().op == "bye")
        #expect(try server.process.wait() == .exited(0))
    }

    @Test func aSecondSignalEndsItAtOnce() throws {
        let server = try Programs.startServer("--log-level", "notice")
        let client = try LineClient(server)
        // What awaits an effect that does not end keeps the server waiting.
        try client.send(
            """
            {"op":"dispatch","id":1,"store":"counter","await":"effects",\
            "action":{"type":"fetch","payload":{"delay_ms":80000000,"fail":false}}}

            """)
        #expect(try client.ask(["op": "ping"]).op == "pong")
        server.process.signal(SIGTERM)
        try server.process.errors(until: " stopping ")
        server.process.signal(SIGTERM)
        #expect(try server.process.wait(within: .seconds(4)) == .exited(1))
    }

    @Test func nobodyNewIsTakenWhileItStops() throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        try client.send(
            """
            {"op":"dispatch","id":1,"store":"counter","await":"effects",\
            "action":{"type":"fetch","payload":{"delay_ms":400,"fail":false}}}

            """)
        #expect(try client.ask(["op": "ping"]).op == "pong")
        server.process.signal(SIGTERM)
        try server.process.errors(until: " stopping ")
        #expect(throws: (any Error).self) { try LineClient(server).ask(["op": "ping"]) }
        // Who is owed an ack gets it, then the farewell.
        let rest = try client.rest()
        #expect(rest.map(\.op) == ["ack", "bye"])
        client.close()
        #expect(try server.process.wait() == .exited(0))
    }

    @Test func itIsThereAgainOnTheSamePortAtOnce() throws {
        var server = try Programs.startServer()
        let address = server.address
        for round in 1...3 {
            let clients = try (0..<5).map { _ in try LineClient(server) }
            for client in clients { #expect(try client.dispatch("increment").op == "ack") }
            if round == 2 {
                try server.kill()
            } else {
                server.process.signal(SIGTERM)
                for client in clients { _ = try client.rest() }
                #expect(try server.process.wait() == .exited(0))
            }
            server = try Programs.startServer(listen: [address])
            #expect(server.address == address)
            #expect(try LineClient(server).state("counter", "/count") == 0)
        }
    }

    @Test func aUnixSocketThatWasLeftBehindIsReplaced() throws {
        let scratch = try Scratch()
        let path = "\(scratch.folder)/socket"
        let first = try Programs.startServer(listen: ["unix:\(path)"])
        let taken = try Programs.run(
            [Programs.server, "--memory", "--listen", "unix:\(path)"])
        #expect(taken.code == 69 && taken.errors.contains("unix:\(path): address already in use"))
        #expect(try LineClient(path: path).ask(["op": "ping"]).op == "pong")
        try first.kill()
        #expect(FileManager.default.fileExists(atPath: path))
        let second = try Programs.startServer(listen: ["unix:\(path)"])
        #expect(try LineClient(path: path).ask(["op": "ping"]).op == "pong")
        #expect(try second.stop() == .exited(0))
    }

    @Test func whoReadsNothingDoesNotKeepItFromEnding() throws {
        let server = try Programs.startServer(limits: "\"drain_ms\": 1000, \"linger_ms\": 200")
        let client = try LineClient(server, receiveBuffer: 4_096)
        let text = JSONValue.string(String(repeating: "x", count: 400_000))
        _ = try client.dispatch("set", ["path": "/x", "value": text], store: "doc")
        for _ in 1...20 { try client.send(["op": "get", "store": "doc"]) }
        let other = try LineClient(server)
        _ = try other.ask(["op": "ping"])
        server.process.signal(SIGTERM)
        #expect(try other.rest().map(\.op) == ["bye"])
        #expect(try server.process.wait(within: .seconds(8)) == .exited(0))
    }

    @Test func aFileThatIsNoSocketIsLeftAlone() throws {
        let scratch = try Scratch()
        let path = try scratch.write("precious", to: "file")
        let taken = try Programs.run([Programs.server, "--memory", "--listen", "unix:\(path)"])
        #expect(taken.code == 69 && taken.errors.contains("address already in use"))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
        let nowhere = try Programs.run([
            Programs.server, "--memory", "--listen", "unix:\(scratch.folder)/no/socket",
        ])
        #expect(nowhere.code == 69 && nowhere.errors.contains("no such file or directory"))
    }
}
