import Foundation
import RexTesting
import Testing

/// Commands that go on: watch, chat, repl, on pipes and on a terminal.
@Suite(.ownThreads) struct FollowingTests {
    @Test func aWatchOutlivesItsServer() throws {
        var client = try Client()
        let address = client.server.address
        let watch = try client.start("--store", "counter", "watch", "/count")
        #expect(try watch.line() == "0")
        _ = try client.run("--store", "counter", "dispatch", "add", "3")
        #expect(try watch.line() == "3")
        try client.server.stop()
        client = try Client(listen: [address])
        #expect(try watch.line() == "0")
        _ = try client.run("--store", "counter", "dispatch", "add", "4")
        #expect(try watch.line() == "4")
        watch.signal(SIGINT)
        #expect(try watch.status() == 130)
        #expect(watch.errorText.contains("shutting_down"))
        #expect(watch.errorText.contains("connected again"))
    }

    @Test func aWatchGoesOnFromAPosition() throws {
        let client = try Client()
        for _ in 0..<3 { _ = try client.run("--store", "counter", "dispatch", "increment") }
        let first = try client.start("--store", "counter", "watch", "/count", "--patches")
        let state = try first.line()
        let epoch = try #require(state.split(separator: "\"").dropFirst(3).first.map(String.init))
        let words = ["--store", "counter", "watch", "/count", "--since", "\(epoch):1"]
        let whole = try client.start(words)
        // What was missed may come as one patch.
        #expect(try whole.line() == "3")
        let patches = try client.start(words + ["--patches"])
        #expect(try patches.line().hasPrefix("{\"from\":1,\"rev\":3,\"patch\":["))
        let stale = try client.start(
            "--store", "counter", "watch", "/count", "--since", "other:1", "--patches")
        #expect(try stale.line().hasSuffix("\"rev\":3,\"state\":3}"))
    }

    @Test func peopleTalkOnATerminalAndOnAPipe() throws {
        let client = try Client()
        let ann = try client.start("chat", "general", "ann", terminal: (60, 24))
        try ann.output(until: "ann> ")
        let bob = try client.start("chat", "general", "bob")
        #expect(try bob.line() == "* here: ann, bob")
        try ann.output(until: "* bob joined")
        try ann.write("hel")
        #expect(try bob.line() == "* ann is typing…")
        try ann.write("lo wörld\r")
        #expect(try bob.line().hasSuffix(" ann: hello wörld"))
        try bob.write("hi \u{1b}[2Jann\n/topic weather\n/edit sorry\n/who\n/nope\n")
        try ann.output(until: "bob: hi \\u001b[2Jann")
        try ann.output(until: "* topic: weather")
        try ann.output(until: "bob (edited): sorry")
        try ann.write("and")
        // His own three changes and what ann does, in the order in which they happen; the answer
        // to /who is given at once.
        var lines: [String] = []
        while lines.last != "* ann stopped typing" { lines.append(try bob.line()) }
        #expect(lines.count == 6)
        #expect(lines.contains("* here: ann, bob"))
        #expect(lines.contains("* ann is typing…"))
        let taken = try client.run("chat", "general", "ann", input: "hi\n")
        #expect(taken.status == 1 && taken.errors.contains("'ann' is taken"))
        try bob.write("/leave\n")
        #expect(try bob.status() == 0)
        #expect(bob.errorText.contains("there is no /nope"))
        try ann.output(until: "* bob left")
        try ann.write("\u{3}")
        #expect(try ann.status() == 130)
    }

    @Test func aChatEndsWithItsInputAndAllIsSaid() throws {
        let client = try Client()
        let run = try client.run("chat", "general", "ann", input: "one\n//two\nthree\n")
        #expect(run.status == 0)
        #expect(
            run.lines.map { $0.split(separator: " ", maxSplits: 1)[1] } == [
                "here: ann", "ann: one", "ann: /two", "ann: three", "ann left",
            ])
        #expect(
            try client.run("state", "/rooms/general/members").output == "[]\n")
    }

    @Test func theReplCompletesAndShowsWhatComes() throws {
        let client = try Client()
        let repl = try client.start("--store", "counter", "repl", terminal: (200, 24))
        try repl.output(until: "help tells what can be typed")
        try repl.write("inc\t\r")
        try repl.output(until: "\"rev\":1}")
        try repl.write("subscribe /count\r")
        try repl.output(until: "\"op\":\"subscribed\"")
        _ = try client.run("--store", "counter", "dispatch", "increment")
        try repl.output(until: "\"op\":\"patch\"")
        try repl.write("dec\t\r")
        try repl.output(until: "\"rev\":3}")
        try repl.write("use doc\rme\t")
        try repl.output(until: "rge")
        try repl.write("\u{15}quit\r")
        #expect(try repl.status() == 0)
        let history = try String(
            contentsOfFile: client.server.folder + "/rex/client-history", encoding: .utf8)
        #expect(history.contains("subscribe"))
        let again = try client.start("repl", terminal: (80, 24))
        try again.output(until: "rex> ")
        try again.write("\u{3}")
        #expect(try again.status() == 130)
    }

    @Test func aReplOnAPipeAnswersEveryLine() throws {
        let client = try Client()
        let run = try client.run(
            "--store", "counter", "repl",
            input: "add 5\nsubscribe\nget /count\nbad \"x\n{bad\n{\"op\":\"ping\",\"id\":\"x\"}\n")
        #expect(run.status == 0)
        #expect(run.lines.count == 5)
        #expect(run.lines[2].hasSuffix("\"state\":5}"))
        #expect(run.lines[3].contains("bad_json"))
        #expect(run.lines[4] == "{\"op\":\"pong\",\"id\":\"x\"}")
        #expect(run.errors.contains("a quote or a bracket has no end"))
    }

    @Test func colourIsForTerminalsAndNotWithNoColor() throws {
        let client = try Client()
        func state(_ environment: [String: String?]) throws -> String {
            try client.start(
                "--store", "counter", "state", environment: environment, terminal: (80, 24)
            ).output(until: "}")
        }
        #expect(try state(["NO_COLOR": nil]).contains("\u{1b}[34m\"count\""))
        #expect(try state(["NO_COLOR": "1"]).contains("  \"count\": 0,"))
        #expect(try client.run("--store", "counter", "state").lines.count == 1)
    }

    @Test func theDocumentOfTranscriptsHolds() throws {
        let client = try Client()
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let run = try client.run("run", root.path + "/docs/transcripts.md")
        #expect(run.status == 0)
        #expect(run.lines.last == "1 passed, 0 failed")
        let wrong = try client.run(
            "run", "-", input: "> {\"op\":\"ping\",\"id\":1}\n< {\"id\":2}\n")
        #expect(wrong.status == 1)
        #expect(wrong.output.contains("stdin:2: /id: expected 2, got 1"))
    }
}
