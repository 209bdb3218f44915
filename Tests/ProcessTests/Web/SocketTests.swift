import RexProtocol
import RexTesting
import Testing

/// WebSockets: the same frames as on lines, each in a text message.
@Suite(.ownThreads) struct SocketTests {
    @Test func theHandshakeIsTheOneOfTheStandard() throws {
        let server = try Programs.startServer()
        let plain = try MessageClient(server)
        let headers = plain.handshake.headers
        #expect(headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        #expect(headers["upgrade"] == "websocket" && headers["connection"] == "Upgrade")
        #expect(headers["sec-websocket-protocol"] == nil)
        #expect(headers["sec-websocket-extensions"] == nil)
        let offer = try MessageClient(server, ["Sec-WebSocket-Protocol": "other, rex.v1.json"])
        #expect(offer.handshake.headers["sec-websocket-protocol"] == "rex.v1.json")
        let other = try MessageClient(server, ["Sec-WebSocket-Protocol": "other"])
        #expect(other.handshake.headers["sec-websocket-protocol"] == nil)
        #expect(try other.ask(["op": "ping"]).op == "pong")
        let browser = try MessageClient(
            server, ["Connection": "keep-alive, Upgrade", "Upgrade": "WebSocket"])
        #expect(browser.handshake.status == 101)
    }

    @Test(arguments: [
        (["Upgrade": ""], 426), (["Connection": "keep-alive"], 426),
        (["Upgrade": "h2c"], 426), (["Sec-WebSocket-Version": "8"], 426),
        (["Sec-WebSocket-Version": ""], 426), (["Sec-WebSocket-Key": "short"], 400),
        (["Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ="], 400), (["Sec-WebSocket-Key": ""], 400),
    ])
    func aHandshakeThatIsNoneIsRefused(headers: [String: String], status: Int) throws {
        let server = try Programs.startServer()
        let web = try WebClient(server)
        let answer = try web.ask("GET", "/ws", MessageClient.upgrade.merging(headers) { $1 })
        #expect(answer.status == status)
        if headers["Sec-WebSocket-Version"] != nil {
            #expect(answer.headers["sec-websocket-version"] == "13")
        }
        // The connection speaks HTTP on.
        #expect(try web.ask("GET", "/livez").status == 200)
    }

    /// RFC 6455 §4.1: the handshake is one of HTTP/1.1 or newer.
    @Test func aHandshakeOfHTTP10IsRefused() throws {
        let server = try Programs.startServer()
        let web = try WebClient(server)
        let text = web.request("GET", "/ws", MessageClient.upgrade)
        try web.socket.send(text.replacing("HTTP/1.1", with: "HTTP/1.0"))
        #expect(try web.answer().status == 426)
    }

    @Test func theSameFramesAsOnLines() throws {
        let server = try Programs.startServer()
        let socket = try MessageClient(server)
        let welcome = try socket.ask(["op": "hello", "id": 0, "protocol": 1])
        #expect(welcome.op == "welcome")
        let subscribed = try socket.ask(["op": "subscribe", "store": "counter", "path": "/count"])
        #expect(subscribed["state"] == 0)
        let lines = try LineClient(server)
        _ = try lines.dispatch("increment")
        #expect(try socket.message()["patch"] == [["op": "replace", "path": "", "value": 1]])
        try socket.send(#"{"type":"increment","store":"counter"}"#)
        // Read your writes: the patch stands before the ack.
        #expect(try socket.message().op == "patch")
        #expect(try socket.message()["rev"] == 2)
        #expect(try socket.ask(["op": "listen", "topic": "a"]).op == "listening")
        _ = try lines.ask(["op": "publish", "topic": "a", "data": 1])
        #expect(try socket.message()["data"] == 1)
        try socket.send("{")
        #expect(try socket.message().code == "bad_json")
        let clients = try lines.ask(["op": "clients"])["clients"]?.array ?? []
        #expect(clients.contains { $0["transport"] == "websocket" })
    }

    @Test func aMessageMayComeInFragmentsWithPingsBetween() throws {
        let server = try Programs.startServer()
        let socket = try MessageClient(server)
        let text = Array(#"{"op":"ping","id":"中😀é"}"#.utf8)
        for (index, byte) in text.enumerated() {
            let isLast = index == text.count - 1
            let opcode: UInt8 = index == 0 ? 0x01 : 0x00
            try socket.send(opcode | (isLast ? 0x80 : 0), [byte])
            guard !isLast else { break }
            try socket.send(MessageClient.pingFrame, [byte])
            let pong = try #require(try socket.frame())
            #expect(pong.first == 0x8A && pong.payload == [byte])
        }
        #expect(try socket.message()["id"] == "中😀é")
        // Nobody asked for this one.
        try socket.send(0x8A, Array("x".utf8))
        // Frames cut anywhere, and two in one packet.
        let frame = MessageClient.frame(0x81, Array(#"{"op":"ping","id":7}"#.utf8))
        for byte in frame { try socket.web.socket.send([byte]) }
        #expect(try socket.message()["id"] == 7)
        try socket.web.socket.send(frame + frame)
        #expect(try socket.message()["id"] == 7)
        #expect(try socket.message()["id"] == 7)
    }

    @Test func framesMayFollowTheHandshakeAtOnce() throws {
        let server = try Programs.startServer()
        let web = try WebClient(server)
        let frame = MessageClient.frame(0x81, Array(#"{"op":"ping","id":1}"#.utf8))
        try web.socket.send(Array(web.request("GET", "/ws", MessageClient.upgrade).utf8) + frame)
        #expect(try web.head().status == 101)
        let answer = Array(#"{"op":"pong","id":1}"#.utf8)
        #expect(try web.socket.bytes(2 + answer.count) == [0x81, UInt8(answer.count)] + answer)
    }

    @Test func largeMessagesPassInBothDirections() throws {
        let server = try Programs.startServer()
        let socket = try MessageClient(server)
        for count in [100, 125, 126, 127, 4_095, 4_096, 65_000, 65_535, 65_536, 900_000] {
            let value = String(repeating: "x", count: count)
            let ack = try socket.ask([
                "op": "dispatch", "store": "doc",
                "action": ["type": "set", "payload": ["path": "/v", "value": .string(value)]],
            ])
            #expect(ack.op == "ack", "\(count)")
            let state = try socket.ask(["op": "get", "store": "doc", "path": "/v"])
            #expect(state["state"]?.string == value, "\(count)")
        }
    }

    @Test func aCloseIsAnsweredAndNothingComesAfterIt() throws {
        let server = try Programs.startServer()
        let watcher = try LineClient(server)
        _ = try watcher.ask(["op": "listen", "topic": "$presence.counter.leave"])
        let socket = try MessageClient(server)
        _ = try socket.ask(["op": "subscribe", "store": "counter"])
        let text = Array(#"{"type":"increment","store":"counter"}"#.utf8)
        try socket.web.socket.send(
            MessageClient.frame(MessageClient.closeFrame, [0x03, 0xE8] + Array("done".utf8))
                + MessageClient.frame(MessageClient.textFrame, text))
        let end = try socket.ending()
        #expect(end.code == 1_000 && end.messages.isEmpty)
        #expect(try watcher.frame().op == "event")
        #expect(try watcher.state("counter", "/count") == 0)
        let silent = try MessageClient(server)
        try silent.send(MessageClient.closeFrame, [])
        #expect(try silent.ending().code == nil)
    }

    @Test func whoVanishesIsNoticed() throws {
        let server = try Programs.startServer()
        let watcher = try LineClient(server)
        _ = try watcher.ask(["op": "listen", "topic": "$presence.counter.leave"])
        for isReset in [false, true] {
            let socket = try MessageClient(server)
            _ = try socket.ask(["op": "subscribe", "store": "counter"])
            if isReset { socket.web.socket.reset() } else { socket.web.socket.close() }
            #expect(try watcher.frame()["topic"] == "$presence.counter.leave")
        }
    }

    @Test func aShutdownIsSaidAndClosesWithItsCode() throws {
        let server = try Programs.startServer()
        let socket = try MessageClient(server)
        #expect(try socket.ask(["op": "ping"]).op == "pong")
        #expect(try server.stop() == .exited(0))
        let end = try socket.ending()
        #expect(end.code == 1_001)
        #expect(end.messages.last?.op == "bye")
        #expect(end.messages.last?["reconnect"] == true)
    }

    @Test func aSilentClientIsAskedAndThenLeft() throws {
        let server = try Programs.startServer()
        let socket = try MessageClient(server)
        _ = try socket.ask(["op": "hello", "protocol": 1, "heartbeat_ms": 200])
        let end = try socket.ending()
        #expect(end.messages.contains { $0.op == "ping" })
        #expect(end.messages.last?.code == "idle")
        #expect(end.code == 4_000)
    }

    /// Patches of a slow reader are merged as on lines; it ends at the state that is.
    @Test func aSlowReaderConverges() throws {
        let server = try Programs.startServer(limits: "\"outbox_bytes\": 65536")
        let socket = try MessageClient(server)
        _ = try socket.ask(["op": "subscribe", "store": "doc", "path": "/n", "mode": "state"])
        let lines = try LineClient(server)
        let value = String(repeating: "x", count: 50_000)
        for number in 0..<200 {
            _ = try lines.dispatch(
                "set", ["path": "/n", "value": .string("\(number)\(value)")], store: "doc")
        }
        var count = 0
        while true {
            count += 1
            let frame = try socket.message()
            if frame["state"]?.string == "199\(value)" { break }
        }
        #expect(count <= 200)
    }
}
