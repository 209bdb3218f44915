import Foundation
import RexProtocol
import RexTesting
import Testing

/// The token file is read again on SIGHUP: what it takes away is gone within a second.
@Suite(.ownThreads) struct ReloadTests {
    private static let limit = Duration.seconds(1)

    private static func reading(_ places: JSONValue, _ more: JSONObject = [:]) -> JSONValue {
        var may = more
        may["stores"] = ["doc": ["read": places, "dispatch": ["*"]]]
        return .object(may)
    }

    private func start(_ may: JSONValue) throws -> (TokenText, ServerProcess, LineClient) {
        let tokens = try TokenText(["ann": TokenText.owner, "bob": may])
        let server = try tokens.server()
        let ann = try LineClient(server, as: "ann")
        let state: JSONValue = ["a": ["x": 1], "b": ["y": 2], "c": 3]
        _ = try ann.dispatch("merge", state, store: "doc")
        return (tokens, server, ann)
    }

    @Test func aTokenThatIsTakenAwayEndsItsConnections() throws {
        let (tokens, server, ann) = try start(Self.reading([""]))
        let lines = try LineClient(server, as: "bob")
        let page = try MessageClient(server, WebClient.bearer("bob"))
        _ = try page.ask(["op": "subscribe", "store": "doc"])
        let stream = try WebClient(server)
        try stream.socket.send(
            stream.request("GET", "/stores/doc/patches", WebClient.bearer("bob")))
        _ = try stream.head()
        _ = try stream.event()
        let web = try WebClient(server)
        #expect(try web.ask("GET", "/stores/doc/state", WebClient.bearer("bob")).status == 200)

        let start = ContinuousClock.now
        try tokens.change("bob", nil, of: server)
        let bye = try lines.frame()
        #expect(start.duration(to: .now) < Self.limit)
        #expect(bye.op == "bye" && bye.code == "unauthorized" && bye["reconnect"] == false)
        #expect(try lines.line() == nil)
        #expect(try page.ending().code == 1008)
        #expect(try stream.event()["event"] == "bye")
        #expect(try web.ask("GET", "/stores/doc/state", WebClient.bearer("bob")).status == 401)
        // Nobody else is touched, and he does not come back.
        #expect(try ann.ask(["op": "ping"]).op == "pong")
        #expect(
            try LineClient(server).ask(["op": "hello", "token": "bob-token"]).code == "unauthorized"
        )
        // Until he may again.
        try tokens.change("bob", Self.reading([""]), of: server)
        try server.process.errors(until: " notice reloaded\n")
        try server.process.errors(until: " notice reloaded\n")
        _ = try LineClient(server, as: "bob")
    }

    /// However close signals come, what counts is the file as it is at the last one.
    @Test func theLastSignalHasTheLastWord() throws {
        let tokens = try TokenText(["ann": TokenText.owner, "bob": Self.reading([""])])
        let server = try tokens.server()
        for round in 0..<20 {
            try tokens.change("bob", Self.reading([.string("/\(round)")]), of: server)
            try tokens.change("bob", nil, of: server)
        }
        // It is followed by a change that tells when all of them are done.
        try tokens.change("eve", TokenText.owner, of: server)
        let deadline = ContinuousClock.now + ChildProcess.patience
        func isIn(_ name: String) throws -> Bool {
            let hello: JSONValue = ["op": "hello", "token": .string("\(name)-token")]
            return try LineClient(server).ask(hello).op == "welcome"
        }
        while try !isIn("eve") { try #require(ContinuousClock.now < deadline) }
        #expect(try !isIn("bob"))
    }

    /// A certificate that cannot be read holds back nothing that is about users.
    @Test func aTokenIsTakenAwayBesideABrokenCertificate() throws {
        let scratch = try Scratch()
        let certificate = scratch.folder + "/server.pem"
        try FileManager.default.copyItem(
            atPath: Certificates.path("server.pem"), toPath: certificate)
        let tokens = try TokenText(["ann": TokenText.owner, "bob": Self.reading([""])])
        let server = try tokens.server(
            "--tls-cert", certificate, "--tls-key", Certificates.path("server.key"))
        let bob = try LineClient(server, as: "bob")
        _ = try scratch.write("no certificate", to: "server.pem")
        try tokens.change("bob", nil, of: server)
        #expect(try bob.frame().code == "unauthorized")
        try server.process.errors(until: "reload_failed")
        #expect(try LineClient(server, as: "ann").ask(["op": "ping"]).op == "pong")
    }

    @Test func whatMayBeReadNoLongerIsTakenFromSubscribers() throws {
        let (tokens, server, ann) = try start(Self.reading(["/a", "/b"]))
        let bob = try LineClient(server, as: "bob")
        let whole = try bob.ask(["op": "subscribe", "store": "doc"])
        let part = try bob.ask(["op": "subscribe", "store": "doc", "path": "/b"])
        let kept = try bob.ask(["op": "subscribe", "store": "doc", "path": "/a"])
        #expect(part["state"] == ["y": 2])
        let copy = try Replica(bob, beginning: whole)

        let start = ContinuousClock.now
        try tokens.change("bob", Self.reading(["/a"]), of: server)
        let first = try bob.frame()
        #expect(start.duration(to: .now) < Self.limit)
        #expect(first.op == "state" && first["sub"] == whole["sub"])
        #expect(first["rev"] == 1 && first["epoch"] != whole["epoch"])
        try copy.take(first)
        #expect(copy.state == ["a": ["x": 1]])
        let gone = try bob.frame()
        #expect(gone["sub"] == part["sub"])
        #expect(gone.op == "state" && gone["state"] == .null)
        let error = try bob.frame()
        #expect(error.op == "error" && error.code == "forbidden" && error["sub"] == part["sub"])

        // The next changes come as before, and only what may be seen.
        _ = try ann.dispatch("set", ["path": "/b/y", "value": 9], store: "doc")
        _ = try ann.dispatch("set", ["path": "/a/x", "value": 8], store: "doc")
        let next = try bob.frame()
        try copy.take(try next["sub"] == whole["sub"] ? next : bob.frame())
        #expect(copy.state == ["a": ["x": 8]])
        #expect(
            try bob.ask(["op": "unsubscribe", "sub": part["sub"] ?? .null]).code == "not_found")
        #expect(try bob.ask(["op": "unsubscribe", "sub": kept["sub"] ?? .null]).op == "ack")

        // A position of before is not gone on from, one of now is.
        func since(_ epoch: JSONValue?, _ rev: Int) throws -> JSONValue {
            let since: JSONValue = ["epoch": epoch ?? .null, "rev": .int(rev)]
            return try bob.ask(["op": "subscribe", "store": "doc", "since": since])
        }
        #expect(try since(whole["epoch"], 1)["resumed"] == false)
        #expect(try since(first["epoch"], 3)["resumed"] == true)

        // More may be read again: it comes the same way.
        try tokens.change("bob", Self.reading([""]), of: server)
        let more = try bob.push { $0["sub"] == whole["sub"] }
        try copy.take(more)
        #expect(copy.state == ["a": ["x": 8], "b": ["y": 9], "c": 3])
        #expect(try since(more["epoch"], 3)["resumed"] == true)
    }

    @Test func aStreamOfWhatMayBeReadNoLongerEnds() throws {
        let (tokens, server, _) = try start(Self.reading(["/a", "/b"]))
        let stream = try WebClient(server)
        try stream.socket.send(
            stream.request("GET", "/stores/doc/patches?path=/b", WebClient.bearer("bob")))
        _ = try stream.head()
        #expect(try stream.event()["event"] == "state")
        try tokens.change("bob", Self.reading(["/a"]), of: server)
        let state = try stream.event()
        #expect(state["event"] == "state" && state["data"]?.contains(#""state":null"#) == true)
        let error = try stream.event()
        #expect(error["event"] == "error" && error["data"]?.contains("forbidden") == true)
        #expect(try stream.isEnded())
    }

    /// A subscription that gets a frame a minute is not left with what it may not have.
    @Test func aThrottledSubscriberLosesItAtOnce() throws {
        let (tokens, server, ann) = try start(Self.reading(["/a", "/b"]))
        let bob = try LineClient(server, as: "bob")
        let whole = try bob.ask(["op": "subscribe", "store": "doc", "throttle_ms": 60_000])
        _ = try ann.dispatch("set", ["path": "/a/x", "value": 5], store: "doc")
        _ = try bob.frame()
        _ = try ann.dispatch("set", ["path": "/a/x", "value": 6], store: "doc")
        try tokens.change("bob", Self.reading(["/a"]), of: server)
        let state = try bob.frame()
        #expect(state.op == "state" && state["sub"] == whole["sub"])
        #expect(state["state"] == ["a": ["x": 6]] && state["rev"] == 3)
    }

    /// One who does not read is sent, once it reads, no more than it may see by then.
    @Test func aSlowReaderGetsNothingOfWhatItLost() throws {
        let (tokens, server, ann) = try start(Self.reading(["/a", "/b"]))
        let bob = try LineClient(server)
        _ = try bob.ask(["op": "hello", "token": "bob-token"])
        let slow = try LineClient(server, receiveBuffer: 4_096)
        _ = try slow.ask(["op": "hello", "token": "bob-token"])
        let whole = try slow.ask(["op": "subscribe", "store": "doc"])
        let filler = String(repeating: "x", count: 200_000)
        // More than the outbox and the buffers of the system hold.
        for number in 0..<60 {
            let value = JSONValue.string("\(number)\(filler)")
            _ = try ann.dispatch("set", ["path": "/a/x", "value": value], store: "doc")
        }
        try tokens.change("bob", Self.reading(["/a"]), of: server)
        try server.process.errors(until: " notice reloaded\n")
        _ = try ann.dispatch("set", ["path": "/b/y", "value": "lost"], store: "doc")
        _ = try ann.dispatch("set", ["path": "/a/x", "value": "end"], store: "doc")
        let copy = try Replica(slow, beginning: whole)
        while copy.state["a"]?["x"] != "end" {
            let frame = try slow.frame()
            #expect(!"\(frame)".contains("lost"))
            try copy.take(frame)
        }
        #expect(copy.state == ["a": ["x": "end"]])
    }

    @Test func whatMayBeHeardNoLongerIsSilent() throws {
        let more: JSONObject = ["listen": [">"], "publish": [">"]]
        let (tokens, server, ann) = try start(Self.reading([""], more))
        let bob = try LineClient(server, as: "bob")
        let all = try bob.ask(["op": "listen", "topic": ">"])
        let news = try bob.ask(["op": "listen", "topic": "news.*"])
        let less: JSONObject = ["listen": ["allow": [">"], "deny": ["news.>"]]]
        let start = ContinuousClock.now
        try tokens.change("bob", Self.reading([""], less), of: server)
        let error = try bob.frame()
        #expect(start.duration(to: .now) < Self.limit)
        #expect(error.code == "forbidden" && error["listen"] == news["listen"])
        _ = try ann.ask(["op": "publish", "topic": "news.a", "data": 1])
        _ = try ann.ask(["op": "publish", "topic": "other", "data": 2])
        let event = try bob.frame()
        #expect(event["topic"] == "other" && event["listen"] == all["listen"])
        #expect(try bob.ask(["op": "publish", "topic": "other", "data": 3]).code == "forbidden")
        #expect(
            try bob.ask(["op": "unlisten", "listen": news["listen"] ?? .null]).code == "not_found")
        #expect(try bob.ask(["op": "unlisten", "listen": all["listen"] ?? .null]).op == "ack")
    }

    @Test func aBadFileChangesNothing() throws {
        let (tokens, server, _) = try start(Self.reading(["/a"]))
        let bob = try LineClient(server, as: "bob")
        try "{".write(toFile: tokens.path, atomically: true, encoding: .utf8)
        server.process.signal(SIGHUP)
        try server.process.errors(until: " error reload_failed ")
        #expect(try bob.state("doc") == ["a": ["x": 1]])
        #expect(try LineClient(server).ask(["op": "ping"]).code == "unauthorized")
        _ = try LineClient(server, as: "bob")
    }

    /// Who may do the same as before notices nothing.
    @Test func nobodyElseIsDisturbed() throws {
        let (tokens, server, ann) = try start(Self.reading([""]))
        let watcher = try LineClient(server, as: "ann")
        _ = try watcher.ask(["op": "subscribe", "store": "doc"])
        _ = try watcher.ask(["op": "listen", "topic": ">"])
        let parked = try LineClient(server, as: "bob")
        try tokens.change("bob", Self.reading(["/a"]), of: server)
        try server.process.errors(until: " notice reloaded\n")
        #expect(try parked.state("doc") == ["a": ["x": 1]])
        _ = try ann.dispatch("set", ["path": "/c", "value": 4], store: "doc")
        let patch = try watcher.frame()
        #expect(patch["rev"] == 2 && patch["epoch"] == nil)
    }
}
