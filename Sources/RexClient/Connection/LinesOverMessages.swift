import RexWebSocket

/// The client's side of a WebSocket, without a socket: lines in both directions, each a text
/// message.
///
/// Begins with `handshake`; then bytes of the server become events, and lines become bytes to send.
final class LinesOverMessages {
    /// What the bytes of the server came to.
    enum Event {
        /// The handshake is done.
        case opened
        /// A frame; good during the call only.
        case line(UnsafeRawBufferPointer)
        /// To be sent at once.
        case send([UInt8])
        /// Whatever answers there will not talk with us, or broke a rule. Nothing follows.
        case failed(String)
    }

    /// The longest answer to a handshake.
    static let headBytes = 16_384

    private let host: String
    private let path: String
    private let key = WebSocketHandshake.freshKey()
    private let framer = WebSocketFramer(role: .client, limit: ClientLimits.lineBytes)
    private var head: [UInt8] = []
    private var isOpen = false
    private var hasEnded = false
    /// A line that is not whole.
    private var partial: [UInt8] = []

    /// - Parameters:
    ///   - host: host and port as they are written in the URL.
    ///   - path: from the slash on.
    init(host: String, path: String) {
        self.host = host
        self.path = path
    }

    /// What is sent first.
    var handshake: [UInt8] {
        Array(
            """
            GET \(path) HTTP/1.1\r\nHost: \(host)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
            Sec-WebSocket-Key: \(key)\r\nSec-WebSocket-Version: 13\r\n\
            Sec-WebSocket-Protocol: \(WebSocketHandshake.subprotocol)\r\n\r\n
            """.utf8)
    }

    // MARK: Sending

    /// The messages of the lines in what is to be sent; the beginning of a line waits for its rest.
    func encode(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        partial.append(contentsOf: bytes)
        var frames: [UInt8] = []
        var start = 0
        while let end = partial[start...].firstIndex(of: UInt8(ascii: "\n")) {
            frames += message(partial[start..<end])
            start = end + 1
        }
        partial.removeFirst(start)
        return frames
    }

    private func message(_ line: ArraySlice<UInt8>) -> [UInt8] {
        let isBlank = line.allSatisfy { $0 == 32 || $0 == 9 || $0 == 13 }
        return isBlank ? [] : framer.text(Array(line))
    }

    /// Ends the conversation: a last line without its end counts, then the closing handshake. The
    /// server answers all that came before it.
    func finish() -> [UInt8] {
        let last = partial
        partial = []
        return message(last[...]) + framer.close(1000, "")
    }

    // MARK: Receiving

    /// Takes bytes of the server.
    func received(_ bytes: UnsafeRawBufferPointer, _ body: (Event) -> Void) {
        guard !hasEnded else { return }
        guard !isOpen else { return takeMessages(bytes, body) }
        head.append(contentsOf: bytes)
        guard let end = head.firstRange(of: [13, 10, 13, 10])?.upperBound else {
            if head.count > Self.headBytes { fail("an answer that is no handshake", body) }
            return
        }
        if let fault = fault(in: String(decoding: head[..<end], as: UTF8.self)) {
            return fail(fault, body)
        }
        isOpen = true
        let rest = Array(head[end...])
        head = []
        body(.opened)
        rest.withUnsafeBytes { takeMessages($0, body) }
    }

    private func takeMessages(_ bytes: UnsafeRawBufferPointer, _ body: (Event) -> Void) {
        framer.take(bytes) { event in
            switch event {
            case .text(let text): body(.line(text))
            case .binary: fail("a binary message", 1003, body)
            case .send(let bytes): body(.send(bytes))
            // The end of the connection follows, and is heard of as such.
            case .close: hasEnded = true
            case .failure(let code, let reason): fail(reason, code, body)
            }
            return !hasEnded
        }
    }

    /// Says so to the server first, as an endpoint does (RFC 6455 §7.1.7).
    private func fail(_ text: String, _ code: Int, _ body: (Event) -> Void) {
        body(.send(framer.close(code, text)))
        fail("the server broke a rule of WebSockets: \(text)", body)
    }

    private func fail(_ text: String, _ body: (Event) -> Void) {
        hasEnded = true
        head = []
        body(.failed(text))
    }

    /// What is wrong with the server's answer; nil where it is a handshake.
    private func fault(in head: String) -> String? {
        let lines = head.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ", maxSplits: 2) ?? []
        guard words.count >= 2, words[0].hasPrefix("HTTP/1.1") else {
            return "what answers there speaks no HTTP"
        }
        guard words[1] == "101" else {
            return "the server answered \(words.dropFirst().joined(separator: " "))"
        }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let sides = line.split(separator: ":", maxSplits: 1)
            guard sides.count == 2 else { continue }
            fields[sides[0].lowercased()] = String(
                sides[1].drop { $0 == " " || $0 == "\t" })
        }
        guard fields["sec-websocket-accept"] == WebSocketHandshake.accept(key) else {
            return "the answer to the handshake is another's"
        }
        guard fields["sec-websocket-extensions"] == nil else {
            return "the server uses an extension that was not offered"
        }
        return nil
    }
}
