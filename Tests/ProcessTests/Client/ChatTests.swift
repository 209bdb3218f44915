import Foundation
import RexProtocol
import RexTesting
import Testing

/// People who talk: two `rex-client chat` on terminals, and one with `nc`.
@Suite(.ownThreads) struct ChatTests {
    private func chat(_ server: ServerProcess, _ name: String) throws -> ChildProcess {
        let chat = try Programs.startClient(
            server, "chat", "general", name, environment: ["NO_COLOR": "1"], terminal: (80, 24))
        try chat.output(until: "\(name)> ")
        return chat
    }

    private func netcat(_ server: ServerProcess) throws -> ChildProcess {
        try ChildProcess(["nc", "127.0.0.1", "\(server.port)"])
    }

    @Test func twoOnTerminalsAndOneWithNetcat() throws {
        let server = try Programs.startServer()
        let ann = try chat(server, "ann")
        let bob = try chat(server, "bob")
        try ann.output(until: "* bob joined")
        let cid = try netcat(server)
        try cid.write("{\"op\":\"listen\",\"topic\":\"chat.general\"}\n")
        try cid.output(until: "\"listening\"")
        try cid.write("{\"type\":\"join\",\"payload\":{\"room\":\"general\",\"name\":\"cid\"}}\n")
        try ann.output(until: "* cid joined")
        try bob.output(until: "* cid joined")

        // What is typed is told; that it ended by being said is told too.
        try ann.write("hello, wör")
        try bob.output(until: "ann is typing…")
        try ann.write("ld 😀\r")
        try bob.output(until: "ann: hello, wörld 😀")
        try bob.output(until: "general: ann, bob, cid")
        try cid.output(until: "\"text\":\"hello, wörld 😀\"")

        let send =
            #"{"type":"send","payload":{"room":"general","text":"I am \u001b[1mcid"}}"# + "\n"
        try cid.write(send)
        for chat in [ann, bob] {
            let shown = try chat.output(until: "cid: I am \\u001b[1mcid")
            #expect(!shown.contains("\u{1b}[1mcid"))
        }
        try bob.write("/topic the weather\r")
        try ann.output(until: "* topic: the weather")
        try bob.write("/edit nothing said\r")
        try bob.output(until: "* you have said nothing to edit")
        try bob.write("hi\r/edit hello\r")
        try ann.output(until: "bob (edited): hello")
        try bob.write("/who\r")
        try bob.output(until: "* here: ann, bob, cid")
        try bob.write("/tpic\r")
        try bob.output(until: "did you mean /topic?")

        // One is killed and leaves the list.
        bob.signal(SIGKILL)
        try ann.output(until: "* bob left")
        try ann.output(until: "general: ann, cid")
        cid.signal(SIGKILL)
        try ann.output(until: "* cid left")
        try ann.write("/leave\r")
        let end = try ann.wait()
        #expect(end == .exited(0), "\(ann.errorText)")
        #expect(try LineClient(server).state("chat", "/rooms/general/members") == [])
    }

    @Test func typingEndsByItself() throws {
        let server = try Programs.startServer()
        let ann = try chat(server, "ann")
        let watcher = try LineClient(server)
        let replica = try Replica(watcher, "chat", "/rooms/general/typing")
        let bob = try chat(server, "bob")
        try bob.write("hm")
        try ann.output(until: "bob is typing…")
        try replica.follow { $0.state == ["bob"] }
        let began = ContinuousClock.now
        try replica.follow { $0.state == [] }
        // 3 s after the last notice, which may have been renewed once.
        #expect(ContinuousClock.now - began > .seconds(2))
        let shown = try ann.output(until: "general: ann, bob\r\n")
        #expect(!shown.contains("bob:"))
    }

    @Test func aNameThatIsTakenIsRefused() throws {
        let server = try Programs.startServer()
        let ann = try chat(server, "ann")
        let other = try Programs.client(server, "chat", "general", "ann")
        #expect(other.code == 1 && other.errors.contains("rejected: the name 'ann' is taken"))
        let colon = try Programs.client(server, "chat", "general", "a:b")
        #expect(colon.code == 1 && colon.errors.contains("colon"))
        try ann.write("\u{4}")
        let end = try ann.wait()
        #expect(end == .exited(0), "\(ann.errorText)")
    }

    @Test func aChatOverAPipeReadsLinesAndEnds() throws {
        let server = try Programs.startServer()
        let ended = try Programs.client(
            server, "chat", "general", "bob", input: "one\n//two\n\n/topic three\n")
        #expect(ended.code == 0, "\(ended.errors)")
        #expect(ended.lines.first == "* here: bob")
        #expect(ended.lines.contains { $0.hasSuffix(" bob: one") })
        #expect(ended.lines.contains { $0.hasSuffix(" bob: /two") })
        #expect(ended.lines.contains("* topic: three"))
        let room = try LineClient(server).state("chat", "/rooms/general")
        #expect(room["members"] == [] && room["topic"] == "three")
        #expect(room["messages"]?.array?.compactMap { $0["text"]?.string } == ["one", "/two"])
    }

    @Test func aChatComesBackWithItsNameAcrossALostConnection() throws {
        let server = try Programs.startServer()
        let relay = try Relay(to: server)
        let ann = try ChildProcess(
            [Programs.client, "--url", "tcp://127.0.0.1:\(relay.port)", "chat", "general", "ann"],
            environment: ["NO_COLOR": "1"], terminal: (80, 24))
        try ann.output(until: "ann> ")
        let bob = try chat(server, "bob")
        try ann.output(until: "* bob joined")
        relay.cut()
        try ann.output(until: "connected again")
        try bob.write("welcome back\r")
        try ann.output(until: "bob: welcome back")
        try ann.write("thanks\r")
        // Nobody saw her go: she came back to her session in time.
        #expect(try !bob.output(until: "ann: thanks").contains("ann left"))
    }
}
