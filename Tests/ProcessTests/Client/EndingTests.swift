import Foundation
import RexTesting
import Testing

/// How the program ends, and that a reader of its exit status can rely on it.
@Suite(.ownThreads) struct EndingTests {
    @Test func usage() throws {
        let client = try Client()
        let typo = try client.run("dispach", "increment")
        #expect(typo.status == 2)
        #expect(typo.errors.contains("did you mean dispatch?") && typo.output.isEmpty)
        #expect(try client.run("ping", "--tmeout", "1s").errors.contains("did you mean --timeout?"))
        #expect(try client.run("--url", "ftp://x", "ping").status == 2)
        #expect(try client.run("--token-file", "x", "ping").status == 2)
        #expect(try client.run("state", "nopointer").status == 2)
        #expect(try client.run("publish", "a..b", "1").status == 2)
        #expect(try client.run("run", "/no/such/file").status == 2)
        let help = try client.run("--help")
        #expect(help.status == 0 && help.errors.isEmpty)
        #expect(help.output.contains("Examples:"))
        #expect(try client.run("--version").output.hasPrefix("rex-client "))
    }

    @Test func theServerSaysNo() throws {
        let client = try Client()
        let unknown = try client.run("--store", "nowhere", "state")
        #expect(unknown.status == 1)
        #expect(unknown.errors.hasPrefix("rex-client: unknown_store: "))
        // For scripts: the frame, with its code.
        let frame = try client.run("--json", "--store", "nowhere", "state")
        #expect(frame.status == 1)
        #expect(frame.output.hasPrefix(#"{"op":"error","code":"unknown_store","message":"#))
        #expect(try client.run("publish", "$server.x", "1").status == 77)
        #expect(try client.run("--store", "counter", "dispatch", "tick").status == 77)
    }

    @Test func nobodyAnswers() throws {
        let client = try Client()
        let nobody = try client.run("ping", environment: ["REX_URL": "unix:/nowhere/at/all"])
        #expect(nobody.status == 69)
        #expect(
            nobody.errors
                == "rex-client: cannot connect to unix:/nowhere/at/all: no such file or directory\n"
        )
        client.server.process.signal(SIGSTOP)
        let silence = try client.run("ping", "--timeout", "200ms")
        client.server.process.signal(SIGCONT)
        #expect(silence.status == 124)
        #expect(silence.errors == "rex-client: no answer within 200ms\n")
    }

    @Test func aUnixSocketIsAnAddressToo() throws {
        let path = "/tmp/rex-client-test-\(UUID().uuidString.prefix(8))"
        let client = try Client(listen: ["unix:\(path)"])
        let run = try client.run("ping", environment: ["REX_URL": "unix:\(path)"])
        #expect(run.status == 0)
    }

    @Test func aClosedPipeEndsItQuietly() throws {
        let client = try Client()
        let script = """
            yes increment | \(Client.program) --store counter dispatch - | head -n 1
            echo ${PIPESTATUS[1]}
            """
        let shell = try ChildProcess(
            ["bash", "-c", script], environment: ["REX_URL": "tcp://\(client.server.address)"])
        shell.closeInput()
        let lines = try shell.rest().split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasPrefix("{\"op\":\"ack\"") && lines[1] == "0")
        try shell.wait()
        #expect(!shell.errorText.contains("rex-client"))
    }

    @Test func aShutdownMeansTryAgainLater() throws {
        let client = try Client()
        let sender = try client.start("--store", "counter", "dispatch", "-")
        try sender.write("increment\n")
        _ = try sender.line()
        try client.server.stop()
        #expect(try sender.status() == 75)
        #expect(sender.errorText.contains("shutting_down"))
        #expect(sender.errorText.contains("1 actions were acknowledged before that"))
    }
}
