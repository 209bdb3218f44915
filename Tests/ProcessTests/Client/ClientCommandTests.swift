import Foundation
import RexProtocol
import RexTesting
import Testing

/// Every command of `rex-client` against the real server, and every form of a payload.
@Suite(.ownThreads) struct ClientCommandTests {
    private func json(_ text: String) throws -> JSONValue {
        try RawJSON(parsing: text).value
    }

    // MARK: Acting

    @Test func aPayloadHasManyForms() throws {
        let server = try Programs.startServer()
        let scratch = try Scratch()
        let file = try scratch.write("{\"path\": \"/file\",\n \"value\": [1, 2]}\n", to: "a.json")
        let merge = "{\"value\":{\"=\":\"a=b\"},\"path\":\"/bare\"}"
        let calls: [([String], String)] = [
            (["set", "path=/text", "value=7"], ""),
            (["set", "path=/number", "value:=7"], ""),
            (["set", "path=/list", "value:=[1,{\"a\":null}]"], ""),
            (["set", "path=/empty", "value="], ""), (["set", merge], ""),
            (["set", "@\(file)"], ""),
            (["set", "-"], "{\"path\":\"/input\",\n\"value\":true}"),
            (["merge", "{\"merged\":{\"x\":1}}"], ""),
            (["patch", "[{\"op\":\"add\",\"path\":\"/patched\",\"value\":\"ü😀\"}]"], ""),
            (["set", "path:=\"/quoted\"", "value:=\"\\u00e9\""], ""),
        ]
        for (index, (words, input)) in calls.enumerated() {
            let ended = try Programs.run(
                [Programs.client, "--url", "tcp://\(server.address)", "--store", "doc", "dispatch"]
                    + words, input: input)
            #expect(ended.code == 0, "\(words): \(ended.errors)")
            let ack = try json(ended.output)
            #expect(ack.op == "ack" && ack["rev"]?.int == index + 1 && ack["store"] == "doc")
        }
        let wanted: JSONValue = [
            "text": "7", "number": 7, "list": [1, ["a": .null]], "empty": "",
            "bare": ["=": "a=b"], "file": [1, 2], "input": true, "merged": ["x": 1],
            "patched": "ü😀", "quoted": "é",
        ]
        #expect(try json(Programs.client(server, "--store", "doc", "state").output) == wanted)
    }

    @Test func aBareValueIsAPayloadToo() throws {
        let server = try Programs.startServer()
        #expect(try Programs.client(server, "--store=counter", "dispatch", "add", "5").code == 0)
        #expect(try Programs.client(server, "--store=counter", "dispatch", "add", "-2").code == 0)
        #expect(
            try Programs.client(server, "dispatch", "increment", "--store", "counter").code == 0)
        let text = try Programs.client(
            server, "--store", "counter", "dispatch", "showAlert", "\"hi\"")
        #expect(text.code == 0)
        let timer = try Programs.client(
            server, "--store", "counter", "dispatch", "startTimer", "dueTime_ms:=60000",
            "period_ms:=1000")
        #expect(timer.code == 0)
        let state = try json(Programs.client(server, "--store", "counter", "state").output)
        #expect(state["count"] == 4 && state["isRunning"] == true)
        #expect(state["alert"]?["value"] == "hi")
    }

    @Test func aPayloadThatDoesNotFitIsAUsageError() throws {
        let server = try Programs.startServer()
        let cases: [([String], String)] = [
            (["showAlert", "hello"], "a string needs quotes"), (["add", "{"], "not JSON"),
            (["join", "room=a", "room=b"], "room is given twice"),
            (["join", "room=a", "b"], "expected key=value or key:=json, got b"),
            (["join", "room:=a"], "room:=a is not JSON"), (["add", "@/nowhere/x"], "/nowhere/x"),
        ]
        for (words, part) in cases {
            let ended = try Programs.run(
                [Programs.client, "--url", "tcp://\(server.address)", "dispatch"] + words)
            #expect(ended.code == 2 && ended.output.isEmpty)
            #expect(ended.errors.contains(part), "\(words): \(ended.errors)")
        }
        let bad = try Programs.client(server, "dispatch", "add", "-", input: "1 2")
        #expect(bad.code == 2 && bad.errors.contains("standard input is not JSON"))
        #expect(try LineClient(server).ask(["op": "get"])["rev"] == 0)
    }

    @Test func keyExpectDryRunAndAwaitGoAlong() throws {
        let server = try Programs.startServer()
        func dispatch(_ words: String...) throws -> Programs.Ended {
            try Programs.run(
                [Programs.client, "--url", "tcp://\(server.address)", "--store", "counter"]
                    + ["dispatch"] + words)
        }
        #expect(try json(dispatch("increment", "--key", "k").output)["duplicate"] == nil)
        let again = try json(dispatch("increment", "--key", "k").output)
        #expect(again["duplicate"] == true && again["rev"] == 1)
        #expect(try json(dispatch("increment", "--expect", "1").output)["rev"] == 2)
        let conflict = try dispatch("increment", "--expect=1")
        #expect(conflict.code == 1 && conflict.errors.contains("conflict: expected revision 1"))
        let dry = try json(dispatch("add", "5", "--dry-run").output)
        #expect(dry["dry_run"] == true && dry["rev"] == 2)
        #expect(dry["patch"] == [["op": "replace", "path": "/count", "value": 7]])
        let fetch = try dispatch(
            "fetch", "{\"delay_ms\":20,\"fail\":false}", "--await", "effects")
        #expect(fetch.code == 0)
        #expect(try LineClient(server).state("counter", "/isLoading") == false)
        #expect(try dispatch("increment", "--await", "durable").code == 0)
        #expect(try dispatch("increment", "--await", "soon").code == 2)
    }

    @Test func manyLinesAreDispatchedInOrder() throws {
        let server = try Programs.startServer()
        // Away from 10, where the store acts by itself.
        let lines = (101...400).map {
            $0 % 2 == 0 ? "add \($0)" : "{\"type\":\"add\",\"payload\":\($0)}"
        }
        let ended = try Programs.client(
            server, "--store", "counter", "dispatch", "-",
            input: lines.joined(separator: "\n") + "\n\n  \nincrement")
        #expect(ended.code == 0 && ended.errors.isEmpty)
        #expect(try ended.lines.map { try json($0)["rev"]?.int } == (1...301).map { $0 })
        #expect(try LineClient(server).state("counter", "/count") == 75_151)
    }

    @Test func aRefusedLineIsToldWithItsNumberAndTheRestGoesOn() throws {
        let server = try Programs.startServer()
        let ended = try Programs.client(
            server, "--store", "counter", "dispatch", "-", "--key", "k",
            input: "add 1\nadd x\nincremnt\ntick\nadd 9223372036854775807\nadd 2\n")
        #expect(ended.code == 2)
        #expect(ended.lines.count == 2)
        for (line, part) in [
            (2, "a string needs quotes"), (3, "bad_action"), (4, "forbidden"), (5, "rejected"),
        ] {
            let told = ended.errors.split(separator: "\n").filter { $0.contains("line \(line): ") }
            #expect(told.count == 1 && told[0].contains(part))
        }
        #expect(try LineClient(server).state("counter", "/count") == 3)
        // The same lines under the same key are the same actions.
        let again = try Programs.client(
            server, "--store", "counter", "dispatch", "-", "--key", "k", input: "add 1\n")
        #expect(try json(again.output)["duplicate"] == true)
        let refused = try Programs.client(
            server, "--store", "counter", "--json", "dispatch", "-", input: "tick\nadd 1\n")
        #expect(refused.code == 77)
        #expect(try refused.lines.map { try json($0).op } == ["error", "ack"])
    }

    // MARK: Reading

    @Test func theStateAndPartsOfItAndHowItWas() throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        for value in 1...3 {
            let set: JSONValue = ["path": "/a~1b", "value": .int(value)]
            _ = try client.dispatch("set", set, store: "doc")
        }
        func state(_ words: String...) throws -> Programs.Ended {
            try Programs.run(
                [Programs.client, "--url", "tcp://\(server.address)", "--store", "doc", "state"]
                    + words)
        }
        #expect(try state().output == "{\"a/b\":3}\n")
        #expect(try state("/a~1b").output == "3\n")
        #expect(try state("/none").output == "null\n")
        #expect(try state("/a~1b", "--at", "1").output == "1\n")
        let frame = try json(state("--json", "/a~1b").output)
        #expect(frame.op == "state" && frame["rev"] == 3 && frame["path"] == "/a~1b")
        #expect(try state("--at", "9").errors.contains("not_found"))
        #expect(try state("no-pointer").code == 2)
        #expect(try state("--at", "x").code == 2)
    }

    @Test func effectsClientsInfoPingAndHash() throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        _ = try client.dispatch("startTimer", ["dueTime_ms": 60_000, "period_ms": 1_000])
        let effects = try Programs.client(server, "--store", "counter", "effects")
        #expect(effects.lines.count == 2 && effects.lines[0].hasPrefix("ID "))
        #expect(effects.lines[1].split(separator: " ").prefix(4) == ["timer", "store", "1", "0"])
        let list = try json(
            Programs.client(server, "--store", "counter", "--json", "effects").output)
        #expect(list["effects"]?[0]?["id"] == "timer")
        let cancelled = try Programs.client(server, "--store", "counter", "cancel", "timer")
        #expect(try json(cancelled.output)["cancelled"] == 1)
        let none = try Programs.client(server, "--store", "counter", "cancel", "timer")
        #expect(
            none.code == 1 && none.errors.contains("not_found: no effect timer runs on counter"))

        let clients = try Programs.client(server, "clients")
        #expect(clients.lines.count == 3 && clients.lines[0].hasPrefix("CLIENT "))
        #expect(clients.lines[1].contains(" lines "))
        #expect(try json(Programs.client(server, "clients", "--json").output).op == "clients")

        let info = try Programs.client(server, "info")
        #expect(info.output.contains("rex/0.1.0, protocol 1, at tcp://\(server.address)"))
        for word in ["chat", "counter", "doc", "frame_bytes", "1048576"] {
            #expect(info.output.contains(word))
        }
        #expect(try json(Programs.client(server, "info", "--json").output).op == "welcome")
        #expect(try Programs.client(server, "ping").output.hasPrefix("pong from "))
        #expect(try json(Programs.client(server, "ping", "--json").output).op == "pong")

        let hash = try client.ask(["op": "hash", "store": "counter"])
        let words = try Programs.client(server, "--store", "counter", "hash").output
        #expect(words == "\(hash["hash"]!.string!) \(hash["rev"]!)\n")
    }

    @Test func historyDiffAndTravel() throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        for number in 1...3 { _ = try client.dispatch("add", .int(number)) }
        func call(_ words: String...) throws -> Programs.Ended {
            try Programs.run(
                [Programs.client, "--url", "tcp://\(server.address)", "--store", "counter"] + words)
        }
        let history = try call("history")
        #expect(history.lines.count == 4)
        #expect(history.lines[3].contains("{\"type\":\"add\",\"payload\":3}"))
        #expect(try call("history", "--after", "1", "--limit", "1").lines.count == 2)
        #expect(try call("history", "/ticks").lines.count == 1)
        #expect(try json(call("history", "--json").output)["entries"]?.array?.count == 3)
        #expect(
            try json(call("diff", "1", "3").output)
                == [["op": "replace", "path": "/count", "value": 6]])
        #expect(try call("diff", "1", "3", "/ticks").output == "[]\n")
        #expect(try json(call("diff", "1", "3", "--json").output).op == "diff")
        #expect(try json(call("undo").output)["rev"] == 4)
        #expect(try client.state("counter", "/count") == 3)
        #expect(try json(call("redo").output)["rev"] == 5)
        #expect(try call("redo").code == 1)
        #expect(try json(call("jump", "0").output)["rev"] == 6)
        #expect(try client.state("counter", "/count") == 0)
        #expect(try call("history").lines.last?.contains("jump to 0") == true)
        #expect(try json(call("fork", "2", "copy").output)["store"] == "copy")
        #expect(try client.state("copy", "/count") == 3)
        #expect(try call("fork", "2", "copy").code == 1)
        #expect(try call("jump", "x").code == 2)
        #expect(try call("diff", "1").code == 2)
        #expect(try call("jump", "99").errors.contains("not_found"))
    }

    // MARK: Following

    @Test func listenersHearWhatIsPublished() throws {
        let server = try Programs.startServer()
        let listener = try Programs.startClient(server, "listen", "news.*")
        let frames = try Programs.startClient(server, "listen", ">", "--json")
        let client = try LineClient(server)
        // Nobody says on the wire that somebody listens: the count of a publish does.
        let deadline = ContinuousClock.now + ChildProcess.patience
        while try client.ask(["op": "publish", "topic": "news.probe", "data": 0])["listeners"] != 2
        {
            try #require(ContinuousClock.now < deadline)
        }
        let published = try Programs.client(server, "publish", "news.sport", "score:=3", "team=red")
        #expect(try json(published.output)["listeners"] == 2)
        #expect(try Programs.client(server, "publish", "other.topic", "1").code == 0)
        try listener.output(until: "news.sport {\"score\":3,\"team\":\"red\"}\n")
        try frames.output(until: "\"topic\":\"news.sport\"")
        try frames.output(until: "\"topic\":\"other.topic\"")
        #expect(try Programs.client(server, "publish", "a.*", "1").code == 2)
        #expect(try Programs.client(server, "listen", "a..b").code == 2)
        let forbidden = try Programs.client(server, "publish", "$server.x", "1")
        #expect(forbidden.code == 77 && forbidden.errors.contains("forbidden"))
        listener.signal(SIGINT)
        #expect(try listener.wait() == .exited(130))
        #expect(!listener.errorText.contains("other.topic"))
    }

    @Test func whatOthersWroteIsShownEscaped() throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        let evil = "\u{1b}]0;owned\u{7}\u{202e}\u{9b}31m"
        let set: JSONValue = ["path": "/evil", "value": .string(evil)]
        _ = try client.dispatch("set", set, store: "doc")
        for words in [["state"], ["state", "--json"], ["history"], ["history", "--json"]] {
            let ended = try Programs.run(
                [Programs.client, "--url", "tcp://\(server.address)", "--store", "doc"] + words)
            #expect(ended.code == 0)
            #expect(
                !ended.output.unicodeScalars.contains {
                    evil.unicodeScalars.contains($0)
                        && !$0.properties.isAlphabetic && $0.value > 0x7e || $0 == "\u{1b}"
                        || $0 == "\u{7}"
                })
            #expect(ended.output.contains("\\u202e"))
        }
        let state = try json(Programs.client(server, "--store", "doc", "state", "/evil").output)
        #expect(state.string == evil)
        let refused = try Programs.client(server, "--store", "doc", "dispatch", "\u{1b}[2J")
        #expect(refused.code == 1 && !refused.errors.contains("\u{1b}"))
    }

    // MARK: The conformance kit

    @Test func transcriptsArePlayed() throws {
        let server = try Programs.startServer()
        let scratch = try Scratch()
        let good = try scratch.write(
            "> {\"op\":\"ping\",\"id\":1}\n< {\"op\":\"pong\",\"id\":1}\n", to: "good.txt")
        let ended = try Programs.client(server, "run", good)
        #expect(ended.code == 0 && ended.lines.last == "1 passed, 0 failed")
        let bad = try scratch.write(
            """
            # Two
            ```transcript The first
            > {"op":"ping","id":1}
            < {"op":"pong","id":2}
            ```
            ```transcript The second
            > {"op":"ping"}
            < {"op":"pong"}
            ```
            """, to: "bad.md")
        let failed = try Programs.client(server, "run", bad)
        #expect(failed.code == 1 && failed.lines.last == "1 passed, 1 failed")
        #expect(failed.output.contains("bad.md:4:"))
        #expect(failed.output.contains("/id: expected 2, got 1"))
        let input = try Programs.client(
            server, "run", "-", input: "> {\"op\":\"ping\"}\n< {\"op\":\"pong\"}\n")
        #expect(input.code == 0)
        #expect(try Programs.client(server, "run", "/nowhere/file").code == 2)
        #expect(try Programs.client(server, "run", "-", input: "nonsense\n").code == 2)
    }

    // MARK: The repl

    @Test func linesOfAReplAreFramesAndActions() throws {
        let server = try Programs.startServer()
        let ended = try Programs.client(
            server, "--store", "counter", "repl",
            input: """
                increment
                add 4
                get /count
                use doc
                set path=/x value:=1
                {"op":"ping","id":"p"}
                incremnt
                quit
                ping

                """)
        #expect(ended.code == 0)
        let frames = try ended.lines.map(json)
        #expect(frames.map(\.op) == ["ack", "ack", "state", "ack", "pong", "error"])
        #expect(frames[2]["state"] == 5 && frames[3]["store"] == "doc" && frames[4]["id"] == "p")
    }

    @Test func aReplOnATerminalEditsCompletesAndRemembers() throws {
        let server = try Programs.startServer()
        let scratch = try Scratch()
        let environment = ["XDG_STATE_HOME": scratch.folder]
        let repl = try Programs.startClient(
            server, "--store", "counter", "repl", environment: environment, terminal: (80, 24))
        try repl.output(until: "rex> ")
        try repl.write("increm\t\n")
        try repl.output(until: "\"rev\":1")
        try repl.write("ad\u{7f}dd 41\n")
        try repl.output(until: "\"rev\":2")
        try repl.write("\u{1b}[A\n")
        try repl.output(until: "\"rev\":3")
        #expect(try LineClient(server).state("counter", "/count") == 83)
        try repl.write("\u{4}")
        #expect(try repl.wait() == .exited(0))
        let next = try Programs.startClient(
            server, "--store", "counter", "repl", environment: environment, terminal: (80, 24))
        try next.output(until: "rex> ")
        try next.write("\u{1b}[A\n")
        try next.output(until: "\"rev\":4")
        try next.write("\u{3}")
        #expect(try next.wait() == .exited(130))
    }
}
