import Foundation
import RexProtocol
import RexTesting
import Testing

/// `rex-client --token-file`: whoever it talks to knows who it is, whatever the command.
@Suite(.ownThreads) struct TokenTests {
    private func start(_ bob: JSONValue = [:]) throws -> (TokenText, ServerProcess, Scratch) {
        let tokens = try TokenText(["ann": TokenText.owner, "bob": bob])
        let scratch = try Scratch()
        try scratch.write("ann-token\n", to: "ann")
        try scratch.write("bob-token", to: "bob")
        try scratch.write("wrong\n", to: "eve")
        return (tokens, try tokens.server(), scratch)
    }

    @Test func everyCommandSaysWhoWeAre() throws {
        let (_, server, scratch) = try start()
        let transcript = try scratch.write(
            """
            > {"op":"clients","id":1}
            < {"op":"clients","id":1,"clients":[{"user":"ann"}]}

            """, to: "t.transcript")
        for scheme in ["tcp", "ws"] {
            func run(_ words: String..., input: String = "") throws -> Programs.Ended {
                try Programs.run(
                    [Programs.client, "--url", "\(scheme)://\(server.address)"] + words,
                    input: input, environment: ["REX_TOKEN_FILE": scratch.folder + "/ann"])
            }
            let commands: [[String]] = [
                ["--store", "counter", "dispatch", "increment"], ["state", "/rooms"], ["ping"],
                ["clients"], ["effects"], ["history"], ["hash"], ["publish", "a.b", "1"],
                ["bench", "--duration", "20ms", "--connections", "1"], ["run", transcript],
            ]
            for words in commands {
                let ended = try Programs.run(
                    [Programs.client, "--url", "\(scheme)://\(server.address)"] + words,
                    environment: ["REX_TOKEN_FILE": scratch.folder + "/ann"])
                #expect(ended.code == 0, "\(scheme) \(words) \(ended.errors)")
            }
            #expect(try run("info").output.contains("user ann"))
            let typed = try run("repl", input: "clients\n")
            #expect(typed.output.contains("\"user\":\"ann\""), "\(typed.output)")
            let many = try run(
                "--store", "counter", "dispatch", "-", input: "increment\nincrement\n")
            #expect(many.lines.count == 2, "\(many.errors)")
        }
    }

    @Test func whoMayNotEndsWith77() throws {
        let (_, server, scratch) = try start()
        for (words, part) in [
            (["state"], "unauthorized"),
            (["--token-file", scratch.folder + "/eve", "state"], "unauth"),
            (["--token-file", scratch.folder + "/bob", "state"], "forbidden"),
            (["--token-file", scratch.folder + "/bob", "clients"], "forbidden"),
            (["watch"], "unauthorized"),
            (["--token-file", scratch.folder + "/bob", "watch"], "forb"),
        ] {
            let ended = try Programs.run(
                [Programs.client, "--url", "tcp://\(server.address)"] + words)
            #expect(ended.code == 77 && ended.errors.contains(part), "\(words) \(ended.errors)")
            #expect(!ended.errors.contains("bob-token") && !ended.errors.contains("wrong"))
        }
    }

    @Test(arguments: ["", " \n", "two words\n", " ann-token\n"])
    func aFileThatHoldsNoTokenIsSaidToHoldNone(text: String) throws {
        let scratch = try Scratch()
        let file = try scratch.write(text, to: "token")
        let ended = try Programs.run([Programs.client, "--token-file", file, "ping"])
        #expect(
            ended.code == 2 && ended.errors.contains("\(file) holds no token"), "\(ended.errors)")
        let none = try Programs.run([Programs.client, "--token-file", "/nowhere", "ping"])
        #expect(none.code == 2 && none.errors.contains("/nowhere"))
    }

    /// What may be read no longer ends the watch, and does not hang.
    @Test func aWatchThatIsTakenAwayEnds() throws {
        let may: JSONValue = ["stores": ["counter": ["read": [""]]], "listen": [">"]]
        let (tokens, server, scratch) = try start(may)
        let bob = ["--token-file", scratch.folder + "/bob"]
        let watch = try Programs.startClient(
            server, "--store", "counter", bob[0], bob[1], "watch", "/count")
        #expect(try watch.line() == "0")
        let listen = try Programs.startClient(server, bob[0], bob[1], "listen", ">")
        let ann = try LineClient(server, as: "ann")
        while try ann.ask(["op": "publish", "topic": "a", "data": 1])["listeners"] == 0 {}
        #expect(try listen.line() == "a 1")
        try tokens.change("bob", [:], of: server)
        #expect(try watch.wait() == .exited(77))
        #expect(try listen.wait() == .exited(77))
        #expect(watch.errorText.contains("forbidden") && listen.errorText.contains("forbidden"))
    }
}
