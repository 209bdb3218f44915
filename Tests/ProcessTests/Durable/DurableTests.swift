import Foundation
import RexProtocol
import RexTesting
import Testing

/// Stores that outlive the program.
@Suite(.ownThreads) struct DurableTests {
    private let scratch = try! Scratch()

    private func start(_ options: String..., limits: String = "") throws -> ServerProcess {
        try ServerProcess(
            program: Programs.server,
            options: ["--data", scratch.folder]
                + (limits.isEmpty
                    ? []
                    : ["--config", try scratch.write("{\"limits\": {\(limits)}}", to: "c.json")])
                + options)
    }

    private func end(_ server: ServerProcess, byKill: Bool) throws {
        if byKill { try server.kill() } else { #expect(try server.stop() == .exited(0)) }
    }

    @Test(arguments: [true, false]) func everythingIsThereAgain(byKill: Bool) throws {
        var server = try start()
        var client = try LineClient(server)
        let first = try client.dispatch("add", 5)
        #expect(first.op == "ack" && first["rev"] == 1)
        _ = try client.dispatch("add", 7, with: ["key": "seven"])
        _ = try client.dispatch("add", .int(.max), with: ["key": "too much"])
        _ = try client.ask(["op": "undo", "store": "counter"])
        let before = try client.ask(["op": "get", "store": "counter"])
        #expect(before["state"]?["count"] == 5 && before["rev"] == 3)
        try end(server, byKill: byKill)

        server = try start()
        client = try LineClient(server)
        let after = try client.ask(["op": "get", "store": "counter"])
        #expect(after["state"] == before["state"] && after["rev"] == 3)
        #expect(after["epoch"] == before["epoch"])
        // Keys, with what they were answered.
        let again = try client.dispatch("add", 7, with: ["key": "seven"])
        #expect(again["rev"] == 2 && again["duplicate"] == true)
        let refused = try client.dispatch("add", .int(.max), with: ["key": "too much"])
        #expect(refused.code == "rejected" && refused["duplicate"] == true)
        #expect(try client.dispatch("add", 8, with: ["key": "seven"]).code == "key_reused")
        // The cursor of undo and redo, and the whole past.
        #expect(try client.ask(["op": "redo", "store": "counter"])["rev"] == 4)
        #expect(try client.state("counter")["count"] == 12)
        let history = try client.ask(["op": "history", "store": "counter", "after": 0])
        #expect(history["entries"]?.array?.compactMap { $0["rev"]?.int } == [1, 2, 3, 4])
        #expect(history["entries"]?[1]?["action"] == ["type": "add", "payload": 7])
        #expect(history["entries"]?[2]?["travel"] == ["op": "undo", "to": 1])
        #expect(try client.ask(["op": "jump", "store": "counter", "rev": 0])["rev"] == 5)
        #expect(try server.stop() == .exited(0))
    }

    /// History knows clients by their ids: nobody is given that of another.
    @Test(arguments: [true, false]) func clientsAreNamedOnAcrossARestart(byKill: Bool) throws {
        var last = 0
        for _ in 1...3 {
            let server = try start()
            for _ in 1...2 {
                let client = try LineClient(server)
                let name = try client.ask(["op": "hello", "protocol": 1])["client"]?.string ?? ""
                let number = try #require(Int(name.dropFirst()))
                #expect(number > last && (byKill || number <= last + 3), "\(name) after \(last)")
                last = number
                _ = try client.dispatch("add", 1)
            }
            try end(server, byKill: byKill)
        }
        let server = try start()
        let history = try LineClient(server).ask(["op": "history", "store": "counter", "after": 0])
        let authors = (history["entries"]?.array ?? []).compactMap { $0["from"]?["client"]?.string }
        #expect(authors.count == 6 && Set(authors).count == 6, "\(authors)")
        try end(server, byKill: byKill)
        try expectNamingGoesOnInACopy(behind: last)
    }

    /// Written out and read in, history still knows them.
    private func expectNamingGoesOnInACopy(behind last: Int) throws {
        let lines = try Programs.run([Programs.server, "export", scratch.folder]).output
        let copy = try Scratch()
        let read = try Programs.run([Programs.server, "import", copy.folder], input: lines)
        #expect(read.code == 0, "\(read.errors)")
        let server = try Programs.startServer(data: copy.folder)
        let hello = try LineClient(server).ask(["op": "hello", "protocol": 1])
        let number = try #require(Int((hello["client"]?.string ?? "").dropFirst()))
        #expect(number > last, "\(number) after \(last)")
        #expect(try server.stop() == .exited(0))
    }

    /// The journal is closed while effects would still commit.
    @Test func aStoreThatCommitsByItselfIsStoppedInOrder() throws {
        let server = try start()
        let client = try LineClient(server)
        #expect(
            try client.dispatch("startTimer", ["dueTime_ms": 1, "period_ms": 1]).op == "ack")
        _ = try client.ask(["op": "subscribe", "store": "counter"])
        for _ in 1...20 { _ = try client.frame() }
        #expect(try server.stop() == .exited(0))
        let again = try start()
        #expect(try LineClient(again).state("counter")["isRunning"] == false)
        #expect(try again.stop() == .exited(0))
    }

    /// What is no longer held is gone, also where memory begins at the present after a start.
    @Test func historyBehindWhatIsHeldIsGoneAfterAStart() throws {
        let limits = "\"journal_commits\": 60, \"snapshot_commits\": 20, \"history_commits\": 30"
        var server = try start(limits: limits)
        var client = try LineClient(server)
        // With the alert at 10 that is one more.
        for _ in 1...200 { _ = try client.dispatch("increment") }
        #expect(try server.stop() == .exited(0))
        server = try start(limits: limits)
        client = try LineClient(server)
        let early = try client.ask(["op": "history", "store": "counter", "after": 1])
        #expect(early.code == "gone" && early["at"] == "/after")
        let late = try client.ask(["op": "history", "store": "counter", "after": 196])
        #expect(late["entries"]?.array?.compactMap { $0["rev"]?.int } == [197, 198, 199, 200, 201])
        #expect(try server.stop() == .exited(0))
    }

    @Test func whoWasThereIsGoneAndWhatRanIsNotClaimed() throws {
        var server = try start()
        var client = try LineClient(server)
        _ = try client.dispatch("join", ["room": "general", "name": "ann"], store: "chat")
        _ = try client.dispatch("typing", ["room": "general"], store: "chat")
        _ = try client.dispatch("startTimer", ["dueTime_ms": 60_000, "period_ms": 60_000])
        try server.kill()
        server = try start()
        client = try LineClient(server)
        let room = try client.state("chat", "/rooms/general")
        #expect(room["members"] == [] && room["typing"] == [])
        #expect(try client.state("counter")["isRunning"] == false)
        // The name is free.
        let ack = try client.dispatch("join", ["room": "general", "name": "ann"], store: "chat")
        #expect(ack.op == "ack")
    }

    /// What memory has let go of: it holds 8 commits, the journal all.
    @Test func thePastComesFromTheJournal() throws {
        let limits = "\"history_commits\": 8, \"snapshot_commits\": 20"
        var server = try start(limits: limits)
        var client = try LineClient(server)
        for number in 1...50 { _ = try client.dispatch("add", .int(100 * number)) }
        let epoch = try client.ask(["op": "get", "store": "counter"])["epoch"] ?? .null
        for _ in 0..<2 {
            for revision in [0, 1, 19, 20, 21, 33, 50] {
                let reply = try client.ask(["op": "get", "store": "counter", "at": .int(revision)])
                #expect(reply["state"]?["count"] == .int(50 * revision * (revision + 1)))
            }
            let diff = try client.ask(["op": "diff", "store": "counter", "from": 3, "to": 30])
            let change: JSONValue = ["op": "replace", "path": "/count", "value": 46_500]
            #expect(diff["patch"] == [change])
            let page = try client.ask(
                ["op": "history", "store": "counter", "after": 10, "limit": 3])
            #expect(page["entries"]?.array?.compactMap { $0["rev"]?.int } == [11, 12, 13])
            let newest = try client.ask(["op": "history", "store": "counter", "limit": 30])
            #expect(newest["entries"]?.array?.compactMap { $0["rev"]?.int } == Array(21...50))
            let blame = try client.ask([
                "op": "history", "store": "counter", "path": "/ticks", "after": 0,
            ])
            #expect(blame["entries"] == [])
            let replica = try Replica(
                client, "counter", "", ["since": ["epoch": epoch, "rev": 2]])
            #expect(replica.isResumed)
            replica.state = ["count": 300]
            try replica.follow { $0.rev == 50 }
            #expect(replica.state["count"] == 127_500)
            try server.kill()
            server = try start(limits: limits)
            client = try LineClient(server)
        }
        // Requests that wait for the journal keep their place.
        try client.send(
            """
            {"op":"get","store":"counter","id":1,"path":"/count","at":5}
            {"op":"ping","id":2}
            {"op":"get","store":"counter","id":3,"path":"/count","at":6}

            """)
        for id in 1...3 { #expect(try client.frame()["id"]?.int == id) }
        #expect(try client.ask(["op": "jump", "store": "counter", "rev": 4])["rev"] == 51)
        #expect(try client.state("counter")["count"] == 1_000)
        let fork = try client.ask(["op": "fork", "store": "counter", "at": 3, "as": "copy"])
        #expect(fork["store"] == "copy" && fork["rev"] == 0)
        let http = try WebClient.ask(server, "GET", "/stores/counter/state?path=/count&at=7")
        #expect(http.json["state"] == 2_800)
    }

    @Test func whatIsPrunedIsGone() throws {
        let server = try start(
            limits: "\"history_commits\": 8, \"snapshot_commits\": 10, \"journal_commits\": 25")
        let client = try LineClient(server)
        let epoch = try client.ask(["op": "get", "store": "counter"])["epoch"] ?? .null
        for number in 1...200 { _ = try client.dispatch("add", .int(number)) }
        // Old commits go with the snapshots, which are made beside the commits.
        var first = 3
        let deadline = ContinuousClock.now + LineClient.patience
        while true {
            try #require(ContinuousClock.now < deadline, "\(first)")
            let reply = try client.ask(["op": "get", "store": "counter", "at": .int(first)])
            if reply.op == "state", first >= 140 { break }
            if reply.op == "state" {
                _ = try client.dispatch("add", 0)
            } else {
                #expect(reply.code == "gone")
                let words = reply["message"]?.string ?? ""
                first = words.split(separator: " ").last.flatMap { Int($0) } ?? -1
            }
        }
        let last = try client.ask(["op": "get", "store": "counter"])["rev"]?.int ?? 0
        #expect(first > 3 && first < last, "\(first) \(last)")
        let page = try client.ask(["op": "history", "store": "counter", "after": .int(first - 1)])
        #expect(page.code == "gone")
        let old = try Replica(client, "counter", "", ["since": ["epoch": epoch, "rev": 3]])
        #expect(!old.isResumed)
    }

    @Test func oneServerAtATime() throws {
        let server = try start()
        let ended = try Programs.run([
            Programs.server, "--data", scratch.folder, "--listen", "127.0.0.1:0",
        ])
        #expect(ended.code == 74 && ended.output.isEmpty)
        #expect(
            ended.errors
                == "rex-server: \(scratch.folder) is in use by process \(server.process.pid)\n")
        #expect(try LineClient(server).dispatch("increment").op == "ack")
    }

    @Test func aNewerFileIsRefused() throws {
        try start().stop()
        let file = scratch.folder + "/journal.sqlite"
        // The version of the tables stands in bytes 60 to 63 of the file.
        var bytes = try Data(contentsOf: URL(filePath: file))
        bytes[63] = 200
        try bytes.write(to: URL(filePath: file))
        let ended = try Programs.run([
            Programs.server, "--data", scratch.folder, "--listen", "127.0.0.1:0",
        ])
        #expect(ended.code == 74)
        #expect(ended.errors.contains("version 200"))
    }

    @Test func whereNothingCanBeKeptItDoesNotStart() throws {
        let ended = try Programs.run([
            Programs.server, "--data", "/proc/rex", "--listen", "127.0.0.1:0",
        ])
        #expect(ended.code == 74)
        #expect(ended.errors.contains("/proc/rex cannot be made"))
    }

    @Test func anAckThatAsksForItWaitsForTheDiskWhereOthersDoNot() throws {
        var server = try start("--durability", "async")
        var client = try LineClient(server)
        let epoch = try client.ask(["op": "get", "store": "counter"])["epoch"]
        _ = try client.dispatch("add", 1)
        #expect(try client.dispatch("add", 2, with: ["await": "durable"])["rev"] == 2)
        try server.kill()
        server = try start("--durability", "async")
        client = try LineClient(server)
        #expect(try client.state("counter")["count"] == 3)
        // Somebody may have seen more than is there.
        let next = try client.ask(["op": "get", "store": "counter"])["epoch"]
        #expect(next != epoch)
        // An end in order leaves no doubt.
        _ = try client.dispatch("add", 4)
        #expect(try server.stop() == .exited(0))
        server = try start()
        client = try LineClient(server)
        #expect(try client.state("counter")["count"] == 7)
        #expect(try client.ask(["op": "get", "store": "counter"])["epoch"] == next)
    }

    /// What the kernel is asked for, in order: no answer before the disk has said yes.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace"), "strace"))
    func theDiskComesBeforeTheAck() throws {
        let trace = scratch.folder + "/trace"
        let server = try ServerProcess(
            program: Programs.server, options: ["--data", scratch.folder + "/data"],
            prefix: [
                "/usr/bin/strace", "-D", "-f", "-s", "200", "-o", trace, "-e",
                "trace=fsync,fdatasync,write,writev,sendto,sendmsg",
            ])
        let client = try LineClient(server)
        for number in 1...20 {
            _ = try client.dispatch("add", .int(number), with: ["key": .string("k\(number)")])
        }
        #expect(try server.stop() == .exited(0))
        var text = ""
        let deadline = ContinuousClock.now + ChildProcess.patience
        while !text.contains("+++ exited with 0 +++\n"), ContinuousClock.now < deadline {
            text = try String(contentsOfFile: trace, encoding: .utf8)
        }
        let calls = text.split(separator: "\n")
        var isStored = true
        var acks = 0
        for call in calls {
            // The next answer needs the next end of a sync.
            if call.contains("sync"), call.hasSuffix("= 0") { isStored = true }
            if call.contains("\\\"op\\\":\\\"ack\\\"") {
                #expect(isStored, "\(call)")
                isStored = false
                acks += 1
            }
        }
        #expect(acks == 20)
    }
}
