import Foundation
import RexProtocol
import RexTesting
import Testing

/// What each may do: the same by every way in.
@Suite(.ownThreads) struct PermissionTests {
    /// Bob sees and changes parts of `doc`, and hears all but secrets.
    private static let bob: JSONValue = [
        "stores": [
            "doc": [
                "dispatch": ["allow": ["set", "re*"], "deny": ["remove"]],
                "read": ["allow": ["/public", "/rooms/*/topic"], "deny": ["/public/hidden"]],
            ]
        ],
        "publish": ["news.>"], "listen": ["allow": [">"], "deny": ["secret.>", "*.private"]],
    ]

    private func start() throws -> (server: ServerProcess, ann: LineClient) {
        let tokens = try TokenText(["ann": TokenText.owner, "bob": Self.bob])
        let server = try tokens.server()
        let ann = try LineClient(server, as: "ann")
        let start: JSONValue = [
            "public": ["a": 1, "hidden": "h"], "secret": ["key": "s3cret"],
            "rooms": ["r": ["topic": "t", "log": ["x"]]],
        ]
        _ = try ann.dispatch("merge", start, store: "doc")
        return (server, ann)
    }

    private static let seen: JSONValue = ["public": ["a": 1], "rooms": ["r": ["topic": "t"]]]

    // MARK: Dispatch

    @Test func onlyAllowedTypesAreDispatched() throws {
        let (server, ann) = try start()
        let bob = try LineClient(server, as: "bob")
        let page = try MessageClient(server, WebClient.bearer("bob"))
        let web = try WebClient(server)
        let value: JSONValue = ["path": "/public/a", "value": 2]
        for type in ["remove", "merge", "patch", "increment", "no-such"] {
            let action: JSONValue = ["type": .string(type), "payload": value]
            let answer = try bob.ask(["op": "dispatch", "store": "doc", "action": action])
            #expect(answer.code == "forbidden" && answer["at"] == "/action/type", "\(answer)")
            let bare = try bob.ask(["type": .string(type), "store": "doc", "payload": value])
            #expect(bare.code == "forbidden" && bare["at"] == "/type")
            let dry = try bob.ask(
                ["op": "dispatch", "store": "doc", "action": action, "dry_run": true])
            #expect(dry.code == "forbidden")
            let message = try page.ask(["op": "dispatch", "store": "doc", "action": action])
            #expect(message.code == "forbidden")
            let posted = try web.post(
                "/stores/doc/actions", "\(action)", WebClient.bearer("bob"))
            #expect(posted.status == 403 && posted.json.code == "forbidden")
        }
        #expect(try bob.dispatch("set", value, store: "doc")["rev"] == 2)
        #expect(try ann.state("doc", "/public/a") == 2)
    }

    @Test func aStoreWithoutARuleIsNotThere() throws {
        let (server, _) = try start()
        let bob = try LineClient(server)
        let welcome = try bob.ask(["op": "hello", "token": "bob-token"])
        #expect(welcome["stores"]?.array?.map { $0["name"] } == ["doc"])
        for op in ["get", "subscribe", "hash", "diff", "history", "effects", "undo"] {
            let answer = try bob.ask(["op": .string(op), "store": "chat", "from": 0])
            #expect(answer.code == "forbidden", "\(answer)")
        }
        let unknown = try bob.ask(["op": "get", "store": "nowhere"])
        #expect(unknown.code == "unknown_store")
        #expect(unknown["message"]?.string?.contains("chat") == false)
    }

    // MARK: Read

    @Test func onlyThePartThatMayBeReadIsGiven() throws {
        let (server, ann) = try start()
        let bob = try LineClient(server, as: "bob")
        #expect(try bob.state("doc") == Self.seen)
        #expect(try bob.state("doc", "/rooms/r") == ["topic": "t"])
        #expect(try bob.state("doc", "/public/a") == 1)
        #expect(try bob.state("doc", "/rooms/none") == .null)
        for path in ["/secret", "/secret/key", "/public/hidden", "/rooms/r/log/0", "/other"] {
            for op in ["get", "subscribe", "diff"] {
                let answer = try bob.ask(
                    ["op": .string(op), "store": "doc", "path": .string(path), "from": 0])
                #expect(answer.code == "forbidden" && answer["at"] == "/path", "\(answer)")
            }
            for resource in ["state", "patches"] {
                let answer = try WebClient.ask(
                    server, "GET", "/stores/doc/\(resource)?path=\(path)", WebClient.bearer("bob"))
                #expect(answer.status == 403, "\(resource) \(path)")
            }
        }
        let whole = try bob.ask(["op": "hash", "store": "doc"])
        #expect(whole.code == "forbidden")
        let past = try bob.ask(["op": "get", "store": "doc", "at": 1])
        #expect(past["state"] == Self.seen)
        let diff = try bob.ask(["op": "diff", "store": "doc", "from": 0])
        #expect(diff["patch"] == [["op": "replace", "path": "", "value": Self.seen]])
        let web = try WebClient.ask(server, "GET", "/stores/doc/state", WebClient.bearer("bob"))
        #expect(web.json["state"] == Self.seen)
        _ = ann
    }

    /// Somebody else's ETag names another part.
    @Test func anETagIsOfThePartThatIsSeen() throws {
        let (server, _) = try start()
        let hers = try WebClient.ask(server, "GET", "/stores/doc/state", WebClient.bearer("ann"))
        let tag = try #require(hers.headers["etag"])
        let his = try WebClient.ask(
            server, "GET", "/stores/doc/state",
            WebClient.bearer("bob").merging(["If-None-Match": tag]) { $1 })
        #expect(his.status == 200 && his.json["state"] == Self.seen)
        let own = try #require(his.headers["etag"])
        let again = try WebClient.ask(
            server, "GET", "/stores/doc/state",
            WebClient.bearer("bob").merging(["If-None-Match": own]) { $1 })
        #expect(again.status == 304)
        let set = #"{"type":"set","payload":{"path":"/public/a","value":5}}"#
        let change = try WebClient(server).post(
            "/stores/doc/actions", set, WebClient.bearer("bob").merging(["If-Match": own]) { $1 })
        #expect(change.status == 200)
    }

    @Test func aDryRunShowsOnlyWhatMayBeRead() throws {
        let (server, _) = try start()
        let bob = try LineClient(server, as: "bob")
        func dryRun(_ path: JSONValue) throws -> JSONValue {
            let payload: JSONValue = ["path": path, "value": 9]
            return try bob.dispatch("set", payload, store: "doc", with: ["dry_run": true])
        }
        #expect(try dryRun("/secret/key")["patch"] == [])
        #expect(
            try dryRun("/public/a")["patch"] == [
                ["op": "replace", "path": "/public/a", "value": 9]
            ])
    }

    @Test func subscribersOfAPartGetThatPart() throws {
        let (server, ann) = try start()
        let bob = try LineClient(server, as: "bob")
        let lines = try bob.ask(["op": "subscribe", "store": "doc"])
        #expect(lines["state"] == Self.seen)
        let page = try MessageClient(server, WebClient.bearer("bob"))
        #expect(try page.ask(["op": "subscribe", "store": "doc"])["state"] == Self.seen)
        let states = try LineClient(server, as: "bob")
        _ = try states.ask(["op": "subscribe", "store": "doc", "mode": "state"])
        let stream = try WebClient(server)
        try stream.socket.send(
            stream.request("GET", "/stores/doc/patches", WebClient.bearer("bob")))
        #expect(try stream.head().status == 200)
        let first = try RawJSON(parsing: try stream.event()["data"] ?? "").value
        #expect(first["state"] == Self.seen)

        // What is hidden changes alone, with what is seen, and takes all that is seen with it.
        func set(_ path: JSONValue, _ value: JSONValue) throws {
            _ = try ann.dispatch("set", ["path": path, "value": value], store: "doc")
        }
        try set("/secret/key", "other")
        try set("/public/hidden", "x")
        try set("/rooms/s", ["topic": "u", "log": ["y"]])
        try set("/public", ["b": 2, "hidden": "z"])
        try set("/rooms", ["q": ["log": ["only"]]])
        _ = try ann.dispatch("remove", ["path": "/public"], store: "doc")
        try set("/public/end", true)
        let copies = try (0..<3).map { _ in try Replica(bob, beginning: lines) }
        let end: JSONValue = ["public": ["end": true]]
        while copies[0].state != end { try copies[0].take(try bob.frame()) }
        while copies[1].state != end { try copies[1].take(try page.message()) }
        while copies[2].state != end {
            try copies[2].take(try RawJSON(parsing: try stream.event()["data"] ?? "").value)
        }
        var last: JSONValue = .null
        while last != end {
            let frame = try states.frame()
            #expect(!"\(frame)".contains("other") && !"\(frame)".contains("log"))
            last = frame["state"] ?? .null
        }
    }

    @Test func whoComesBackGetsThePartOfThen() throws {
        let (server, ann) = try start()
        let bob = try LineClient(server, as: "bob")
        let first = try bob.ask(["op": "subscribe", "store": "doc"])
        bob.close()
        let set: JSONValue = ["path": "/secret/key", "value": "other"]
        _ = try ann.dispatch("set", set, store: "doc")
        _ = try ann.dispatch("set", ["path": "/public/a", "value": 7], store: "doc")
        let since: JSONValue = ["epoch": first["epoch"] ?? .null, "rev": first["rev"] ?? .null]
        let again = try LineClient(server, as: "bob")
        let resumed = try again.ask(["op": "subscribe", "store": "doc", "since": since])
        #expect(resumed["resumed"] == true && resumed["state"] == nil)
        let patch = try again.frame()
        #expect(patch["patch"] == [["op": "replace", "path": "/public/a", "value": 7]])
        // Her position is of the whole, and his is not hers.
        let whole = try ann.ask(["op": "subscribe", "store": "doc", "since": since])
        #expect(whole["resumed"] == false && whole["state"]?["secret"] != nil)
        let hers: JSONValue = ["epoch": whole["epoch"] ?? .null, "rev": 1]
        let his = try again.ask(["op": "subscribe", "store": "doc", "since": hers])
        #expect(his["resumed"] == false && his["state"]?["secret"] == nil)
    }

    // MARK: Topics

    @Test func aDeniedTopicIsDeniedUnderEveryWildcard() throws {
        let (server, ann) = try start()
        let bob = try LineClient(server, as: "bob")
        for pattern in ["secret.x", "secret.*", "secret.>", "$server.>", "a.private"] {
            let answer = try bob.ask(["op": "listen", "topic": .string(pattern)])
            #expect(answer.code == "forbidden" && answer["at"] == "/topic", "\(pattern)")
        }
        for pattern in [">", "*.*", "*.x", "*.private.>", "news.>"] {
            #expect(
                try bob.ask(["op": "listen", "topic": .string(pattern)]).op == "listening",
                "\(pattern)")
        }
        // She hears it all; what he does not hear is not counted either.
        _ = try ann.ask(["op": "listen", "topic": ">"])
        for topic in ["secret.x", "a.private", "secret.private", "secret.a.b"] {
            let ack = try ann.ask(["op": "publish", "topic": .string(topic), "data": 1])
            #expect(ack["listeners"] == 1, "\(topic)")
        }
        _ = try ann.ask(["op": "publish", "topic": "news.end", "data": 2])
        let topics = try (0..<3).map { _ in try bob.frame()["topic"]?.string }
        #expect(topics == ["news.end", "news.end", "news.end"])
    }

    @Test func onlyAllowedTopicsArePublishedOn() throws {
        let (server, _) = try start()
        let bob = try LineClient(server, as: "bob")
        let page = try MessageClient(server, WebClient.bearer("bob"))
        for topic in ["sport.a", "news", "secret.x", "$server.x", "doc.x"] {
            let publish: JSONValue = ["op": "publish", "topic": .string(topic), "data": 1]
            #expect(try bob.ask(publish).code == "forbidden", "\(topic)")
            #expect(try page.ask(publish).code == "forbidden", "\(topic)")
            let posted = try WebClient(server).post(
                "/topics/\(topic)", "1", WebClient.bearer("bob"))
            #expect(posted.status == 403, "\(topic)")
        }
        #expect(try bob.ask(["op": "publish", "topic": "news.a", "data": 1]).op == "ack")
        let posted = try WebClient(server).post("/topics/news.a", "1", WebClient.bearer("bob"))
        #expect(posted.status == 200)
    }

    // MARK: Admin

    @Test func steeringIsForWhoMaySteer() throws {
        let (server, ann) = try start()
        let bob = try LineClient(server, as: "bob")
        let requests: [JSONValue] = [
            ["op": "undo", "store": "doc"], ["op": "redo", "store": "doc"],
            ["op": "jump", "store": "doc", "rev": 0], ["op": "history", "store": "doc"],
            ["op": "effects", "store": "doc"], ["op": "cancel", "store": "doc", "effect": "x"],
            ["op": "fork", "store": "doc", "as": "copy"], ["op": "clients"],
        ]
        for request in requests {
            #expect(try bob.ask(request).code == "forbidden", "\(request)")
            #expect(try ann.ask(request).code != "forbidden", "\(request)")
        }
        let metrics = try WebClient.ask(server, "GET", "/metrics", WebClient.bearer("bob"))
        #expect(metrics.status == 403)
    }

    /// Who may steer a store and read a part of it learns of its past no more than that part.
    @Test func historyShowsThePartThatMayBeRead() throws {
        let may: JSONValue = ["stores": ["doc": ["read": ["/public"], "admin": true]]]
        let tokens = try TokenText(["ann": TokenText.owner, "bob": may])
        let server = try tokens.server()
        let ann = try LineClient(server, as: "ann")
        _ = try ann.dispatch(
            "merge", ["public": ["a": 1], "secret": "s3cret", "more": "so that it is a patch"],
            store: "doc")
        _ = try ann.dispatch("set", ["path": "/secret", "value": "s4cret"], store: "doc")
        let bob = try LineClient(server, as: "bob")
        let history = try bob.ask(["op": "history", "store": "doc"])
        #expect(!"\(history)".contains("cret"), "\(history)")
        let entries = history["entries"]?.array ?? []
        #expect(entries.map { $0["action"] } == [["type": "merge"], ["type": "set"]])
        #expect(entries.last?["patch"] == [])
        let blame = try bob.ask(["op": "history", "store": "doc", "path": "/secret"])
        #expect(blame.code == "forbidden")
        #expect(try bob.ask(["op": "clients"]).code == "forbidden")
        #expect(try bob.ask(["op": "undo", "store": "doc"]).op == "ack")
    }

    /// Its name is chosen by whoever makes it.
    @Test func aForkTakesNoTopicsFromAnybody() throws {
        let server = try TokenText(["ann": TokenText.owner]).server()
        let ann = try LineClient(server, as: "ann")
        let publish: JSONValue = ["op": "publish", "topic": "alarm.fire", "data": 1]
        #expect(try ann.ask(publish).op == "ack")
        #expect(try ann.ask(["op": "fork", "store": "chat", "as": "alarm"]).op == "ack")
        #expect(try ann.ask(publish).op == "ack")
        let own = try ann.ask(["op": "publish", "topic": "chat.fire", "data": 1])
        #expect(own.code == "forbidden", "\(own)")
    }

    /// A copy is under the rules of what it is a copy of.
    @Test func aForkIsNotAWayIn() throws {
        let may: JSONValue = [
            "stores": ["chat": [:], "*": ["dispatch": ["*"], "read": [""]]],
            "listen": ["allow": [">"], "deny": ["chat.>"]],
        ]
        let tokens = try TokenText(["ann": TokenText.owner, "bob": may])
        let server = try tokens.server()
        let ann = try LineClient(server, as: "ann")
        #expect(try ann.ask(["op": "fork", "store": "chat", "as": "copy"]).op == "ack")
        #expect(try ann.ask(["op": "fork", "store": "copy", "as": "second"]).op == "ack")
        let bob = try LineClient(server, as: "bob")
        for store in ["chat", "copy", "second"] {
            let answer = try bob.ask(["op": "get", "store": .string(store)])
            #expect(answer.code == "forbidden", "\(store)")
        }
        #expect(try bob.state("counter", "/count") == 0)
        _ = try bob.ask(["op": "listen", "topic": ">"])
        _ = try ann.dispatch("join", ["room": "r", "name": "ann"], store: "second")
        _ = try ann.dispatch("send", ["room": "r", "text": "hidden"], store: "second")
        _ = try ann.ask(["op": "publish", "topic": "news", "data": 1])
        #expect(try bob.frame()["topic"] == "news")
    }
}
