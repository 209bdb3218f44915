import Foundation
import RexProtocol
import RexTesting
import Testing

/// The program `rex-client` as a program: help, options, environment, the ways it ends.
@Suite(.ownThreads) struct ClientProgramTests {
    private static let commands = [
        "dispatch", "publish", "cancel", "state", "watch", "listen", "effects", "clients", "info",
        "ping", "history", "diff", "undo", "redo", "jump", "fork", "hash", "chat", "repl", "run",
    ]

    private func run(
        _ words: String..., input: String = "", environment: [String: String?] = [:]
    ) throws -> Programs.Ended {
        try Programs.run([Programs.client] + words, input: input, environment: environment)
    }

    // MARK: Words

    @Test func helpIsOneScreenWithExamplesLast() throws {
        let ended = try run("--help")
        #expect(ended.code == 0 && ended.errors.isEmpty)
        #expect(ended.lines.count <= 40)
        #expect(ended.lines.allSatisfy { $0.count <= 100 })
        let heading = try #require(ended.lines.firstIndex(of: "Examples:"))
        #expect(ended.lines[(heading + 1)...].allSatisfy { $0.hasPrefix("  rex-client") })
        for command in Self.commands {
            #expect(ended.lines.contains { $0.hasPrefix("  \(command) ") })
        }
        #expect(try run("help").output == ended.output)
        #expect(try run("-h").output == ended.output)
        #expect(try run("--version").output == "rex-client 0.1.0\n")
    }

    @Test(arguments: commands) func everyCommandHasHelp(command: String) throws {
        let ended = try run(command, "--help")
        #expect(ended.code == 0)
        #expect(ended.lines[0].hasPrefix("rex-client \(command): "))
        #expect(ended.lines.contains { $0.hasPrefix("Usage: rex-client \(command)") })
        #expect(ended.lines.last?.contains(" \(command)") == true)
        #expect(try run("help", command).output == ended.output)
    }

    @Test(arguments: [
        (["dispach", "x"], "there is no command dispach; did you mean dispatch?"),
        (["wach"], "did you mean watch?"), (["histroy"], "did you mean history?"),
        (["--storee", "x", "ping"], "did you mean --store?"),
        (["--jsn", "ping"], "did you mean --json?"),
        (["dispatch", "x", "--expct", "1"], "did you mean --expect?"),
        (["--patches", "watch"], "--patches is an option after the command"),
        (["ping", "--key", "k"], "--key is an option of dispatch"),
        (["help", "stat"], "did you mean state?"), ([], "a command is missing"),
        (["state", "/a", "/b"], "one word too many"), (["jump"], "a word is missing"),
        (["ping", "--timeout"], "--timeout needs a value"),
        (["ping", "--timeout", "soon"], "expected a duration"),
        (["ping", "--timeout", "0s"], "more than 0"), (["ping", "--json=1"], "takes no value"),
        (["watch", "--since", "x"], "expected EPOCH:REV"),
        (["--url", "http://x", "ping"], "expected tcp://"), (["--url", "", "ping"], "--url"),
    ])
    func wrongWordsAreUsageErrors(words: [String], part: String) throws {
        let ended = try Programs.run([Programs.client] + words)
        #expect(ended.code == 2 && ended.output.isEmpty)
        #expect(ended.errors.contains(part), "\(ended.errors)")
        #expect(ended.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("rex-client: ") })
    }

    @Test func theEnvironmentStandsInForOptions() throws {
        let server = try Programs.startServer()
        let environment = ["REX_URL": "tcp://\(server.address)", "REX_STORE": "doc"]
        let state = try run("state", environment: environment)
        #expect(state.code == 0 && state.output == "{}\n")
        let counter = try run("--store", "counter", "state", "/count", environment: environment)
        #expect(counter.output == "0\n")
        let frames = try run(
            "state", environment: environment.merging(["REX_JSON": "1"]) { $1 })
        #expect(frames.output.hasPrefix("{\"op\":\"state\""))
        let wrong = try run("ping", environment: ["REX_URL": "nothing://"])
        #expect(wrong.code == 2 && wrong.errors.contains("REX_URL"))
        let late = try run("ping", environment: environment.merging(["REX_TIMEOUT": "x"]) { $1 })
        #expect(late.code == 2 && late.errors.contains("REX_TIMEOUT"))
    }

    /// What is sent is what was typed, or nothing is.
    @Test func aWordThatIsNotUTF8IsRefused() throws {
        let ended = try Programs.run([
            "/bin/sh", "-c", #"exec "$0" dispatch set "path=/n" "$(printf 'value=\377')""#,
            Programs.client,
        ])
        #expect(ended.code == 2 && ended.errors.contains("word 4 is not UTF-8"), "\(ended.errors)")
    }

    @Test func aNumberThatIsTooLargeToAddToFailsTheTranscript() throws {
        let server = try Programs.startServer()
        let text = """
            > {"op":"ping","id":9223372036854775807}
            < {"id":"$x"}
            > {"op":"ping","id":"$x+1"}
            """
        let ended = try Programs.client(server, "run", "-", input: text)
        #expect(ended.code == 1 && ended.output.contains("nothing has bound $x+1 yet"))
    }

    @Test func aBareAddressIsAnAddress() throws {
        let server = try Programs.startServer()
        #expect(try run("--url", server.address, "ping").code == 0)
        #expect(try run("--url", "localhost:\(server.port)", "ping").code == 0)
    }

    // MARK: The ways it ends

    @Test func oneWhenTheServerSaysNo() throws {
        let server = try Programs.startServer()
        let cases: [([String], String)] = [
            (["dispatch", "send", "room=general", "text=hi"], "rejected: "),
            (["dispatch", "nonsense"], "bad_action: "),
            (["--store", "x", "state"], "unknown_store: "),
            (["undo"], "rejected: "), (["dispatch", "join", "room=a"], "bad_action: "),
            (["chat", "a.b", "ann"], "rejected: "), (["watch", "--store", "x"], "unknown_store: "),
        ]
        for (words, part) in cases {
            let ended = try Programs.run(
                [Programs.client, "--url", "tcp://\(server.address)"] + words)
            #expect(ended.code == 1 && ended.output.isEmpty, "\(words): \(ended.errors)")
            #expect(ended.errors.contains(part), "\(words): \(ended.errors)")
        }
    }

    @Test func sixtyNineWhenNobodyIsThere() throws {
        let (descriptor, port) = try Sockets.listen()
        close(descriptor)
        for command in [["ping"], ["watch"], ["listen", "a"], ["chat", "a", "b"], ["repl"]] {
            let ended = try Programs.run(
                [Programs.client, "--url", "tcp://127.0.0.1:\(port)"] + command)
            #expect(ended.code == 69, "\(command): \(ended.errors)")
            #expect(ended.errors.contains("127.0.0.1:\(port)"))
        }
        let unix = try run("--url", "unix:/nowhere/socket", "ping")
        #expect(unix.code == 69 && unix.errors.contains("/nowhere/socket"))
        let name = try run("--url", "tcp://no-such-host.invalid:1", "ping")
        #expect(name.code == 69 && name.errors.contains("no-such-host.invalid"))
    }

    @Test func seventyFiveWhenItMayGoBetterLater() throws {
        let server = try Programs.startServer(limits: "\"connections\": 1")
        let first = try LineClient(server)
        _ = try first.ask(["op": "ping"])
        let full = try Programs.client(server, "ping")
        #expect(full.code == 75 && full.errors.contains("overloaded"), "\(full.errors)")
        first.close()

        let fake = try FakeServer(isBrief: true) { _ in
            "{\"op\":\"bye\",\"code\":\"shutting_down\",\"message\":\"gone\",\"reconnect\":true}\n"
        }
        let bye = try run("--url", "tcp://127.0.0.1:\(fake.port)", "ping")
        #expect(bye.code == 75 && bye.errors.contains("shutting_down: gone"))
    }

    @Test func seventySevenWhenItIsNotAllowed() throws {
        let server = try Programs.startServer()
        let ended = try Programs.client(server, "--store", "counter", "dispatch", "tick")
        #expect(ended.code == 77 && ended.output.isEmpty)
        #expect(ended.errors.contains("forbidden: tick is the store's own action"))
        #expect(try Programs.client(server, "publish", "chat.general", "1").code == 77)
    }

    @Test func oneHundredAndTwentyFourWhenNoAnswerComes() throws {
        let (descriptor, port) = try Sockets.listen()
        defer { close(descriptor) }
        for command in [["ping"], ["state"], ["watch"], ["dispatch", "increment"]] {
            let ended = try Programs.run(
                [Programs.client, "--url", "tcp://127.0.0.1:\(port)", "--timeout", "100ms"]
                    + command)
            #expect(ended.code == 124, "\(command): \(ended.errors)")
            #expect(ended.errors.contains("no answer within 100ms"))
        }
    }

    @Test func oneHundredAndThirtyWhenItIsInterrupted() throws {
        let server = try Programs.startServer()
        for command in [["watch"], ["watch", "--json"], ["--store", "doc", "watch", "--patches"]] {
            let child = try ChildProcess(
                [Programs.client, "--url", "tcp://\(server.address)"] + command)
            _ = try child.line()
            child.signal(SIGINT)
            #expect(try child.wait() == .exited(130))
        }
        let watch = try Programs.startClient(server, "watch", terminal: (80, 24))
        try watch.output(until: "\"users\"")
        try watch.write("\u{3}")
        #expect(try watch.wait() == .exited(130))
        let chat = try Programs.startClient(server, "chat", "general", "ann", terminal: (80, 24))
        try chat.output(until: "ann> ")
        try chat.write("\u{3}")
        #expect(try chat.wait() == .exited(130))
    }

    @Test func aServerThatSaysNonsenseIsToldAndNotObeyed() throws {
        for text in [
            "hello\n", "{\"op\":\"nonsense\"}\n", "{\"op\":\"ack\",\"id\":77}\n", "\u{1b}[2J\n",
        ] {
            let fake = try FakeServer { _ in text }
            let ended = try run("--url", "tcp://127.0.0.1:\(fake.port)", "--timeout", "2s", "ping")
            #expect([1, 75, 124].contains(ended.code), "\(text): \(ended)")
            #expect(!ended.errors.isEmpty && !ended.errors.contains("\u{1b}"))
        }
    }

    // MARK: Its output

    @Test func aClosedPipeEndsItQuietly() throws {
        let server = try Programs.startServer()
        let url = "tcp://\(server.address)"
        let lines = String(repeating: "increment\n", count: 3_000)
        let scratch = try Scratch()
        let file = try scratch.write(lines, to: "lines")
        let pipe = "\"$0\" --url \(url) --store counter dispatch - <\(file) | head -n 2"
        let ended = try Programs.run(["/bin/sh", "-c", pipe, Programs.client])
        #expect(ended.code == 0 && ended.lines.count == 2 && ended.errors.isEmpty, "\(ended)")

        // The reader goes after three lines; the watch ends as it writes the next.
        let script = """
            "$0" --url \(url) --store counter dispatch startTimer dueTime_ms:=0 period_ms:=5 >&2
            "$0" --url \(url) --store counter watch /ticks | head -n 3
            echo "${PIPESTATUS[0]}"
            """
        let watch = try Programs.run(["/bin/bash", "-c", script, Programs.client])
        #expect(watch.lines.count == 4 && watch.lines.last == "0", "\(watch)")
        #expect(!watch.errors.contains("rex-client"))
    }

    @Test func colourIsForTerminalsThatWantIt() throws {
        let server = try Programs.startServer()
        func output(_ environment: [String: String?]) throws -> String {
            let child = try Programs.startClient(
                server, "--store", "counter", "state", environment: environment,
                terminal: (80, 24))
            let text = try child.rest()
            #expect(try child.wait() == .exited(0))
            return text
        }
        let coloured = try output([:])
        #expect(coloured.contains("\u{1b}["))
        #expect(coloured.contains("\u{1b}[") && coloured.contains("\r\n  "))
        let plain = try output(["NO_COLOR": "1"])
        #expect(!plain.contains("\u{1b}"))
        #expect(plain.contains("  \"count\": 0"))
        #expect(try !output(["TERM": "dumb"]).contains("\u{1b}"))
        let piped = try Programs.client(server, "--store", "counter", "state")
        #expect(piped.lines.count == 1 && !piped.output.contains("\u{1b}"))
    }
}
