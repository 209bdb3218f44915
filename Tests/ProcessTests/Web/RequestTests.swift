import RexProtocol
import RexTesting
import Testing

/// Requests over HTTP: what each path answers, and how a connection lives on.
@Suite(.ownThreads) struct RequestTests {
    @Test func anActionIsAcknowledgedAndTheStateShowsIt() throws {
        let server = try Programs.startServer()
        let web = try WebClient(server)
        let ack = try web.post("/stores/counter/actions", #"{"type":"add","payload":5}"#)
        #expect(ack.status == 200 && ack.headers["content-type"] == "application/json")
        #expect(ack.json == ["op": "ack", "store": "counter", "rev": 1])
        let state = try web.ask("GET", "/stores/counter/state?path=/count")
        #expect(state.status == 200)
        #expect(state.json["op"] == "state" && state.json["state"] == 5)
        #expect(state.json["rev"] == 1 && state.json["path"] == "/count")
        let earlier = try web.ask("GET", "/stores/counter/state?path=/count&at=0")
        #expect(earlier.json["state"] == 0)
        #expect(try web.ask("GET", "/stores/counter/state?at=9").status == 404)
        #expect(try web.ask("GET", "/stores/counter/state?path=%2Fcount").json["state"] == 5)
    }

    @Test func aTagSaysWhetherTheStateIsStillTheSame() throws {
        let server = try Programs.startServer()
        let web = try WebClient(server)
        let first = try web.ask("GET", "/stores/counter/state")
        let tag = try #require(first.headers["etag"])
        let same = try web.ask("GET", "/stores/counter/state", ["If-None-Match": tag])
        #expect(same.status == 304 && same.body.isEmpty && same.headers["etag"] == tag)
        #expect(
            try web.ask(
                "GET", "/stores/counter/state", ["If-None-Match": "\"other\", W/\(tag)"]
            ).status == 304)
        _ = try web.post("/stores/counter/actions", #"{"type":"increment"}"#)
        let next = try web.ask("GET", "/stores/counter/state", ["If-None-Match": tag])
        #expect(next.status == 200 && next.headers["etag"] != tag)
    }

    @Test func keysAndExpectationsTravelAsHeaders() throws {
        let server = try Programs.startServer()
        let web = try WebClient(server)
        let path = "/stores/counter/actions"
        let add = #"{"type":"add","payload":1}"#
        let tag = try #require(try web.ask("GET", "/stores/counter/state").headers["etag"])
        #expect(try web.post(path, add, ["Idempotency-Key": "k1"]).json["rev"] == 1)
        let again = try web.post(path, add, ["Idempotency-Key": "k1"])
        #expect(again.status == 200 && again.json["duplicate"] == true && again.json["rev"] == 1)
        let reused = try web.post(path, #"{"type":"increment"}"#, ["Idempotency-Key": "k1"])
        #expect(reused.status == 422 && reused.json.code == "key_reused")
        let conflict = try web.post(path, add, ["If-Match": tag])
        #expect(conflict.status == 412 && conflict.json.code == "conflict")
        #expect(try web.post(path, add, ["If-Match": "\"1\""]).json["rev"] == 2)
        #expect(try web.post(path, add, ["If-Match": "\"other:2\""]).status == 412)
        #expect(try web.post(path, add, ["If-Match": "soon"]).status == 400)
        #expect(try web.post(path, add, ["If-Match": "\"some:other:2\""]).status == 400)
        #expect(try web.post(path, add, ["If-Match": "*"]).json["rev"] == 3)
        let long = String(repeating: "k", count: 257)
        #expect(try web.post(path, add, ["Idempotency-Key": long]).status == 400)
    }

    /// `at` leads into the body; what is wrong beside it is named in the message.
    @Test func whatIsWrongBesideTheBodyIsNamed() throws {
        let server = try Programs.startServer()
        let web = try WebClient(server)
        let path = "/stores/counter/actions"
        let add = #"{"type":"add","payload":1}"#
        _ = try web.post(path, add, ["Idempotency-Key": "k1"])
        for (answer, code, part) in [
            (try web.post(path, add, ["If-Match": "\"0\""]), "conflict", "If-Match"),
            (try web.post(path, add, ["If-Match": "\"other:1\""]), "conflict", "If-Match"),
            (try web.post(path, add, ["If-Match": "soon"]), "bad_frame", "If-Match"),
            (
                try web.post(path, #"{"type":"increment"}"#, ["Idempotency-Key": "k1"]),
                "key_reused", "Idempotency-Key"
            ),
            (try web.post(path, add, ["Idempotency-Key": ""]), "bad_frame", "Idempotency-Key"),
            (try web.post(path, add, ["Rex-Session": ""]), "bad_frame", "Rex-Session"),
            (try web.ask("GET", "/stores/doc/state?path=x"), "bad_frame", "path in the query"),
            (try web.ask("GET", "/stores/doc/patches?path=x"), "bad_frame", "path in the query"),
            (try web.ask("GET", "/stores/doc/state?at=x"), "bad_frame", "at in the query"),
            (try web.post("/topics/a..b", "1"), "bad_topic", "the topic in the address"),
        ] {
            #expect(answer.json.code == code, "\(answer.text)")
            #expect(answer.json["message"]?.string?.hasPrefix(part) == true, "\(answer.text)")
            #expect(answer.json["at"] == nil, "\(answer.text)")
            #expect(code != "conflict" || answer.json["rev"] == 1, "\(answer.text)")
        }
        // A place in the body is still a place.
        let payload = try web.post(path, #"{"type":"add","payload":"x"}"#)
        #expect(payload.json["at"] == "/payload", "\(payload.text)")
        #expect(try web.ask("GET", "/livez").status == 200)
    }

    @Test(arguments: [
        (#"{"type":"nonsense"}"#, 400, "bad_action"), (#"{"type":"tick"}"#, 403, "forbidden"),
        (#"{"type":"add","payload":"x"}"#, 400, "bad_action"), ("{", 400, "bad_json"),
        ("", 400, "bad_json"), ("[]", 400, "bad_frame"), ("{}", 400, "bad_frame"),
        (#"{"type":"add","payload":9223372036854775807}"#, 200, ""),
    ])
    func aWrongActionGetsItsErrorAsJSON(body: String, status: Int, code: String) throws {
        let server = try Programs.startServer()
        let web = try WebClient(server)
        let answer = try web.post("/stores/counter/actions", body)
        #expect(answer.status == status && (answer.json.code ?? "") == code, "\(answer.text)")
        #expect(try web.ask("GET", "/livez").status == 200)
    }

    @Test func whatDoesNotExistIsNotFound() throws {
        let server = try Programs.startServer()
        let web = try WebClient(server)
        #expect(try web.post("/stores/none/actions", "{}").json.code == "unknown_store")
        for path in [
            "/nothing", "/stores/counter", "/stores/counter/nothing", "/stores", "/topics",
            "/topics/a/b", "/../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc/passwd",
            "/stores/../stores/counter/state", "/livez/x",
        ] { #expect(try web.ask("GET", path).status == 404, "\(path)") }
    }

    @Test func eachPathHasItsMethods() throws {
        let server = try Programs.startServer()
        let web = try WebClient(server)
        for (method, path, allowed) in [
            ("POST", "/livez", "GET, HEAD"), ("DELETE", "/metrics", "GET, HEAD"),
            ("PUT", "/stores/counter/state", "GET, HEAD"),
            ("GET", "/stores/counter/actions", "POST"), ("GET", "/topics/news", "POST"),
            ("POST", "/stores/counter/patches", "GET"), ("POST", "/ws", "GET"),
            ("OPTIONS", "/livez", "GET, HEAD"), ("PATCH", "/readyz", "GET, HEAD"),
        ] {
            let answer = try web.ask(method, path, body: method == "GET" ? nil : "")
            #expect(answer.status == 405 && answer.headers["allow"] == allowed, "\(path)")
        }
    }

    @Test func aHeadIsAnAnswerWithoutItsBody() throws {
        let server = try Programs.startServer()
        let web = try WebClient(server)
        for path in ["/livez", "/stores/counter/state", "/nothing"] {
            let whole = try web.ask("GET", path)
            let head = try web.ask("HEAD", path)
            #expect(head.status == whole.status)
            #expect(head.headers["content-length"] == "\(whole.body.count)")
        }
        #expect(try web.ask("GET", "/livez").text == "ok\n")
    }

    @Test func aConnectionServesManyRequestsAlsoAtOnce() throws {
        let server = try Programs.startServer()
        let web = try WebClient(server)
        let one = web.request(
            "POST", "/stores/doc/actions", ["Content-Type": "application/json"],
            body: #"{"type":"increment","payload":{"path":"/n","by":1}}"#)
        try web.socket.send(String(repeating: one, count: 50))
        for number in 1...50 { #expect(try web.answer().json["rev"] == .int(number)) }
        let last = try web.ask("GET", "/livez", ["Connection": "close"])
        #expect(last.status == 200 && last.headers["connection"] == "close")
        #expect(try web.isEnded())
    }

    @Test func anOldProgramMustAskForTheConnectionToStay() throws {
        let server = try Programs.startServer()
        let old = try WebClient(server)
        let request = "GET /livez HTTP/1.0\r\nHost: \(server.address)\r\n"
        try old.socket.send(request + "Connection: keep-alive\r\n\r\n")
        #expect(try old.answer().headers["connection"] == "keep-alive")
        try old.socket.send(request + "\r\n")
        #expect(try old.answer().headers["connection"] == "close")
        #expect(try old.isEnded())
    }

    @Test func aBodyMayComeInChunksAndMayWaitForLeave() throws {
        let server = try Programs.startServer()
        let web = try WebClient(server)
        let head = [
            "Content-Type": "application/json", "Transfer-Encoding": "chunked",
            "Expect": "100-continue",
        ]
        try web.socket.send(web.request("POST", "/stores/counter/actions", head))
        #expect(try web.head().status == 100)
        try web.socket.send("8;ext=1\r\n{\"type\":\r\n")
        try web.socket.send("c\r\n\"increment\"}\r\n0\r\nTrailer: x\r\n\r\n")
        #expect(try web.answer().json["rev"] == 1)
        #expect(try web.ask("GET", "/livez").status == 200)
    }

    @Test func whoEndsItsHalfStillGetsItsAnswer() throws {
        let server = try Programs.startServer()
        let web = try WebClient(server)
        try web.socket.send(web.request("GET", "/livez"))
        web.socket.finish()
        #expect(try web.answer().text == "ok\n")
        #expect(try web.isEnded())
    }

    @Test func anEventReachesWhoListens() throws {
        let server = try Programs.startServer()
        let listener = try LineClient(server)
        _ = try listener.ask(["op": "listen", "topic": "news.>"])
        let web = try WebClient(server)
        let ack = try web.post("/topics/news.sport", #"{"goal":1}"#)
        #expect(ack.status == 200 && ack.json["listeners"] == 1)
        let event = try listener.frame()
        #expect(event["topic"] == "news.sport" && event["data"] == ["goal": 1])
        #expect(try web.post("/topics/chat.x", "1").status == 403)
        #expect(try web.post("/topics/$server.x", "1").status == 403)
        #expect(try web.post("/topics/a..b", "1").json.code == "bad_topic")
        #expect(try web.post("/topics/a", "{").json.code == "bad_json")
    }

    @Test func severalRequestsMayBeOneClient() throws {
        let server = try Programs.startServer(limits: "\"session_ms\": 300")
        let watcher = try LineClient(server)
        _ = try watcher.ask(["op": "listen", "topic": "$presence.chat.*"])
        func say(_ body: String) throws -> WebClient.Answer {
            try WebClient(server).post("/stores/chat/actions", body, ["Rex-Session": "tab-1"])
        }
        let join = #"{"type":"join","payload":{"room":"general","name":"ann"}}"#
        #expect(try say(join).status == 200)
        let joined = try watcher.frame()
        #expect(joined["topic"] == "$presence.chat.join")
        let talk = #"{"type":"send","payload":{"room":"general","text":"hello"}}"#
        #expect(try say(talk).status == 200)
        let stranger = try WebClient(server).post("/stores/chat/actions", talk)
        #expect(stranger.status == 422 && stranger.json.code == "rejected")
        let left = try watcher.push {
            $0["topic"] == "$presence.chat.leave" && $0["data"] == joined["data"]
        }
        #expect(left.op == "event")
        #expect(try watcher.state("chat", "/rooms/general/members") == [])
    }

    @Test func oneConnectionTooManyIsToldSo() throws {
        let server = try Programs.startServer(limits: "\"connections\": 1")
        let only = try WebClient(server)
        #expect(try only.ask("GET", "/livez").status == 200)
        let second = try WebClient(server)
        let answer = try second.ask("GET", "/livez")
        #expect(answer.status == 503 && answer.json.code == "overloaded")
        #expect(answer.headers["retry-after"] == "1")
        #expect(try second.isEnded())
        #expect(try LineClient(server).rest().map(\.code) == ["overloaded", "overloaded"])
        #expect(try only.ask("GET", "/livez").status == 200)
    }
}
