import RexProtocol
import RexTesting
import Testing

/// What a user may dispatch in a second, on whatever connections and by whatever way in.
@Suite(.serialized, .ownThreads) struct DispatchRateTests {
    private static func server(
        _ tokens: TokenText, _ limits: String
    ) throws -> (ServerProcess, Scratch) {
        let scratch = try Scratch()
        let file = try scratch.write("{\"limits\": {\(limits)}}", to: "rex.json")
        return (try tokens.server("--config", file), scratch)
    }

    /// Tries again until it is taken.
    private static func insist(
        _ client: LineClient, with more: JSONObject = [:]
    ) throws -> JSONValue {
        let deadline = ContinuousClock.now + .seconds(60)
        while true {
            let answer = try client.dispatch("increment", with: more)
            if answer.code != "rate_limited" { return answer }
            try #require(ContinuousClock.now < deadline)
        }
    }

    @Test func whatIsOneTooManyIsNotDoneAndItsKeyIsFree() throws {
        let server = try Programs.startServer(
            limits: "\"dispatches_per_second\": 2, \"burst_ms\": 1000")
        let client = try LineClient(server)
        // Sent at once, so that no time passes between them.
        let frame = "\"store\":\"counter\",\"type\":\"increment\"}\n"
        try client.send("{\"id\":1,\(frame){\"id\":2,\(frame){\"id\":3,\"key\":\"k\",\(frame)")
        #expect(try client.frame()["rev"] == 1)
        #expect(try client.frame()["rev"] == 2)
        let refused = try client.frame()
        #expect(refused.code == "rate_limited" && refused["id"] == 3)
        let retry = try #require(refused["retry_ms"]?.int)
        #expect((1...500).contains(retry))
        let message = refused["message"]?.string ?? ""
        #expect(message.contains("2 actions") && message.contains("dispatches_per_second"))
        #expect(try client.state("counter", "/count") == 2)
        // The connection lives, another one is no way round it, and the key was not used.
        #expect(try LineClient(server).dispatch("increment").code == "rate_limited")
        let again = try Self.insist(client, with: ["key": "k"])
        #expect(again["rev"] == 3 && again["duplicate"] == nil)
        let metrics = try MetricsText.of(server)
        #expect(metrics.hits("dispatches_per_second") >= 1)
        #expect(
            metrics["rex_errors_total{code=\"rate_limited\"}"]
                == metrics.hits("dispatches_per_second"))
        #expect(metrics["rex_commits_total{store=\"counter\"}"] == 3)
        #expect(metrics["rex_users_rated"] ?? 0 <= 1)
    }

    /// Dry runs, and what is then refused, take the same time.
    @Test func everyDispatchCounts() throws {
        let server = try Programs.startServer(
            limits: "\"dispatches_per_second\": 1, \"burst_ms\": 3000")
        let client = try LineClient(server)
        try client.send(
            """
            {"op":"dispatch","store":"counter","action":{"type":"increment"},"dry_run":true}
            {"type":"nonsense","store":"counter"}
            {"type":"increment","store":"nowhere"}
            {"type":"increment","store":"counter"}

            """)
        let codes = try (0..<4).map { _ in try client.frame().code }
        #expect(codes == [nil, "bad_action", "unknown_store", "rate_limited"])
        #expect(try client.ask(["op": "ping"]).op == "pong")
    }

    @Test func aUserHasOneShareOnAllConnectionsAndByAllWaysIn() throws {
        let owner = TokenText.owner
        let tokens = try TokenText(["ann": owner, "bob": owner])
        let (server, scratch) = try Self.server(
            tokens, "\"dispatches_per_second\": 1, \"burst_ms\": 3000")
        defer { withExtendedLifetime(scratch) {} }
        let first = try LineClient(server, as: "ann")
        let second = try LineClient(server, as: "ann")
        let bob = try LineClient(server, as: "bob")
        let web = try WebClient(server)
        var answers: [JSONValue] = []
        for _ in 0..<4 {
            answers.append(try first.dispatch("increment"))
            answers.append(try second.dispatch("increment"))
            answers.append(
                try web.post(
                    "/stores/counter/actions", "{\"type\":\"increment\"}", WebClient.bearer("ann")
                ).json)
        }
        let refused = answers.filter { $0.code == "rate_limited" }
        #expect(refused.count >= 3 && answers.count - refused.count >= 3)
        #expect(try bob.dispatch("increment").op == "ack")
        // Over HTTP it says so in the words of HTTP.
        var answer = try web.post(
            "/stores/counter/actions", "{\"type\":\"increment\"}", WebClient.bearer("ann"))
        while answer.status == 200 {
            answer = try web.post(
                "/stores/counter/actions", "{\"type\":\"increment\"}", WebClient.bearer("ann"))
        }
        #expect(answer.status == 429 && answer.headers["retry-after"] == "1")
        let metrics = try MetricsText.of(server, WebClient.bearer("ann"))
        #expect(metrics.hits("dispatches_per_second") > refused.count)
        #expect(metrics["rex_users_rated"] == 2)
    }

    /// Issuers of tokens name as many users as they like: those that are counted are bounded, and
    /// are forgotten again.
    @Test func usersOfTokensThatOthersSignAreBounded() throws {
        let tokens = try TokenText(
            [:], ["jwt": TokenText.issuer(), "roles": ["owner": TokenText.owner]])
        let (server, scratch) = try Self.server(
            tokens, "\"dispatches_per_second\": 1, \"burst_ms\": 2000, \"rated_users\": 2")
        defer { withExtendedLifetime(scratch) {} }
        let names = ["u1", "u2", "u3"]
        let clients = try names.map { name in
            let client = try LineClient(server)
            let token = try TokenText.jwt(
                "{\"sub\":\"\(name)\",\"aud\":\"rex\",\"exp\":4102444800}")
            let welcome = try client.ask(["op": "hello", "token": .string(token)])
            try #require(welcome["user"]?.string == name, "\(welcome)")
            return client
        }
        #expect(try clients[0].dispatch("increment").op == "ack")
        #expect(try clients[1].dispatch("increment").op == "ack")
        let refused = try clients[2].dispatch("increment")
        #expect(refused.code == "overloaded" && (refused["retry_ms"]?.int ?? 0) > 0)
        #expect(refused["message"]?.string?.contains("rated_users") == true)
        #expect(try clients[0].dispatch("increment").op == "ack")
        let deadline = ContinuousClock.now + .seconds(60)
        while try clients[2].dispatch("increment").code == "overloaded" {
            try #require(ContinuousClock.now < deadline)
        }
        // Who was forgotten begins anew, with one share for all of its connections.
        while try clients[0].dispatch("increment").code != nil {
            try #require(ContinuousClock.now < deadline)
        }
        let token = try TokenText.jwt("{\"sub\":\"u1\",\"aud\":\"rex\",\"exp\":4102444800}")
        let header = ["Authorization": "Bearer \(token)"]
        while try MetricsText.of(server, header)["rex_users_rated"] != 0 {
            try #require(ContinuousClock.now < deadline)
        }
        #expect(try MetricsText.of(server, header).hits("rated_users") >= 1)
    }
}
