import Foundation
import RexProtocol
import RexTesting
import Testing

/// Many clients, one truth: replicas that follow by patches end up equal, whatever came between.
@Suite(.ownThreads) struct ConvergenceTests {
    @Test func twoWhoChangeTheSameDocumentConverge() throws {
        let server = try Programs.startServer()
        let clients = [try LineClient(server), try LineClient(server)]
        let replicas = [
            try Replica(clients[0], "doc"),
            try Replica(clients[1], "doc", "", ["throttle_ms": 20]),
        ]
        var random = SeededRandom(seed: 7)
        for round in 0..<200 {
            let client = clients[round % 2]
            let key = "k\(Int.random(in: 0..<8, using: &random))"
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                let value: JSONValue = ["n": .int(round), "l": [1, 2, 3], "t": "ü/~\"\u{1}"]
                _ = try client.dispatch(
                    "set", ["path": .string("/a/\(key)"), "value": value], store: "doc")
            case 1:
                _ = try client.dispatch(
                    "increment", ["path": .string("/n/\(key)"), "by": .int(round)], store: "doc")
            case 2:
                let value: JSONValue = [.int(round), ["x/y~z": .null]]
                _ = try client.dispatch(
                    "append", ["path": .string("/l/\(key)"), "value": value], store: "doc")
            case 3:
                let merge: JSONValue = ["a": .object([key: ["n": .null, "m": .double(0.5)]])]
                _ = try client.dispatch("merge", merge, store: "doc")
            case 4:
                _ = try client.dispatch("remove", ["path": .string("/a/\(key)")], store: "doc")
            default:
                let steps: JSONValue = [
                    ["op": "add", "path": "/list", "value": [.int(round), 2, 3, 4]],
                    ["op": "move", "from": "/list/0", "path": "/list/3"],
                    ["op": "remove", "path": "/list/1"],
                ]
                _ = try client.dispatch("patch", steps, store: "doc")
            }
        }
        let truth = try clients[0].ask(["op": "hash", "store": "doc"])
        let rev = try #require(truth["rev"]?.int)
        #expect(rev > 100)
        for replica in replicas {
            try replica.follow { $0.rev == rev || $0.state == replicas[0].state && $0.rev > 0 }
            #expect(try replica.state.hash == truth["hash"]?.string)
        }
        #expect(replicas[1].frames <= replicas[0].frames)
    }

    @Test func aHundredClientsWithAHundredActionsEach() throws {
        let server = try Programs.startServer()
        let clients = try (0..<100).map { _ in try LineClient(server) }
        let replicas = try clients.map { try Replica($0, "doc") }
        let actions = (0..<100).map { number in
            "{\"op\":\"dispatch\",\"id\":\"d\(number)\",\"store\":\"doc\",\"action\":"
                + "{\"type\":\"increment\",\"payload\":{\"path\":\"/n\(number % 10)\",\"by\":1}}}\n"
        }
        let batch = actions.joined()
        for client in clients { try client.send(batch) }
        for (client, replica) in zip(clients, replicas) {
            var acks = 0
            var last = 0
            while acks < 100 {
                let frame = try client.push { $0.op == "ack" || $0.op == "error" }
                #expect(frame.op == "ack" && frame["id"]?.string == "d\(acks)")
                let rev = frame["rev"]?.int ?? 0
                #expect(rev > last)
                last = rev
                acks += 1
            }
            try replica.follow { $0.rev >= last }
        }
        let truth = try clients[0].ask(["op": "hash", "store": "doc"])
        #expect(truth["rev"] == 10_000)
        for replica in replicas { try replica.follow { $0.rev == 10_000 } }
        let first = replicas[0].state
        #expect(first["n0"] == 1_000 && first["n9"] == 1_000)
        #expect(replicas.allSatisfy { $0.state == first })
        #expect(try first.hash == truth["hash"]?.string)
    }

    @Test func subscribingInAStormLeavesNoGap() throws {
        let server = try Programs.startServer()
        let writer = try LineClient(server)
        let append =
            "{\"op\":\"dispatch\",\"ack\":false,\"store\":\"doc\",\"action\":"
            + "{\"type\":\"append\",\"payload\":{\"path\":\"/l\",\"value\":1}}}\n"
        var replicas: [Replica] = []
        for round in 1...30 {
            try writer.send(String(repeating: append, count: 20))
            let path = ["", "/l", "/l/0"][round % 3]
            replicas.append(try Replica(try LineClient(server), "doc", path))
        }
        let list = try writer.state("doc", "/l")
        #expect(list.array?.count == 600)
        for replica in replicas {
            try replica.follow { [["l": list], list, 1].contains($0.state) }
        }
    }

    @Test func aWatcherReadsItsOwnWrites() throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        let replica = try Replica(client, "counter", "/count")
        for _ in 1...100 {
            try client.send(["op": "dispatch", "store": "counter", "action": ["type": "increment"]])
        }
        var acks = 0
        while acks < 100 {
            let ack = try client.push { $0.op == "ack" }
            acks += 1
            // Whatever came before the ack is enough to be at its revision.
            let rev = try #require(ack["rev"]?.int)
            try replica.follow(within: .milliseconds(0)) { $0.rev >= rev }
        }
        #expect(replica.state == 100)
    }

    // MARK: From a shell

    private func shell(_ script: String, _ server: ServerProcess) throws -> Programs.Ended {
        try Programs.run(["/bin/sh", "-c", "PORT=\(server.port); " + script])
    }

    @Test func oneLineOfShellIsAClient() throws {
        let server = try Programs.startServer()
        let join = try shell(
            #"echo '{"type":"join","payload":{"room":"general","name":"ann"}}'"#
                + " | nc -N 127.0.0.1 $PORT", server)
        #expect(join.code == 0 && join.output == "{\"op\":\"ack\",\"store\":\"chat\",\"rev\":1}\n")
        let many = try shell(
            "for n in 1 2 3; do "
                + #"echo '{"type":"add","payload":'$n',"store":"counter","id":'$n'}'; done"#
                + " | nc -N 127.0.0.1 $PORT", server)
        #expect(many.lines.count == 3)
        #expect(many.lines[2] == "{\"op\":\"ack\",\"id\":3,\"store\":\"counter\",\"rev\":3}")
        // No line feed at the end, and Windows line ends.
        let bare = try shell(
            #"printf '{"op":"ping","id":1}\r\n\r\n{"op":"ping","id":2}' | nc -N 127.0.0.1 $PORT"#,
            server)
        #expect(bare.output == "{\"op\":\"pong\",\"id\":1}\n{\"op\":\"pong\",\"id\":2}\n")
        let pipe = try shell(
            #"printf '{"op":"get","store":"counter","path":"/count"}' | nc -N 127.0.0.1 $PORT"#
                + #" | sed 's/.*"state"://; s/}$//'"#, server)
        #expect(pipe.output == "6\n")
        let bash = try Programs.run([
            "/bin/bash", "-c",
            #"exec 3<>/dev/tcp/127.0.0.1/$0; echo '{"op":"ping"}' >&3; "#
                + #"read -r line <&3; echo "$line""#,
            "\(server.port)",
        ])
        #expect(bash.output == "{\"op\":\"pong\"}\n")
    }

    @Test func halfClosedStillGetsEveryReplyInOrder() throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        for id in 0..<500 {
            try client.send(
                id % 3 == 0
                    ? ["op": "ping", "id": .int(id)]
                    : [
                        "op": "dispatch", "id": .int(id), "store": "counter",
                        "action": ["type": "increment"],
                    ])
        }
        client.finish()
        #expect(try client.rest().map { $0["id"]?.int } == (0..<500).map { $0 })
    }
}
