import Rex
import RexLoop
import RexProtocol
import RexWebSocket

/// `GET /ws` with an upgrade: the same frames, each in a text message (RFC 6455).
extension Server {
    func upgrade(_ request: HTTPRequest, _ connection: Connection) -> HTTPResponse {
        guard request.method == "GET" else { return .notAllowed(["GET"]) }
        guard phase == .running else {
            return HTTPResponse(refusing: 503, "the server is shutting down")
        }
        guard request.lists("upgrade", in: "connection"),
            request.lists("websocket", in: "upgrade"), request.body.isEmpty, !request.isOld
        else {
            var response = HTTPResponse(refusing: 426, "expected a WebSocket handshake")
            response.headers += [("Upgrade", "websocket"), ("Connection", "Upgrade")]
            return response
        }
        guard let key = request.headers["sec-websocket-key"], WebSocketHandshake.isKey(key) else {
            return HTTPResponse(refusing: 400, "Sec-WebSocket-Key is 16 bytes in base64")
        }
        guard request.headers["sec-websocket-version"] == "13" else {
            var response = HTTPResponse(refusing: 426, "version 13 is spoken here")
            response.headers.append(("Sec-WebSocket-Version", "13"))
            return response
        }
        return accept(request, key, connection)
    }

    private func accept(
        _ request: HTTPRequest, _ key: String, _ connection: Connection
    ) -> HTTPResponse {
        var response = HTTPResponse(101)
        response.headers = [
            ("Upgrade", "websocket"), ("Connection", "Upgrade"),
            ("Sec-WebSocket-Accept", WebSocketHandshake.accept(key)),
        ]
        if request.offers(protocol: WebSocketHandshake.subprotocol) {
            response.headers.append(("Sec-WebSocket-Protocol", WebSocketHandshake.subprotocol))
        }
        let compression = WebSocketHandshake.compression(
            offered: request.headers["sec-websocket-extensions"] ?? "")
        if let compression {
            response.headers.append(("Sec-WebSocket-Extensions", compression.answer))
        }
        replyBytes(to: connection) { response.encode(into: &$0) }
        noteExpiry(of: connection)
        // Heads are limited in time, conversations are not.
        connection.requestBegan = nil
        connection.speak(
            .webSocket(
                WebSocketFramer(
                    role: .server, limit: limits.frameBytes, inflates: compression != nil)),
            as: compression?.compresses == true ? .deflatedMessage : .message)
        return response
    }

    /// Serves the messages in what arrived, until the connection is paused; the framer keeps the
    /// rest.
    func takeMessages(_ bytes: UnsafeRawBufferPointer, from connection: Connection) {
        guard case .webSocket(let framer) = connection.wire else { return }
        framer.take(bytes) { event in
            switch event {
            case .text(let text): return receive(text, from: connection)
            case .send(let bytes):
                // Pongs are replies too: who does not read them is not read from.
                if countsRates { spendFrame(of: connection) }
                replyBytes(to: connection, isPublic: true) { $0.bytes += bytes }
                return !pauseIfUnread(connection) && !(countsRates && pauseIfSpent(connection))
            case .binary:
                refuse(
                    connection, code: 1003, "frames are text messages, and this one is binary")
                return false
            case .close(let code):
                didEndMessages(of: connection, code)
                return false
            case .failure(let code, let reason):
                refuse(connection, code: code, reason)
                return false
            }
        }
    }

    /// The client closed the WebSocket, and was answered.
    private func didEndMessages(of connection: Connection, _ code: Int?) {
        log.event(
            .debug, "websocket_closed",
            ["client": connection.session.client.id, "code": code.map { "\($0)" } ?? "none"])
        // Who takes its leave is not waited for; a page that goes away (1001) may be loading again.
        if code == 1000 { connection.session.id = nil }
        finish(connection)
    }

    /// Ends a WebSocket whose client broke a rule. One that is only too talkative is told so in
    /// frames too.
    private func refuse(_ connection: Connection, code: Int, _ reason: String) {
        guard connection.isServed, case .webSocket(let framer) = connection.wire else { return }
        if code == CloseReason.tooLarge.webSocketCode {
            metrics.count(.frameBytes)
            refuse(connection, WireError(.tooLarge, reason), .tooLarge)
            return
        }
        note(
            .info, "websocket_refused", about: connection.origin,
            ["client": connection.session.client.id, "code": "\(code)", "reason": reason])
        cut(before: connection)
        guard connection.isServed else { return }
        replyBytes(to: connection) { $0.bytes += framer.close(code, reason) }
        finish(connection)
    }
}
