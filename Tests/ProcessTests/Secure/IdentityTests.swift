import Foundation
import RexProtocol
import RexTesting
import Testing

/// Who may come in, by every way in.
@Suite(.ownThreads) struct IdentityTests {
    private static let people: [String: JSONValue] = ["ann": TokenText.owner, "bob": [:]]

    // MARK: Lines

    @Test(
        arguments: [
            #"{"op":"ping"}"#, #"{"op":"clients"}"#, #"{"type":"increment","store":"counter"}"#,
            #"{"op":"hello"}"#, #"{"op":"hello","token":"wrong"}"#, #"{"op":"hello","token":""}"#,
            #"{"op":"subscribe","store":"counter"}"#, #"{"op":"listen","topic":">"}"#,
            #"{"op":"hello","token":"ann"}"#, #"{"op":"pong"}"#,
        ])
    func whoSaysNothingGoodIsClosed(line: String) throws {
        let tokens = try TokenText(Self.people)
        let server = try tokens.server()
        let client = try LineClient(server)
        // What stands behind it is not served either.
        try client.send(line + "\n" + #"{"op":"hello","token":"ann-token"}"# + "\n")
        let frames = try client.rest()
        #expect(frames.map(\.op) == ["error", "bye"], "\(frames)")
        #expect(frames.allSatisfy { $0.code == "unauthorized" })
        #expect(frames.last?["reconnect"] == false)
        #expect(try server.stop() == .exited(0))
    }

    @Test func aTokenIsAUserForEverybodyToSee() throws {
        let tokens = try TokenText(Self.people)
        let server = try tokens.server()
        let ann = try LineClient(server, as: "ann")
        _ = try ann.ask(["op": "listen", "topic": "news.*"])
        let other = try LineClient(server, as: "ann")
        _ = try other.ask(["op": "publish", "topic": "news.a", "data": 1])
        #expect(try ann.frame()["from"]?["user"] == "ann")
        let clients = try ann.ask(["op": "clients"])["clients"]?.array ?? []
        #expect(clients.count == 2 && clients.allSatisfy { $0["user"] == "ann" })
        _ = try ann.dispatch("increment")
        let history = try ann.ask(["op": "history", "store": "counter"])
        #expect(history["entries"]?.array?[0]["from"]?["user"] == "ann")
    }

    /// A key is the user's own: nobody gets somebody else's answer.
    @Test func aKeyOfAnotherUserIsAnotherKey() throws {
        let tokens = try TokenText(["ann": TokenText.owner, "bob": TokenText.owner])
        let server = try tokens.server()
        let (ann, bob) = (try LineClient(server, as: "ann"), try LineClient(server, as: "bob"))
        #expect(try ann.dispatch("increment", with: ["key": "k"])["rev"] == 1)
        let his = try bob.dispatch("increment", with: ["key": "k"])
        #expect(his["rev"] == 2 && his["duplicate"] == nil)
    }

    @Test func aServerThatAsksNobodyTakesAnyToken() throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        let welcome = try client.ask(["op": "hello", "token": "whatever"])
        #expect(welcome.op == "welcome" && welcome["user"] == nil)
        #expect(try server.stop() == .exited(0))
    }

    @Test func whoNeverSaysWhoTheyAreIsLetGo() throws {
        let tokens = try TokenText(Self.people)
        let scratch = try Scratch()
        let file = try scratch.write(#"{"limits":{"handshake_ms":200}}"#, to: "rex.json")
        let server = try tokens.server("--config", file)
        let silent = try LineClient(server)
        #expect(try silent.rest().last?.code == "unauthorized")
        let web = try MessageClient(server)
        #expect(try web.ending().code == 1008)
        let known = try LineClient(server, as: "ann")
        #expect(try silent.line() == nil)
        #expect(try known.ask(["op": "ping"]).op == "pong")
    }

    // MARK: Sessions

    @Test func aSessionOfAnotherUserIsNotTakenOver() throws {
        let tokens = try TokenText(["ann": TokenText.owner, "bob": TokenText.owner])
        let server = try tokens.server()
        let ann = try LineClient(server)
        let welcome = try ann.ask(["op": "hello", "token": "ann-token"])
        let session = try #require(welcome["session"])
        _ = try ann.dispatch("join", ["room": "general", "name": "ann"], store: "chat")
        func come(_ token: JSONValue) throws -> JSONValue {
            let client = try LineClient(server)
            return try client.ask(["op": "hello", "token": token, "session": session])
        }
        let his = try come("bob-token")
        #expect(his["user"] == "bob" && his["session"] != session)
        #expect(his["client"] != welcome["client"])
        #expect(try ann.ask(["op": "ping"]).op == "pong")
        ann.reset()
        let again = try come("bob-token")
        #expect(again["client"] != welcome["client"] && again["session"] != session)
        let hers = try come("ann-token")
        #expect(hers["client"] == welcome["client"] && hers["session"] == session)
    }

    // MARK: HTTP and WebSocket

    @Test(arguments: ["GET /stores/counter/state", "GET /stores/counter/patches", "GET /metrics"])
    func aRequestNeedsItsOwnToken(line: String) throws {
        let tokens = try TokenText(Self.people)
        let server = try tokens.server()
        let words = line.split(separator: " ").map(String.init)
        for headers in [
            [:], ["Authorization": "Bearer wrong"], ["Authorization": "Basic YW5uOng="],
            ["Authorization": "Bearer"], ["Authorization": "Bearer ann-token x"],
        ] {
            let answer = try WebClient.ask(server, words[0], words[1], headers)
            #expect(answer.status == 401 && answer.json.code == "unauthorized", "\(headers)")
            #expect(answer.headers["www-authenticate"] == "Bearer")
        }
        // A user without any permission, and one with all.
        let his = try WebClient.ask(server, words[0], words[1], WebClient.bearer("bob"))
        #expect(his.status == 403 && his.json.code == "forbidden")
        let web = try WebClient(server)
        try web.socket.send(web.request(words[0], words[1], WebClient.bearer("ann")))
        #expect(try web.head().status == 200)
    }

    @Test func theTokenIsNeverInAnAddress() throws {
        let tokens = try TokenText(Self.people)
        let server = try tokens.server()
        for query in ["token=ann-token", "access_token=ann-token"] {
            let answer = try WebClient.ask(server, "GET", "/stores/counter/state?\(query)")
            #expect(answer.status == 401)
        }
    }

    @Test func whatHoldsNothingOfAStoreIsOpen() throws {
        let tokens = try TokenText(Self.people)
        let server = try tokens.server()
        for path in ["/livez", "/readyz", "/", "/inspector", "/rex.js"] {
            #expect(try WebClient.ask(server, "GET", path).status == 200, "\(path)")
        }
        #expect(try WebClient.ask(server, "GET", "/nothing").status == 404)
    }

    /// Behind a proxy requests of many come on one connection.
    @Test func eachRequestOfAConnectionHasItsOwnUser() throws {
        let tokens = try TokenText(["ann": TokenText.owner, "bob": TokenText.owner])
        let server = try tokens.server()
        let web = try WebClient(server)
        func post(_ body: String, _ name: String) throws -> WebClient.Answer {
            try web.post("/stores/chat/actions", body, WebClient.bearer(name))
        }
        let join = #"{"type":"join","payload":{"room":"general","name":"ann"}}"#
        #expect(try post(join, "ann").status == 200)
        let send = #"{"type":"send","payload":{"room":"general","text":"hi"}}"#
        // He is not in her place, though he comes by the same connection.
        #expect(try post(send, "bob").json.code == "rejected")
        #expect(try web.ask("GET", "/stores/chat/state").status == 401)
        // A WebSocket without a token is not his either.
        try web.socket.send(web.request("GET", "/ws", MessageClient.upgrade))
        #expect(try web.head().status == 101)
        try web.socket.send(
            MessageClient.frame(MessageClient.textFrame, Array(#"{"op":"ping"}"#.utf8)))
        let text = String(decoding: try web.socket.bytes(60) ?? [], as: UTF8.self)
        #expect(text.contains("unauthorized"), "\(text)")
    }

    @Test func aRexSessionOfAnotherUserIsAnotherClient() throws {
        let tokens = try TokenText(["ann": TokenText.owner, "bob": TokenText.owner])
        let server = try tokens.server()
        func post(_ body: String, _ name: String) throws -> WebClient.Answer {
            let headers = WebClient.bearer(name).merging(["Rex-Session": "s"]) { $1 }
            return try WebClient(server).post("/stores/chat/actions", body, headers)
        }
        let join = #"{"type":"join","payload":{"room":"general","name":"ann"}}"#
        let send = #"{"type":"send","payload":{"room":"general","text":"hi"}}"#
        #expect(try post(join, "ann").status == 200)
        #expect(try post(send, "bob").json.code == "rejected")
        #expect(try post(send, "ann").status == 200)
    }

    @Test func aWebSocketSaysItByHelloOrByItsHandshake() throws {
        let tokens = try TokenText(Self.people)
        let server = try tokens.server()
        let page = try MessageClient(server)
        #expect(try page.ask(["op": "hello", "token": "ann-token"])["user"] == "ann")
        let program = try MessageClient(server, WebClient.bearer("ann"))
        #expect(try program.ask(["op": "clients"]).op == "clients")
        let both = try MessageClient(server, WebClient.bearer("ann"))
        #expect(try both.ask(["op": "hello", "token": "bob-token"])["user"] == "bob")
        let stranger = try MessageClient(server)
        try stranger.send(["op": "get", "store": "counter"])
        let (messages, code) = try stranger.ending()
        #expect(messages.map(\.code) == ["unauthorized", "unauthorized"] && code == 1008)
        let wrong = try WebClient.ask(
            server, "GET", "/ws",
            MessageClient.upgrade.merging(["Authorization": "Bearer x"]) { $1 })
        #expect(wrong.status == 401)
    }

    // MARK: Without a token

    @Test func whoShowsNothingMayHaveRulesToo() throws {
        let anonymous: JSONValue = ["stores": ["counter": ["read": ["/count"]]]]
        let tokens = try TokenText(Self.people, ["anonymous": anonymous])
        let server = try tokens.server()
        let client = try LineClient(server)
        #expect(try client.state("counter", "/count") == 0)
        #expect(try client.dispatch("increment").code == "forbidden")
        #expect(
            try WebClient.ask(server, "GET", "/stores/counter/state").json["state"] == ["count": 0])
        // A bad token is no token's worth of rights.
        let wrong = try WebClient.ask(
            server, "GET", "/stores/counter/state", ["Authorization": "Bearer x"])
        #expect(wrong.status == 401)
    }

    @Test func aUserOfTheSystemIsKnownOnAUnixSocket() throws {
        let me: JSONValue = [
            "name": "me", "uid": .int(Int(getuid())),
            "may": ["stores": ["counter": ["read": ["/count"]]]],
        ]
        let tokens = try TokenText(Self.people, ["users": [me]])
        let scratch = try Scratch()
        let path = scratch.folder + "/socket"
        let server = try tokens.server(listen: ["127.0.0.1:0", "unix:\(path)"])
        let local = try LineClient(path: path)
        #expect(try local.ask(["op": "hello"])["user"] == "me")
        #expect(try local.state("counter", "/count") == 0)
        #expect(try local.dispatch("increment").code == "forbidden")
        // A token says more than the socket.
        let ann = try LineClient(path: path)
        #expect(try ann.ask(["op": "hello", "token": "ann-token"])["user"] == "ann")
        // By TCP nobody is known.
        #expect(try LineClient(server).ask(["op": "hello"]).code == "unauthorized")
    }

    // MARK: JSON Web Tokens

    private func jwtServer() throws -> (TokenText, ServerProcess) {
        let tokens = try TokenText(
            Self.people, ["roles": ["owner": TokenText.owner], "jwt": TokenText.issuer()])
        return (tokens, try tokens.server())
    }

    @Test func aJSONWebTokenIsGoodByEveryWayIn() throws {
        let (_, server) = try jwtServer()
        let token = try TokenText.jwt(#"{"sub":"cid","aud":"rex","exp":4102444800}"#)
        let lines = try LineClient(server)
        #expect(try lines.ask(["op": "hello", "token": .string(token)])["user"] == "cid")
        let page = try MessageClient(server)
        #expect(try page.ask(["op": "hello", "token": .string(token)])["user"] == "cid")
        let bearer = ["Authorization": "Bearer \(token)"]
        let web = try WebClient.ask(server, "GET", "/stores/counter/state", bearer)
        #expect(web.status == 200)
        for claims in [
            #"{"sub":"cid","aud":"rex","exp":1}"#, #"{"sub":"cid","aud":"other","exp":4102444800}"#,
            #"{"sub":"cid","aud":"rex"}"#,
            #"{"sub":"cid","aud":"rex","exp":4102444800,"nbf":4102444700}"#,
        ] {
            let bad = try TokenText.jwt(claims)
            let refused = try LineClient(server)
            #expect(try refused.ask(["op": "hello", "token": .string(bad)]).code == "unauthorized")
            let header = ["Authorization": "Bearer \(bad)"]
            #expect(try WebClient.ask(server, "GET", "/stores/counter/state", header).status == 401)
        }
    }

    @Test func aConnectionEndsWithItsToken() throws {
        let (_, server) = try jwtServer()
        // Whole seconds, of which one has begun.
        let end = Int(Date().timeIntervalSince1970) + 3
        let token = try TokenText.jwt(#"{"sub":"cid","aud":"rex","exp":\#(end)}"#)
        let lines = try LineClient(server)
        #expect(try lines.ask(["op": "hello", "token": .string(token)])["user"] == "cid")
        let stream = try WebClient(server)
        try stream.socket.send(
            stream.request(
                "GET", "/stores/counter/patches", ["Authorization": "Bearer \(token)"]))
        #expect(try stream.head().status == 200)
        _ = try stream.event()
        let bye = try lines.frame()
        #expect(bye.op == "bye" && bye.code == "unauthorized", "\(bye)")
        #expect(Date().timeIntervalSince1970 >= Double(end))
        #expect(try stream.event()["event"] == "bye")
        let again = try LineClient(server)
        #expect(try again.ask(["op": "hello", "token": .string(token)]).code == "unauthorized")
    }

    @Test func aKeyThatIsTakenAwayEndsItsTokens() throws {
        let (tokens, server) = try jwtServer()
        let token = try TokenText.jwt(#"{"sub":"cid","aud":"rex","exp":4102444800}"#)
        let lines = try LineClient(server)
        #expect(try lines.ask(["op": "hello", "token": .string(token)])["user"] == "cid")
        try tokens.change("jwt", to: TokenText.issuer("other"), of: server)
        #expect(try lines.frame().code == "unauthorized")
    }

    // MARK: Where it listens

    @Test func beyondLoopbackThereAreTokensOrConsent() throws {
        func run(_ words: String...) throws -> Programs.Ended {
            try Programs.run(
                [Programs.server, "--memory", "--check-config", "--listen", "0.0.0.0:0"] + words)
        }
        let refused = try run()
        #expect(refused.code == 2 && refused.errors.contains("--token-file"), "\(refused.errors)")
        #expect(try run("--insecure").code == 0)
        let tokens = try TokenText(Self.people)
        #expect(try run("--token-file", tokens.path).code == 0)
        let none = try run("--token-file", "/nowhere.json")
        #expect(none.code == 78 && none.errors.contains("/nowhere.json"), "\(none.errors)")
    }

    @Test func aFileThatDoesNotFitIsNamedWithItsLine() throws {
        let scratch = try Scratch()
        let file = try scratch.write("{\n\"users\": 1}", to: "tokens.json")
        let ended = try Programs.run([Programs.server, "--memory", "--token-file", file])
        #expect(ended.code == 78)
        #expect(ended.errors.contains("\(file): line 2: users: expected a list"), "\(ended.errors)")
    }

    // MARK: What is not said

    @Test func noTokenIsEverInLogOrMetrics() throws {
        let tokens = try TokenText(Self.people)
        let server = try tokens.server("--log-level", "debug")
        let ann = try LineClient(server, as: "ann")
        _ = try ann.dispatch("showAlert", "a-payload")
        _ = try LineClient(server).ask(["op": "hello", "token": "secret-guess"])
        _ = try WebClient.ask(
            server, "GET", "/stores/counter/state", ["Authorization": "Bearer secret-guess"])
        let metrics = try WebClient.ask(server, "GET", "/metrics", WebClient.bearer("ann")).text
        #expect(metrics.contains("rex_errors_total{code=\"unauthorized\"} 2"))
        #expect(try server.stop() == .exited(0))
        let log = server.process.errorText
        #expect(log.contains(" unauthorized "))
        for secret in ["secret-guess", "ann-token", "a-payload", "dfa603df"] {
            #expect(!log.contains(secret) && !metrics.contains(secret), "\(secret)")
        }
    }
}
