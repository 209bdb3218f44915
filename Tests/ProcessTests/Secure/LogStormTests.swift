import RexProtocol
import RexTesting
import Testing

/// What others cause as often as they like is a line with a count, and says nothing of what they
/// sent.
@Suite(.serialized, .ownThreads) struct LogStormTests {
    /// The lines of an event, and how often it came by what they say.
    private static func count(_ event: String, in log: String) -> (lines: Int, events: Int) {
        let lines = log.split(separator: "\n").filter { $0.contains(" \(event) ") }
        let counts = lines.map { line in
            line.split(separator: " ").first { $0.hasPrefix("repeated=") }
                .flatMap { Int($0.dropFirst("repeated=".count)) } ?? 1
        }
        return (lines.count, counts.reduce(0, +))
    }

    @Test func aStormOfFailedLoginsIsALineASecond() throws {
        let tokens = try TokenText(["ann": TokenText.owner])
        let server = try tokens.server("--log-level", "info")
        let began = ContinuousClock.now
        for number in 0..<300 {
            let guess: JSONValue = ["op": "hello", "token": .string("guess-\(number)")]
            #expect(try LineClient(server).ask(guess).code == "unauthorized")
        }
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        // Another address is another storm.
        let other = try LineClient(server, from: "127.0.0.2")
        #expect(try other.ask(["op": "hello", "token": "guess-x"]).code == "unauthorized")
        #expect(try server.stop() == .exited(0))
        let log = server.process.errorText
        let logins = Self.count("unauthorized", in: log)
        #expect(logins.events == 301)
        #expect(Double(logins.lines) <= seconds + 4, "\(logins) in \(seconds) s")
        let closes = Self.count("closing", in: log)
        #expect(closes.events == 301 && closes.lines <= logins.lines + 2)
        #expect(!log.contains("guess-"))
    }

    @Test func aStormOfBadFramesIsOneToo() throws {
        let server = try Programs.startServer("--log-level", "debug", "--log-format", "json")
        let client = try LineClient(server)
        try client.send(String(repeating: "{\"op\":\"my-secret\"}\n", count: 2_000))
        for _ in 0..<2_000 { #expect(try client.frame().code == "unknown_op") }
        #expect(try server.stop() == .exited(0))
        let log = server.process.errorText
        let lines = try log.split(separator: "\n").filter { $0.contains("\"refused\"") }
            .map { try RawJSON(parsing: Array($0.utf8)).value }
        let events = lines.reduce(0) { $0 + (Int($1["repeated"]?.string ?? "1") ?? 0) }
        #expect(events == 2_000 && lines.count < 200 && lines.first?["code"] == "unknown_op")
        #expect(!log.contains("my-secret"))
    }

    /// Names that others choose: of files, of addresses, of stores.
    @Test func namesMoveNoCursor() throws {
        let scratch = try Scratch()
        let bad = "\u{1b}[31m\u{9b}2J\u{202e}x"
        let server = try Programs.startServer(
            "--log-level", "debug",
            listen: ["127.0.0.1:0", "unix:\(scratch.folder)/\(bad).s"])
        let client = try LineClient(server)
        let fork: JSONValue = ["op": "fork", "store": "counter", "as": .string("a\u{9b}2J")]
        #expect(try client.ask(fork).op == "ack")
        let web = try WebClient(server)
        _ = try web.ask("GET", "/metrics", ["User-Agent": "\u{9b}31m", "Rex-Session": "\u{9b}"])
        _ = try client.ask(["op": "hello", "protocol": 1, "client": .string(bad)])
        #expect(try server.stop() == .exited(0))
        let log = server.process.errorText
        #expect(log.contains("listening") && log.contains(#"\u001b[31m\u009b2J\u202ex"#))
        let unseen = log.unicodeScalars.filter {
            ($0.value < 0x20 && $0 != "\n") || (0x7F...0x9F).contains($0.value)
                || (0x2028...0x202E).contains($0.value)
        }
        #expect(unseen.isEmpty, "\(log)")
    }
}
