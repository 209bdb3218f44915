import RexProtocol
import RexTesting
import Testing

/// Server-sent events: a state, then patches; a stream that comes back goes on where it was.
@Suite(.ownThreads) struct EventStreamTests {
    private func open(
        _ server: ServerProcess, _ path: String, _ headers: [String: String] = [:]
    ) throws -> WebClient {
        let web = try WebClient(server)
        try web.socket.send(web.request("GET", path, headers))
        let head = try web.head()
        #expect(head.status == 200 && head.headers["content-type"] == "text/event-stream")
        #expect(
            head.headers["content-length"] == nil && head.headers["cache-control"] == "no-cache")
        return web
    }

    private func json(_ event: [String: String]) throws -> JSONValue {
        try RawJSON(parsing: event["data"] ?? "").value
    }

    @Test func aStreamBeginsWithTheStateAndResumesByItsLastEvent() throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        _ = try client.dispatch("add", 2)
        let stream = try open(server, "/stores/counter/patches?path=/count")
        let first = try stream.event()
        #expect(first["event"] == "state")
        #expect(try json(first)["state"] == 2)
        _ = try client.dispatch("increment")
        let second = try stream.event()
        #expect(second["event"] == "patch")
        let patch = try json(second)
        #expect(patch["from"] == 1 && patch["rev"] == 2)
        #expect(patch["patch"] == [["op": "replace", "path": "", "value": 3]])
        let position = try #require(second["id"])
        stream.socket.close()

        // Two commits while it was away come as one patch.
        _ = try client.dispatch("increment")
        _ = try client.dispatch("increment")
        let again = try open(
            server, "/stores/counter/patches?path=/count", ["Last-Event-ID": position])
        let missed = try again.event()
        #expect(missed["event"] == "patch")
        #expect(try json(missed)["from"] == 2)
        #expect(try json(missed)["rev"] == 4)
        #expect(try json(missed)["patch"] == [["op": "replace", "path": "", "value": 5]])
    }

    @Test(arguments: ["other:1", "nonsense", ":", "EPOCH:99", "EPOCH:-1", "EPOCH:x"])
    func aPositionThatCannotBeResumedGetsTheState(id: String) throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        _ = try client.dispatch("increment")
        let epoch = try client.ask(["op": "get", "store": "counter"])["epoch"]?.string ?? ""
        let stream = try open(
            server, "/stores/counter/patches",
            ["Last-Event-ID": id.replacing("EPOCH", with: epoch)])
        #expect(try stream.event()["event"] == "state")
    }

    @Test func whoHasItAllGetsNothingUntilSomethingHappens() throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        let first = try open(server, "/stores/counter/patches")
        let id = try #require(try first.event()["id"])
        let again = try open(server, "/stores/counter/patches", ["Last-Event-ID": id])
        _ = try client.dispatch("increment")
        #expect(try again.event()["event"] == "patch")
    }

    @Test func aStreamSaysWhyItEnds() throws {
        let server = try Programs.startServer()
        let stream = try open(server, "/stores/counter/patches")
        _ = try stream.event()
        #expect(try server.stop() == .exited(0))
        let bye = try stream.event()
        #expect(bye["event"] == "bye")
        #expect(try json(bye)["code"] == "shutting_down")
        #expect(try stream.isEnded())
    }

    @Test func aStreamIsAClientThatGoesWithItsConnection() throws {
        let server = try Programs.startServer()
        let watcher = try LineClient(server)
        _ = try watcher.ask(["op": "listen", "topic": "$presence.counter.*"])
        let stream = try open(server, "/stores/counter/patches")
        #expect(try watcher.frame()["topic"] == "$presence.counter.join")
        _ = try stream.event()
        stream.socket.close()
        #expect(try watcher.frame()["topic"] == "$presence.counter.leave")
    }

    /// A session lives as long as its stream, and its stream is no second client.
    @Test func aStreamKeepsItsSession() throws {
        let server = try Programs.startServer(limits: "\"session_ms\": 100")
        let watcher = try LineClient(server)
        _ = try watcher.ask(["op": "listen", "topic": "$presence.counter.*"])
        let tab = ["Rex-Session": "tab-7"]
        let stream = try open(server, "/stores/counter/patches?path=/count", tab)
        _ = try stream.event()
        let joined = try watcher.frame()
        #expect(joined["topic"] == "$presence.counter.join")
        Sockets.idle(.milliseconds(400))
        #expect(
            try WebClient(server).post(
                "/stores/counter/actions", #"{"type":"increment"}"#, tab
            ).status == 200)
        #expect(try json(try stream.event())["rev"] == 1)
        let clients = try watcher.ask(["op": "clients"])["clients"]?.array ?? []
        #expect(clients.count { $0["client"] == joined["data"]?["client"] } == 1)
        #expect(watcher.pushed.isEmpty)
        stream.socket.close()
        let left = try watcher.frame()
        #expect(left["topic"] == "$presence.counter.leave" && left["data"] == joined["data"])
    }

    @Test func whatCannotBeStreamedIsRefusedBeforeItBegins() throws {
        let server = try Programs.startServer()
        #expect(try WebClient.ask(server, "GET", "/stores/none/patches").status == 404)
        #expect(
            try WebClient.ask(server, "GET", "/stores/counter/patches?path=x").status == 400)
        let long = "/" + String(repeating: "a", count: 1_024)
        for resource in ["patches", "state"] {
            let path = "/stores/counter/\(resource)?path=\(long)"
            #expect(try WebClient.ask(server, "GET", path).json.code == "bad_frame")
        }
    }
}
