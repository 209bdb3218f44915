import Foundation
import RexProtocol
import RexTesting
import Testing

/// The program `rex-server`: its options, its files, what it tells others about itself.
@Suite(.ownThreads) struct ServerProgramTests {
    private func run(_ words: String..., environment: [String: String?] = [:]) throws
        -> Programs.Ended
    {
        try Programs.run([Programs.server] + words, environment: environment)
    }

    @Test func helpIsOneScreenWithExamplesLast() throws {
        let ended = try run("--help")
        #expect(ended.code == 0 && ended.errors.isEmpty)
        #expect(ended.lines.count <= 38)
        #expect(ended.lines.allSatisfy { $0.count <= 100 })
        let heading = try #require(ended.lines.firstIndex(of: "Examples:"))
        #expect(ended.lines[(heading + 1)...].allSatisfy { $0.hasPrefix("  rex-server") })
        for option in [
            "--listen", "--port-file", "--data", "--memory", "--durability", "--stores", "--config",
            "--check-config",
            "--insecure", "--limit", "--log-level", "--log-format", "--help", "--version",
        ] { #expect(ended.output.contains(option)) }
        for command in ["export", "import", "backup", "verify"] {
            #expect(ended.output.contains("\n  \(command) DIR"))
            #expect(try run("\(command)", "--help").code == 0)
        }
        #expect(try run("--version").output == "rex-server 0.1.0\n")
    }

    @Test(arguments: [
        ("--listn", "--listen"), ("--port-fil=x", "--port-file"), ("--stors", "--stores"),
        ("--insecur", "--insecure"), ("--check-confg", "--check-config"),
    ])
    func anUnknownOptionNamesTheNearest(word: String, nearest: String) throws {
        let ended = try run(word)
        #expect(ended.code == 2 && ended.output.isEmpty)
        #expect(ended.errors.hasPrefix("rex-server: "))
        #expect(ended.errors.contains("did you mean \(nearest)?"))
    }

    @Test(arguments: [
        (["--listen"], "--listen needs a value"), (["--listen", "nonsense"], "--listen"),
        (["--listen", "127.0.0.1:99999"], "--listen"), (["--stores", "chat,nothing"], "nothing"),
        (["--stores", "chat,chat"], "twice"), (["--log-level", "loud"], "debug, info"),
        (["--log-format", "xml"], "text, json"), (["--memory=yes"], "takes no value"),
        (["word"], "word"), (["--data", ""], "--data: expected the name of a file or a folder"),
        (["--data="], "--data"), (["--config", ""], "--config"), (["export", ""], "folder"),
        (["backup", "/nowhere", ""], "folder"),
    ])
    func wrongValuesAreUsageErrors(words: [String], part: String) throws {
        let ended = try Programs.run([Programs.server] + words)
        #expect(ended.code == 2)
        #expect(ended.errors.contains(part))
    }

    @Test func anAddressInUseIsNamed() throws {
        let server = try Programs.startServer()
        let ended = try run("--memory", "--listen", server.address)
        #expect(ended.code == 69)
        #expect(ended.errors.contains("\(server.address): address already in use"))
        #expect(try server.stop() == .exited(0))
    }

    @Test(arguments: ["0.0.0.0:0", "[::]:0"])
    func listeningToTheWorldNeedsInsecure(address: String) throws {
        let ended = try run("--memory", "--listen", address)
        #expect(ended.code == 2)
        #expect(ended.errors.contains("--insecure"))
        let server = try Programs.startServer("--insecure", listen: [address])
        #expect(try LineClient(server).ask(["op": "ping"]).op == "pong")
    }

    @Test func thePortFileHasEveryAddressOnALine() throws {
        let scratch = try Scratch()
        let path = "\(scratch.folder)/socket"
        let server = try Programs.startServer(listen: ["127.0.0.1:0", "[::1]:0", "unix:\(path)"])
        #expect(server.addresses.count == 3)
        #expect(server.addresses[0].hasPrefix("127.0.0.1:"))
        #expect(server.addresses[1].hasPrefix("[::1]:"))
        #expect(server.addresses[2] == "unix:\(path)")
        for address in server.addresses {
            let url = address.hasPrefix("unix:") ? address : "tcp://\(address)"
            let ended = try Programs.run([Programs.client, "--url", url, "ping"])
            #expect(ended.code == 0 && ended.output.hasPrefix("pong from \(url)"))
        }
        #expect(try LineClient(path: path).dispatch("increment")["rev"] == 1)
        #expect(try server.stop() == .exited(0))
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func aServiceManagerIsToldWhenItIsReadyAndWhenItStops() throws {
        let scratch = try Scratch()
        let path = "\(scratch.folder)/notify"
        let descriptor = try Sockets.datagrams(at: path)
        defer { close(descriptor) }
        let server = try Programs.startServer(environment: ["NOTIFY_SOCKET": path])
        #expect(try Sockets.receive(from: descriptor, within: .seconds(10)) == "READY=1")
        #expect(try server.stop() == .exited(0))
        #expect(try Sockets.receive(from: descriptor, within: .seconds(10)) == "STOPPING=1")
    }

    @Test func socketsOfAServiceManagerAreTakenOver() throws {
        let (descriptor, port) = try Sockets.listen()
        defer { close(descriptor) }
        let process = try ChildProcess(
            [
                "/bin/sh", "-c", "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" --memory", Programs.server,
            ],
            descriptors: [descriptor])
        #expect(try process.line() == "rex-server ready on 127.0.0.1:\(port)")
        #expect(try LineClient(port: port).ask(["op": "ping"]).op == "pong")
        process.signal(SIGTERM)
        #expect(try process.wait() == .exited(0))
    }

    /// A socket that others have bound is looked at like one of our own.
    @Test func aSocketOfAServiceManagerForTheWorldNeedsInsecure() throws {
        let (descriptor, port) = try Sockets.listen(toEverybody: true)
        defer { close(descriptor) }
        func start(_ options: String) throws -> ChildProcess {
            try ChildProcess(
                [
                    "/bin/sh", "-c", "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" --memory \(options)",
                    Programs.server,
                ],
                descriptors: [descriptor])
        }
        #expect(try start("").wait() == .exited(2))
        let process = try start("--insecure")
        #expect(try process.line() == "rex-server ready on 0.0.0.0:\(port)")
        process.signal(SIGTERM)
        #expect(try process.wait() == .exited(0))
    }

    @Test func storesAreChosenAndTheFirstIsTheDefault() throws {
        let server = try Programs.startServer("--stores", "counter,doc")
        let client = try LineClient(server)
        #expect(try client.ask(["op": "get"])["store"] == "counter")
        #expect(try client.ask(["op": "get", "store": "chat"]).code == "unknown_store")
        let other = try Programs.startServer(environment: ["REX_STORES": "doc"])
        #expect(try LineClient(other).ask(["op": "get"])["store"] == "doc")
    }

    // MARK: The configuration

    @Test func aGoodConfigurationIsSaidToBeGood() throws {
        let scratch = try Scratch()
        let file = try scratch.write(
            """
            {
              "listen": ["127.0.0.1:0"],
              "stores": ["doc"],
              "log-level": "warning",
              "limits": {"connections": 5}
            }
            """, to: "good.json")
        let ended = try run("--config", file, "--check-config")
        #expect(ended.code == 0 && ended.errors.isEmpty)
        #expect(ended.output == "the configuration is good\n")
        let byVariable = try run("--check-config", environment: ["REX_CONFIG": file])
        #expect(byVariable.code == 0)
    }

    @Test(arguments: [
        (
            "{\n\"listen\": [\"127.0.0.1:0\"],\n\"limits\": {\n\"connections\": 0}}", 4,
            "limits.connections"
        ),
        ("{\n\n\"lissen\": 1}", 3, "lissen"), ("{\"stores\": [\"chess\"]}", 1, "stores"),
        ("{\n\"log-level\": 3}", 2, "log-level"), ("{\n\"memory\": \"yes\"}", 2, "memory"),
        ("{\n\"limits\": {\n\"conections\": 1}}", 3, "limits.conections"),
        ("{\n\"listen\": \"nowhere\"}", 2, "listen"), ("{\n\"memory\": true,\n}", 3, ""),
        ("[]", 1, ""), ("{\n\"memory\": true,\n\"memory\": true}", 3, "memory"),
    ])
    func aBadConfigurationNamesLineAndMember(text: String, line: Int, member: String) throws {
        let scratch = try Scratch()
        let file = try scratch.write(text, to: "bad.json")
        for words in [["--check-config"], []] {
            let ended = try Programs.run([Programs.server, "--config", file] + words)
            #expect(ended.code == 78 && ended.output.isEmpty)
            #expect(ended.errors.contains("\(file): line \(line): "))
            #expect(member.isEmpty || ended.errors.contains(member))
        }
    }

    @Test func aConfigurationThatIsNotThereIsNamed() throws {
        let ended = try run("--config", "/nowhere/rex.json", "--check-config")
        #expect(ended.code == 78)
        #expect(ended.errors.contains("/nowhere/rex.json"))
    }

    @Test func flagsWinOverVariablesAndVariablesOverTheFile() throws {
        let scratch = try Scratch()
        let file = try scratch.write("{\"stores\": [\"chat\"]}", to: "rex.json")
        let byVariable = try Programs.startServer(
            "--config", file, environment: ["REX_STORES": "doc"])
        #expect(try LineClient(byVariable).ask(["op": "get"])["store"] == "doc")
        let byFlag = try Programs.startServer(
            "--config", file, "--stores", "counter", environment: ["REX_STORES": "doc"])
        #expect(try LineClient(byFlag).ask(["op": "get"])["store"] == "counter")
    }

    @Test func limitsOfTheCommandLineWinOverThoseOfTheFile() throws {
        let scratch = try Scratch()
        let file = try scratch.write(
            "{\"limits\": {\"keys\": 5, \"stores\": 6, \"depth\": 7}}", to: "rex.json")
        let server = try Programs.startServer(
            "--config", file, "--limit", "keys=8,idle_ms=0", "--limit=stores=9")
        let welcome = try LineClient(server).ask(["op": "hello", "protocol": 1])
        let limits = ["keys", "stores", "depth", "idle_ms"].map { welcome["limits"]?[$0]?.int }
        #expect(limits == [8, 9, 7, 0])
        let other = try Programs.startServer(environment: ["REX_LIMIT": "keys=3"])
        #expect(
            try LineClient(other).ask(["op": "hello", "protocol": 1])["limits"]?["keys"] == 3)
        for (text, words) in [
            ("keys", "expected NAME=VALUE"), ("kees=1", "kees: there is no such limit"),
            ("keys=0", "keys: expected a number from 1 to"), ("keys=many", "expected a number"),
        ] {
            let ended = try run("--limit", text, "--check-config")
            #expect(ended.code == 2 && ended.errors.contains(words), "\(ended)")
        }
    }

    // MARK: The log

    @Test func logLinesAreTextOrJSON() throws {
        let text = try Programs.startServer("--log-level", "info")
        #expect(try text.stop() == .exited(0))
        #expect(text.process.errorText.contains(" info listening address=\(text.address)\n"))
        let json = try Programs.startServer("--log-level", "info", "--log-format", "json")
        #expect(try json.stop() == .exited(0))
        let lines = json.process.errorText.split(separator: "\n")
        #expect(lines.count >= 3)
        for line in lines {
            let entry = try RawJSON(parsing: String(line)).value
            #expect(entry["time"]?.string?.hasSuffix("Z") == true)
            #expect(entry["level"] != nil && entry["event"] != nil)
        }
        let quiet = try Programs.startServer("--log-level", "error")
        #expect(try quiet.stop() == .exited(0))
        #expect(quiet.process.errorText.isEmpty)
    }

    @Test func aHangUpReadsTheLogLevelAgain() throws {
        let scratch = try Scratch()
        let file = try scratch.write("{\"log-level\": \"notice\"}", to: "rex.json")
        let server = try Programs.startServer("--config", file)
        try scratch.write("{\"log-level\": \"debug\"}", to: "rex.json")
        server.process.signal(SIGHUP)
        try server.process.errors(until: " notice reloaded\n")
        _ = try LineClient(server).ask(["op": "ping"])
        try server.process.errors(until: " debug connected ")
        // What cannot change while the server runs is named.
        try scratch.write(
            "{\"log-level\": \"debug\", \"stores\": [\"doc\"], \"limits\": {\"keys\": 9}}",
            to: "rex.json")
        server.process.signal(SIGHUP)
        try server.process.errors(until: " notice reloaded needs_restart=stores,limits\n")
        // A bad file changes nothing.
        try scratch.write("{\"log-level\": \"loud\"}", to: "rex.json")
        server.process.signal(SIGHUP)
        try server.process.errors(until: " error reload_failed ")
        _ = try LineClient(server).ask(["op": "ping"])
        try server.process.errors(until: " debug connected ")
        #expect(try server.stop() == .exited(0))
    }
}
