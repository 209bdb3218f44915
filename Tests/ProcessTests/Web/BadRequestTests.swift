import RexProtocol
import RexTesting
import Testing

/// Requests that are no good: the right status, the connection ends where framing is in doubt, and
/// everybody else is served.
@Suite(.ownThreads) struct BadRequestTests {
    /// Bytes that are refused, and the status. `HOST` stands for the server's own.
    private static let refused: [(String, Int)] = [
        // Two opinions of where a request ends.
        (
            "POST /livez HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1\r\n"
                + "Content-Length: 2\r\n\r\nab",
            400
        ),
        (
            "POST /livez HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
            400
        ),
        ("POST /livez HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1, 1\r\n\r\na", 400),
        (
            "POST /livez HTTP/1.1\r\nHost: HOST\r\nContent-Length: 5\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400
        ),
        (
            "POST /livez HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n"
                + "Content-Length: 5\r\n\r\n0\r\n\r\n", 400
        ),
        ("POST /livez HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
        ("POST /livez HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 501),
        (
            "POST /livez HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n"
                + "Transfer-Encoding: identity\r\n\r\n0\r\n\r\n", 400
        ),
        ("POST /livez HTTP/1.0\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 501),
        ("POST /livez HTTP/1.1\r\nHost: HOST\r\nContent-Length: +1\r\n\r\na", 400),
        ("POST /livez HTTP/1.1\r\nHost: HOST\r\nContent-Length: -1\r\n\r\na", 400),
        ("POST /livez HTTP/1.1\r\nHost: HOST\r\nContent-Length: 0x1\r\n\r\na", 400),
        ("POST /livez HTTP/1.1\r\nHost: HOST\r\nContent-Length: \r\n\r\n", 400),
        ("POST /livez HTTP/1.1\r\nHost: HOST\r\nContent-Length : 1\r\n\r\na", 400),
        ("POST /livez HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding : chunked\r\n\r\n", 400),
        // Lines that end otherwise for somebody.
        ("GET /livez HTTP/1.1\nHost: HOST\n\n", 400),
        ("GET /livez HTTP/1.1\r\nHost: HOST\nX: y\r\n\r\n", 400),
        ("GET /livez HTTP/1.1\r\nHost: HOST\rX: y\r\n\r\n", 400),
        ("GET /livez HTTP/1.1\r\nHost: HOST\r\nX: a\r\n b\r\n\r\n", 400),
        ("GET /livez HTTP/1.1\r\n X: y\r\nHost: HOST\r\n\r\n", 400),
        ("GET /livez HTTP/1.1\r\nHost: HOST\r\nX: \u{0}\r\n\r\n", 400),
        // Chunks.
        ("POST /livez HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400),
        (
            "POST /livez HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n1\na\n0\n\n",
            400
        ),
        (
            "POST /livez HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
            400
        ),
        (
            "POST /livez HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "ffffffffffffffff\r\n", 400
        ),
        ("POST /livez HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\nffffff\r\n", 413),
        // Sizes.
        ("POST /livez HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1048577\r\n\r\n", 413),
        ("POST /livez HTTP/1.1\r\nHost: HOST\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
        // Not HTTP/1.1 at all.
        ("HELLO\r\n\r\n", 400), ("GET\r\n\r\n", 400),
        ("GET /livez HTTP/3.0\r\nHost: HOST\r\n\r\n", 505),
        ("GET /%zz HTTP/1.1\r\nHost: HOST\r\n\r\n", 400),
        ("GET /% HTTP/1.1\r\nHost: HOST\r\n\r\n", 400),
        ("GET /%00 HTTP/1.1\r\nHost: HOST\r\n\r\n", 400),
        ("GET /%c0%af HTTP/1.1\r\nHost: HOST\r\n\r\n", 400),
        ("CONNECT 127.0.0.1:80 HTTP/1.1\r\nHost: HOST\r\n\r\n", 400),
        ("GET livez HTTP/1.1\r\nHost: HOST\r\n\r\n", 400),
        ("GET /livez HTTP/1.1\r\nHost: HOST\r\nHost: HOST\r\n\r\n", 400),
        ("GET /livez HTTP/1.1\r\n\r\n", 400),
        ("GET http://HOST/livez HTTP/1.1\r\n\r\n", 400),
        (
            "GET /livez HTTP/1.1\r\nHost: HOST\r\nOrigin: http://HOST\r\nOrigin: http://x\r\n\r\n",
            400
        ),
    ]

    @Test func eachIsRefusedAndEndsItsConnection() throws {
        let server = try Programs.startServer()
        let other = try LineClient(server)
        for (text, status) in Self.refused {
            let web = try WebClient(server)
            try web.socket.send(text.replacing("HOST", with: server.address))
            let answer = try web.answer()
            #expect(answer.status == status, "\(text): \(answer.status) \(answer.text)")
            #expect(answer.headers["connection"] == "close")
            #expect(try web.isEnded(), "\(text)")
        }
        #expect(try other.ask(["op": "ping"]).op == "pong")
    }

    /// What a server in front would take for the body of one request is no second request.
    @Test func nothingIsSmuggled() throws {
        let server = try Programs.startServer()
        let web = try WebClient(server)
        let second = web.request(
            "POST", "/stores/counter/actions", ["Content-Type": "application/json"],
            body: #"{"type":"increment"}"#)
        try web.socket.send(
            "POST /livez HTTP/1.1\r\nHost: \(server.address)\r\nContent-Length: 4\r\n"
                + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + second)
        #expect(try web.answer().status == 400)
        #expect(try web.isEnded())
        #expect(try LineClient(server).state("counter", "/count") == 0)
    }

    @Test(.uninstrumented("measures memory")) func aHeadThatNeverEndsTakesNoMemory() throws {
        let server = try Programs.startServer()
        let other = try WebClient(server)
        _ = try other.ask("GET", "/livez")
        let before = server.residentBytes
        for start in ["GET /livez HTTP/1.1\r\nX: ", "GET /", "POST / HTTP/1.1\r\n"] {
            let web = try WebClient(server)
            try web.socket.send(start)
            // What is read on and discarded so that the answer arrives has its end too.
            let piece = start.hasPrefix("POST") ? "A: b\r\n" : "aaaaaa"
            let many = String(repeating: piece, count: 10_000)
            for _ in 0..<64 { do { try web.socket.send(many) } catch { break } }
            #expect(try web.answer().status == 431)
        }
        #expect(server.residentBytes - before < 16 << 20)
        #expect(try other.ask("GET", "/livez").status == 200)
    }

    @Test func aBodyOverTheLimitIsRefusedBeforeItComes() throws {
        let server = try Programs.startServer(limits: "\"frame_bytes\": 100")
        let web = try WebClient(server)
        let type = ["Content-Type": "application/json"]
        let body = #"{"type":"increment"}"#
        let pad = String(repeating: " ", count: 100 - body.utf8.count)
        #expect(try web.post("/stores/counter/actions", body + pad).status == 200)
        try web.socket.send(
            web.request(
                "POST", "/stores/counter/actions",
                type.merging(["Content-Length": "101", "Expect": "100-continue"]) { $1 }))
        #expect(try web.answer().status == 413)
        let chunked = try WebClient(server)
        try chunked.socket.send(
            chunked.request(
                "POST", "/stores/counter/actions",
                type.merging(["Transfer-Encoding": "chunked"]) { $1 }))
        let chunk = "32\r\n" + String(repeating: " ", count: 50) + "\r\n"
        try chunked.socket.send(chunk + chunk + chunk)
        #expect(try chunked.answer().status == 413)
    }

    @Test(arguments: [
        "GET /livez HTTP/1.1\r\nHost: HOST\r\n",
        "POST /stores/counter/actions HTTP/1.1\r\nHost: HOST\r\nContent-Length: 5\r\n\r\n{",
        "POST /x HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n",
    ])
    func aRequestWhoseRestDoesNotComeIsNotWaitedFor(text: String) throws {
        let server = try Programs.startServer(limits: "\"request_ms\": 200")
        let web = try WebClient(server)
        try web.socket.send(text.replacing("HOST", with: server.address))
        let answer = try web.answer()
        #expect(answer.status == 408)
        #expect(try web.isEnded())
        // A connection between two requests is not meant.
        let quiet = try WebClient(server)
        _ = try quiet.ask("GET", "/livez")
        Sockets.idle(.milliseconds(500))
        #expect(try quiet.ask("GET", "/livez").status == 200)
    }

    @Test func onlyOurHostIsServed() throws {
        let server = try Programs.startServer("--allow-host", "Rex.Example")
        let port = server.port
        for (host, status) in [
            ("127.0.0.1:\(port)", 200), ("localhost:\(port)", 200), ("LOCALHOST", 200),
            ("[::1]:\(port)", 200), ("127.0.0.1", 200), ("rex.example", 200),
            ("REX.example:80", 200), ("evil.example", 403), ("evil.example:\(port)", 403),
            ("127.0.0.1.evil.example", 403), ("10.0.0.1", 403), ("localhost.evil.example", 403),
            ("127.0.0.1:x", 403), ("rex.example@evil.example", 403),
        ] {
            let answer = try WebClient.ask(server, "GET", "/livez", ["Host": host])
            #expect(answer.status == status, "\(host)")
            let socket = try WebClient.ask(
                server, "GET", "/ws", MessageClient.upgrade.merging(["Host": host]) { $1 })
            #expect(socket.status == (status == 200 ? 101 : 403), "\(host)")
        }
        let none = try WebClient(server)
        try none.socket.send("GET /livez HTTP/1.1\r\n\r\n")
        #expect(try none.answer().status == 400)
        // A target that names its host outdoes the header.
        none.socket.close()
        let absolute = try WebClient(server)
        try absolute.socket.send(
            "GET http://evil.example/livez HTTP/1.1\r\nHost: \(server.address)\r\n\r\n")
        #expect(try absolute.answer().status == 403)
    }

    @Test func onlyOurOriginsMayAsk() throws {
        let server = try Programs.startServer("--allow-origin", "https://app.example")
        let own = "http://\(server.address)"
        for (origin, status) in [
            (own, 200), ("https://app.example", 200), ("https://app.example:8443", 403),
            ("http://app.example", 403), ("https://APP.example", 403), ("null", 403), ("", 403),
            ("http://evil.example", 403), ("\(own).evil.example", 403),
            ("http://localhost:\(server.port)", 403),
        ] {
            let headers = ["Origin": origin]
            let answer = try WebClient.ask(server, "GET", "/stores/counter/state", headers)
            #expect(answer.status == status, "\(origin)")
            let shared = answer.headers["access-control-allow-origin"]
            #expect(shared == (origin == "https://app.example" ? origin : nil))
            let socket = try WebClient.ask(
                server, "GET", "/ws", MessageClient.upgrade.merging(headers) { $1 })
            #expect(socket.status == (status == 200 ? 101 : 403), "\(origin)")
        }
        let question = try WebClient.ask(
            server, "OPTIONS", "/stores/counter/actions",
            ["Origin": "https://app.example", "Access-Control-Request-Method": "POST"])
        #expect(question.status == 204)
        #expect(question.headers["access-control-allow-methods"] == "GET, HEAD, POST")
        let foreign = try WebClient.ask(
            server, "OPTIONS", "/stores/counter/actions",
            ["Origin": "http://evil.example", "Access-Control-Request-Method": "POST"])
        #expect(foreign.status == 403)
    }

    @Test func whatActsIsJSON() throws {
        let server = try Programs.startServer()
        for (type, status) in [
            ("application/json", 200), ("Application/JSON; charset=utf-8", 200),
            ("text/plain", 415), ("application/x-www-form-urlencoded", 415),
            ("application/json-patch", 415), ("", 415),
        ] {
            let web = try WebClient(server)
            let body = #"{"type":"increment"}"#
            let answer = try web.post("/stores/counter/actions", body, ["Content-Type": type])
            #expect(answer.status == status, "\(type)")
            #expect(
                try web.post("/topics/news", "1", ["Content-Type": type]).status == status)
        }
        let none = try WebClient.ask(server, "POST", "/topics/news", body: "1")
        #expect(none.status == 415)
    }

    @Test func noiseAfterALetterHarmsNobody() throws {
        let server = try Programs.startServer()
        let other = try WebClient(server)
        var random = SeededRandom(seed: 5)
        let good = other.request(
            "POST", "/stores/doc/actions", ["Content-Type": "application/json"], body: "{}")
        for round in 0..<200 {
            let web = try WebClient(server)
            var bytes = Array(good.utf8)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = Int.random(in: 1..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                }
            }
            try? web.socket.send(bytes)
            if round % 2 == 0 { web.socket.finish() } else { web.socket.reset() }
        }
        #expect(try other.ask("GET", "/livez").status == 200)
    }
}
