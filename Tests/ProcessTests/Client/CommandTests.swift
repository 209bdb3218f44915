import Foundation
import RexTesting
import Testing

/// Every command that asks once, in every form.
@Suite(.ownThreads) struct CommandTests {
    @Test func thePayloadIsWrittenInEveryForm() throws {
        let client = try Client()
        let file = client.server.folder + "/five.json"
        try "5\n".write(toFile: file, atomically: true, encoding: .utf8)
        let add = ["--store", "counter", "dispatch", "add"]
        for (number, words) in [["5"], ["@\(file)"], ["-"]].enumerated() {
            let child = try client.start(add + words)
            // The others read no input, and may have ended before it comes.
            if words == ["-"] { try child.write(" 5 ") }
            child.closeInput()
            // The second one reaches 10, and the counter commits an alert of its own.
            let rev = [1, 2, 4][number]
            let ack = "{\"op\":\"ack\",\"id\":1,\"store\":\"counter\",\"rev\":\(rev)}\n"
            #expect(try child.rest() == ack)
            #expect(try child.status() == 0)
        }
        let set = try client.run("--store", "doc", "dispatch", "set", "path=/a", "value:=[1, true]")
        #expect(set.status == 0)
        #expect(try client.run("--store", "doc", "state", "/a").output == "[1,true]\n")
        #expect(try client.run("--store", "counter", "state", "/count").output == "15\n")
    }

    @Test func manyActionsAreSentWithoutWaitingAndAckedInOrder() throws {
        let client = try Client()
        let lines = (1...2_000).map { number in
            number % 2 == 0
                ? "increment path=/n by:=1"
                : #"{"type":"increment","payload":{"path":"/n","by":1}}"#
        }
        let run = try client.run(
            "--store", "doc", "dispatch", "-", input: lines.joined(separator: "\n"))
        #expect(run.status == 0)
        let revisions = run.lines.map { $0.split(separator: ":").last ?? "" }
        #expect(revisions == (1...2_000).map { "\($0)}" })
        #expect(try client.run("--store", "doc", "state", "/n").output == "2000\n")
    }

    @Test func aRefusedLineIsToldAndTheRestGoesOn() throws {
        let client = try Client()
        let run = try client.run(
            "--store", "counter", "dispatch", "-", input: "add 1\n\nadd x\nfly\nadd 2\n")
        #expect(run.status == 2)
        #expect(run.lines.count == 2)
        #expect(run.errors.contains("rex-client: line 3: x is not JSON"))
        #expect(run.errors.contains("rex-client: line 4: bad_action: "))
    }

    @Test func dispatchKnowsKeysRevisionsAndDryRuns() throws {
        let client = try Client()
        let counter = ["--store", "counter", "dispatch"]
        func dispatch(_ words: String...) throws -> (status: Int32, output: String) {
            let child = try client.start(counter + words)
            let output = try child.rest()
            return (try child.status(), output)
        }
        #expect(try dispatch("increment", "--key", "k").output.contains("\"rev\":1}"))
        #expect(try dispatch("increment", "--key=k").output.contains("\"duplicate\":true"))
        #expect(try dispatch("increment", "--expect", "7").status == 1)
        #expect(try dispatch("add", "9", "--dry-run").output.contains("\"value\":10"))
        #expect(try dispatch("increment", "--await", "durable").output.contains("\"rev\":2}"))
    }

    @Test func thePastIsThere() throws {
        let client = try Client()
        for _ in 0..<3 { _ = try client.run("--store", "counter", "dispatch", "increment") }
        func counter(_ words: String...) throws -> Client.Run {
            let child = try client.start(["--store", "counter"] + words)
            let output = try child.rest()
            return .init(status: try child.status(), output: output, errors: child.errorText)
        }
        #expect(try counter("state", "/count", "--at", "1").output == "1\n")
        #expect(try counter("undo").output.contains("\"rev\":4"))
        #expect(try counter("state", "/count").output == "2\n")
        #expect(try counter("redo").output.contains("\"rev\":5"))
        #expect(try counter("jump", "1").output.contains("\"rev\":6"))
        let history = try counter("history", "/count", "--after", "1", "--limit", "3").lines
        #expect(history.count == 4 && history[0].hasPrefix("REV"))
        #expect(history[3].hasSuffix("undo to 2"))
        #expect(
            try counter("diff", "0", "3").output
                == "[{\"op\":\"replace\",\"path\":\"/count\",\"value\":3}]\n")
        #expect(try counter("fork", "2", "other").status == 0)
        #expect(try client.run("--store", "other", "state", "/count").output == "2\n")
        let hash = try counter("hash").output
        #expect(hash.hasPrefix("sha256:") && hash.hasSuffix(" 6\n"))
        #expect(try counter("jump", "99").status == 1)
    }

    @Test func whatGoesOnIsListed() throws {
        let client = try Client()
        let start = try client.run(
            "--store", "counter", "dispatch", "startTimer", "dueTime_ms:=0", "period_ms:=60000")
        #expect(start.status == 0)
        let effects = try client.run("--store", "counter", "effects").lines
        #expect(effects.count == 2 && effects[1].hasPrefix("timer"))
        #expect(
            try client.run("--store", "counter", "cancel", "timer").output.contains(
                "\"cancelled\":1"))
        #expect(try client.run("--store", "counter", "effects").lines.count == 1)
        #expect(try client.run("clients").lines.count == 2)
        #expect(try client.run("info").output.contains("\nchat     "))
        #expect(try client.run("ping").output.hasPrefix("pong from tcp://127.0.0.1:"))
        let frame = try client.run("--json", "ping").output
        #expect(frame == "{\"op\":\"pong\",\"id\":1}\n")
    }

    @Test func eventsGoFromPublishToListen() throws {
        let client = try Client()
        let listener = try client.start("listen", "news.*")
        let deadline = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < deadline {
            let ack = try client.run("publish", "news.sport", "score:=3")
            if ack.output.contains("\"listeners\":1") { break }
        }
        #expect(try listener.line() == "news.sport {\"score\":3}")
        _ = try client.run("publish", "news.x", "text=a\u{1b}[2Jb")
        #expect(try listener.line() == "news.x {\"text\":\"a\\u001b[2Jb\"}")
        listener.signal(SIGINT)
        #expect(try listener.status() == 130)
    }
}
