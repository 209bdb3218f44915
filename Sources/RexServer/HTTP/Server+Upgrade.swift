import Rex
import RexLoop
import RexProtocol

/// `GET /ws` with an upgrade: the same frames, each in a text message (RFC 6455).
extension Server {
    private static let subprotocol = "rex.v1.json"

    func upgrade(_ request: HTTPRequest, _ connection: Connection) -> HTTPResponse {
        guard request.method == "GET" else {
            var response = HTTPResponse(refusing: 405, "only GET")
            response.headers.append(("Allow", "GET"))
            return response
        }
        guard request.wantsUpgrade, request.lists("websocket", in: "upgrade"),
            let key = request.headers["sec-websocket-key"], Self.isKey(key)
        else { return HTTPResponse(refusing: 426, "expected a WebSocket handshake") }
        guard request.headers["sec-websocket-version"] == "13" else {
            var response = HTTPResponse(refusing: 426, "version 13 is spoken here")
            response.headers.append(("Sec-WebSocket-Version", "13"))
            return response
        }
        var response = HTTPResponse(101)
        response.headers = [
            ("Upgrade", "websocket"), ("Connection", "Upgrade"),
            ("Sec-WebSocket-Accept", Digest.webSocketAccept(key)),
        ]
        if request.lists(Self.subprotocol, in: "sec-websocket-protocol") {
            response.headers.append(("Sec-WebSocket-Protocol", Self.subprotocol))
        }
        let deflate = Self.acceptsDeflate(request)
        if deflate {
            response.headers.append(
                (
                    "Sec-WebSocket-Extensions",
                    "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
                ))
        }
        replyBytes(to: connection) { response.encode(into: &$0, keepsAlive: true) }
        connection.speak(
            .webSocket(WebSocketFramer(limit: limits.frameBytes, deflate: deflate)),
            as: deflate ? .deflatedMessage : .message)
        return HTTPResponse(101)
    }

    /// 16 bytes in base64.
    private static func isKey(_ key: String) -> Bool {
        key.utf8.count == 24 && key.hasSuffix("==")
    }

    /// True where the client offers compression in a form that is done here: nothing is kept from one
    /// message to the next, with the full window.
    private static func acceptsDeflate(_ request: HTTPRequest) -> Bool {
        (request.headers["sec-websocket-extensions"] ?? "").split(separator: ",").contains {
            offer in
            let parts = offer.split(separator: ";").map { $0.trimmingBlanks().lowercased() }
            return parts.first == "permessage-deflate"
                && parts.dropFirst().allSatisfy {
                    [
                        "client_no_context_takeover", "server_no_context_takeover",
                        "client_max_window_bits", "client_max_window_bits=15",
                        "server_max_window_bits=15",
                    ].contains($0)
                }
        }
    }

    func takeMessages(_ bytes: UnsafeRawBufferPointer, from connection: Connection) {
        guard case .webSocket(let framer) = connection.wire else { return }
        framer.take(bytes) { message in
            switch message {
            case .text(let text):
                if connection.isPaused {
                    connection.heldMessages.append(Array(text))
                } else if connection.isServed {
                    _ = receive(text, from: connection)
                }
            case .binary: break
            case .close(let code): didEndMessages(of: connection, code)
            }
        }
        sendControl(of: framer, on: connection)
    }

    /// Sends what the framer itself has to say: pongs and close frames.
    func sendControl(of framer: WebSocketFramer, on connection: Connection) {
        let bytes = framer.takeOutput()
        guard !bytes.isEmpty else { return }
        replyBytes(to: connection) { $0.bytes += bytes }
    }

    private func didEndMessages(of connection: Connection, _ code: Int) {
        log.event(
            .debug, "websocket_closed",
            ["client": connection.session.client.id, "code": "\(code)"])
        guard connection.isServed else { return }
        finish(connection)
    }
}
