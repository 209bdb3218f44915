import Foundation
import RexProtocol
import RexTesting
import Testing

/// The journal for those who look after it: written out, read in, copied, checked, and damaged.
@Suite(.ownThreads) struct ArchiveTests {
    private let scratch = try! Scratch()
    private var data: String { scratch.folder + "/data" }

    private func rex(_ words: String..., input: String = "") throws -> Programs.Ended {
        try Programs.run([Programs.server] + words, input: input)
    }

    /// Some of everything that a journal holds.
    private func play(_ server: ServerProcess) throws {
        let client = try LineClient(server)
        _ = try client.dispatch("join", ["room": "general", "name": "ann"], store: "chat")
        for number in 1...30 {
            let text = JSONValue.string("message \(number)")
            _ = try client.dispatch("send", ["room": "general", "text": text], store: "chat")
            _ = try client.dispatch("add", .int(number * 100), with: ["key": .string("k\(number)")])
        }
        _ = try client.dispatch("typing", ["room": "general"], store: "chat")
        _ = try client.ask(["op": "undo", "store": "counter"])
        _ = try client.ask(["op": "jump", "store": "counter", "rev": 3])
        _ = try client.dispatch("set", ["path": "/lamp", "value": ["on": true]], store: "doc")
        _ = try client.dispatch("increment", ["path": "/n", "by": 0.1], store: "doc")
    }

    private func hashes(_ server: ServerProcess) throws -> [JSONValue?] {
        let client = try LineClient(server)
        return try ["chat", "counter", "doc"].flatMap { name -> [JSONValue?] in
            let reply = try client.ask(["op": "hash", "store": .string(name)])
            return [reply["rev"], reply["hash"]]
        }
    }

    @Test func whatCannotBeWrittenOutIsSaid() throws {
        let server = try Programs.startServer(data: data)
        try play(server)
        #expect(try server.stop() == .exited(0))
        for words in ["export \(data)", "verify \(data)", "--help", "verify --help", "--version"] {
            let ended = try Programs.run(
                ["/bin/sh", "-c", "exec \(Programs.server) \(words) > /dev/full"])
            #expect(ended.code == 1, "\(words)")
            #expect(ended.errors.contains("standard output cannot be written: No space left"))
        }
    }

    @Test func whatIsWrittenOutCanBeReadIn() throws {
        var server = try Programs.startServer(data: data)
        try play(server)
        // While it runs.
        let early = try rex("export", data)
        #expect(early.code == 0 && early.lines.count > 60)
        for line in early.lines { _ = try RawJSON(parsing: line) }
        #expect(try server.stop() == .exited(0))

        let export = try rex("export", data)
        let copy = scratch.folder + "/copy"
        let imported = try rex("import", copy, input: export.output)
        #expect(imported.code == 0, "\(imported.errors)")
        #expect(imported.errors.contains("commits of chat, counter, doc"))
        // But for the epochs, which are new, the copy is written out alike.
        let again = try rex("export", copy)
        #expect(again.lines.count == export.lines.count)
        for (one, other) in zip(export.lines, again.lines) where !one.contains("\"epoch\"") {
            #expect(one == other)
        }
        let checked = try rex("verify", copy)
        #expect(checked.code == 0, "\(checked.errors)")
        server = try Programs.startServer(data: data)
        let before = try hashes(server)
        #expect(try server.stop() == .exited(0))
        server = try Programs.startServer(data: copy)
        #expect(try hashes(server) == before)
        let client = try LineClient(server)
        #expect(try client.dispatch("add", 100, with: ["key": "k1"])["duplicate"] == true)
        #expect(try client.ask(["op": "undo", "store": "counter"]).op == "ack")

        // Not over something that is there, and nothing half.
        #expect(try rex("import", copy, input: export.output).code == 74)
        let cut = export.lines.enumerated().filter { $0.offset != 5 }.map(\.element)
        let broken = try rex(
            "import", scratch.folder + "/broken", input: cut.joined(separator: "\n") + "\n")
        #expect(broken.code == 74 && broken.errors.contains("line 6: revision"))
        let files = try FileManager.default.contentsOfDirectory(
            atPath: scratch.folder + "/broken")
        #expect(files == ["lock"])
    }

    @Test func aCopyIsMadeWhileItIsInUse() throws {
        let server = try Programs.startServer(data: data)
        try play(server)
        let target = scratch.folder + "/backup"
        let ended = try rex("backup", data, target)
        #expect(ended.code == 0, "\(ended.errors)")
        let before = try hashes(server)
        let epoch = try LineClient(server).ask(["op": "get"])["epoch"]
        // The server goes on, the copy does not follow.
        _ = try LineClient(server).dispatch("increment")
        let copy = try Programs.startServer(data: target)
        let held = try hashes(copy)
        #expect(held[3] == before[3] && held[5] == before[5])
        #expect(try LineClient(copy).ask(["op": "get"])["epoch"] != epoch)
        #expect(try rex("backup", data, target).code == 74)
    }

    @Test func whatWasReducedIsReducedAgain() throws {
        let server = try Programs.startServer(data: data)
        try play(server)
        #expect(try server.stop() == .exited(0))
        let good = try rex("verify", data)
        #expect(good.code == 0, "\(good.errors)")
        #expect(good.lines.count == 3 && good.output.contains("counter: 32 commits"))
        // Somebody changes what an action did.
        let export = try rex("export", data)
        let changed = export.output.replacing(
            "{\"op\":\"replace\",\"path\":\"/count\",\"value\":1000}",
            with: "{\"op\":\"replace\",\"path\":\"/count\",\"value\":1001}")
        #expect(changed != export.output)
        let other = scratch.folder + "/other"
        #expect(try rex("import", other, input: changed).code == 0)
        let bad = try rex("verify", other)
        #expect(bad.code == 1)
        #expect(bad.errors.contains("counter: revision 4 differs"))
        #expect(bad.errors.contains("\"payload\":400") && bad.errors.contains("1001"))
    }

    @Test func damageIsSaidAndGoneOnWithOnlyWhenThatIsAsked() throws {
        var server = try Programs.startServer(data: data, "--stores", "doc")
        var client = try LineClient(server)
        let text = String(repeating: "rex ", count: 100)
        for number in 1...600 {
            let value = JSONValue.string("\(number) \(text)")
            _ = try client.dispatch("set", ["path": "/text", "value": value], store: "doc")
        }
        let epoch = try client.ask(["op": "get"])["epoch"]
        #expect(try server.stop() == .exited(0))
        let file = data + "/journal.sqlite"
        var bytes = try Data(contentsOf: URL(filePath: file))
        let middle = bytes.count / 2
        for offset in middle..<(middle + 20_000) { bytes[offset] = 0x5A }
        try bytes.write(to: URL(filePath: file))

        let refused = try Programs.run([
            Programs.server, "--data", data, "--stores", "doc", "--listen", "127.0.0.1:0",
        ])
        #expect(refused.code == 74 && refused.output.isEmpty)
        #expect(refused.errors.contains("store doc: "))
        #expect(refused.errors.contains("would be lost; --accept-loss"), "\(refused.errors)")
        // It is as it was: whoever asked for nothing has lost nothing.
        #expect(try Data(contentsOf: URL(filePath: file)) == bytes)

        server = try Programs.startServer(data: data, "--stores", "doc", "--accept-loss")
        client = try LineClient(server)
        let now = try client.ask(["op": "get", "path": "/text"])
        let rev = try #require(now["rev"]?.int)
        #expect(rev > 50 && rev < 600)
        #expect(now["state"]?.string == "\(rev) \(text)")
        #expect(now["epoch"] != epoch)
        #expect(
            try client.dispatch("set", ["path": "/on", "value": true], store: "doc").op == "ack")
        #expect(try server.stop() == .exited(0))
        #expect(server.process.errorText.contains("would be lost"))
        let files = try FileManager.default.contentsOfDirectory(atPath: data)
        let aside = try #require(
            files.first { $0.hasPrefix("damaged-") && $0.hasSuffix(".sqlite") })
        #expect(try Data(contentsOf: URL(filePath: "\(data)/\(aside)")).count == bytes.count)
        #expect(try rex("verify", data).code == 0)
    }

    /// Between the end of a process and the next start, a bit of SQLite's log turns.
    @Test func aDamagedLogIsNotTakenForTheEndOfTheMachine() throws {
        var server = try Programs.startServer(data: data)
        var client = try LineClient(server)
        for number in 1...20 { _ = try client.dispatch("add", .int(number * 100)) }
        try server.kill()
        let log = URL(filePath: data + "/journal.sqlite-wal")
        var bytes = try Data(contentsOf: log)
        // A frame is a page with 24 bytes in front. Those of the commits are the last.
        let frame = 8_192 + 24
        let frames = Array(stride(from: 32, to: bytes.count - frame, by: frame))
        let last = try #require(frames.last { bytes[$0 + 3] != 0 })
        bytes[last - 10 * frame + 500] ^= 4
        try bytes.write(to: log)
        let refused = try Programs.run([
            Programs.server, "--data", data, "--listen", "127.0.0.1:0",
        ])
        #expect(refused.code == 74)
        #expect(refused.errors.contains("in its log is damaged"), "\(refused.errors)")
        #expect(refused.errors.contains("would be lost; --accept-loss"), "\(refused.errors)")
        for words in [
            ["export", data], ["backup", data, scratch.folder + "/b"], ["verify", data],
        ] {
            let ended = try Programs.run([Programs.server] + words)
            #expect(ended.code == 74 && ended.errors.contains("log is damaged"), "\(words)")
        }
        #expect(try Data(contentsOf: log) == bytes)

        server = try Programs.startServer(data: data, "--accept-loss")
        client = try LineClient(server)
        let now = try client.ask(["op": "get", "store": "counter"])
        let rev = try #require(now["rev"]?.int)
        #expect(rev < 20 && now["state"]?["count"] == .int(50 * rev * (rev + 1)))
        #expect(try client.dispatch("add", 1)["rev"] == .int(rev + 1))
        #expect(try server.stop() == .exited(0))
        #expect(try rex("verify", data).code == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: data)
        let kept = try #require(names.first { $0.hasPrefix("damaged-") && $0.hasSuffix("-wal") })
        #expect(try Data(contentsOf: URL(filePath: "\(data)/\(kept)")) == bytes)
    }

    /// Bytes that turned before the newest snapshot: it starts, for the state is whole.
    @Test func aDamagedPastIsSaidAndNotShown() throws {
        let limits = "\"snapshot_commits\": 100, \"history_commits\": 10"
        var server = try Programs.startServer(data: data, limits: limits)
        var client = try LineClient(server)
        for number in 1...250 {
            let value = JSONValue.string("value-\(number)")
            _ = try client.dispatch("set", ["path": "/text", "value": value], store: "doc")
        }
        #expect(try server.stop() == .exited(0))
        let file = URL(filePath: data + "/journal.sqlite")
        var bytes = try Data(contentsOf: file)
        while let found = bytes.range(of: Data("value-37\"".utf8)) {
            bytes[found.lowerBound] = 0x56
        }
        try bytes.write(to: file)
        server = try Programs.startServer(data: data, limits: limits)
        client = try LineClient(server)
        #expect(try client.ask(["op": "get", "store": "doc"])["rev"] == 250)
        for request: JSONValue in [
            ["op": "get", "store": "doc", "at": 40],
            ["op": "history", "store": "doc", "after": 36, "limit": 1],
            ["op": "diff", "store": "doc", "from": 30, "to": 40],
            ["op": "jump", "store": "doc", "rev": 40],
            ["op": "fork", "store": "doc", "at": 40, "as": "doc-fork"],
        ] {
            let reply = try client.ask(request)
            #expect("\(reply)".contains("revision 37 is damaged"), "\(request): \(reply)")
        }
        #expect(try client.ask(["op": "get", "store": "doc", "at": 36])["rev"] == 36)
        #expect(try server.stop() == .exited(0))
        let export = try rex("export", data)
        #expect(export.code == 1 && export.errors.contains("store doc: revision 37 is damaged"))
        let verified = try rex("verify", data)
        #expect(verified.code == 1 && verified.errors.contains("revision 37 is damaged"))
    }

    @Test(arguments: FaultTests.Fault.allCases) func anImportThatCannotBeWrittenLeavesNothing(
        fault: FaultTests.Fault
    ) throws {
        let server = try Programs.startServer(data: data)
        try play(server)
        #expect(try server.stop() == .exited(0))
        let lines = try rex("export", data).output
        let faults = try Faults(in: scratch)
        defer { faults.remove() }
        let target = scratch.folder + "/target"
        #expect(try rex("import", scratch.folder + "/other", input: lines).code == 0)
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: target + "/lock"))
        try faults.set(fault.rawValue)
        let failed = try Programs.run(
            [Programs.server, "import", target], input: lines,
            environment: try faults.environment())
        #expect(failed.code == 74, "\(failed.errors)")
        try faults.set("")
        #expect(try FileManager.default.contentsOfDirectory(atPath: target) == ["lock"])
        #expect(try rex("import", target, input: lines).code == 0)
    }

    @Test func whatIsNoJournalAtAllIsNotTouched() throws {
        try FileManager.default.createDirectory(
            atPath: data, withIntermediateDirectories: true)
        let text = String(repeating: "notes of somebody\n", count: 100)
        try Data(text.utf8).write(to: URL(filePath: data + "/journal.sqlite"))
        let ended = try Programs.run([
            Programs.server, "--data", data, "--listen", "127.0.0.1:0",
        ])
        #expect(ended.code == 74)
        #expect(try String(contentsOfFile: data + "/journal.sqlite", encoding: .utf8) == text)
        let nowhere = scratch.folder + "/nowhere"
        for words in [["export", nowhere], ["backup", nowhere, data], ["verify", nowhere]] {
            let ended = try Programs.run([Programs.server] + words)
            #expect(ended.code == 74)
            #expect(ended.errors == "rex-server: there is no journal in \(nowhere)\n")
        }
        #expect(!FileManager.default.fileExists(atPath: nowhere))
        let empty = try rex("import", nowhere, input: "\n")
        #expect(empty.code == 74 && empty.errors.contains("no lines of a journal"))
    }

    /// A copy on a disk that may only be read.
    @Test func whereNothingMayBeWrittenItCanBeReadAllTheSame() throws {
        let server = try Programs.startServer(data: data)
        try play(server)
        #expect(try server.stop() == .exited(0))
        let copy = scratch.folder + "/copy"
        try FileManager.default.copyItem(atPath: data, toPath: copy)
        let before = try rex("export", copy)
        #expect(try Programs.run(["rm", data + "/lock"]).code == 0)
        // Root may write everywhere, but not where the disk takes nothing.
        let faults = try Faults(in: scratch)
        defer { faults.remove() }
        try faults.set(FaultTests.Fault.readOnly.rawValue)
        let ended = try Programs.run(
            [Programs.server, "export", data], environment: try faults.environment())
        #expect(ended.code == 0, "\(ended.errors)")
        #expect(ended.output == before.output)
        #expect(
            try Programs.run(
                [Programs.server, "verify", data], environment: try faults.environment()
            ).code == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: data) == ["journal.sqlite"])
    }
}
