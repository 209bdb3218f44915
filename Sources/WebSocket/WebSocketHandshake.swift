import COpenSSL
import FoundationEssentials

/// What two sides say before their first frame (RFC 6455 §4, RFC 7692 §7.1).
public enum WebSocketHandshake {
    /// The frames of protocol.md, as a subprotocol.
    public static let subprotocol = "rex.v1.json"

    /// What a server answers to a client's key (RFC 6455 §4.2.2): SHA-1, which protects nothing
    /// here and only shows that the handshake was understood.
    public static func accept(_ key: String) -> String {
        let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
        var digest = [UInt8](repeating: 0, count: 20)
        let status = EVP_Digest(text, text.count, &digest, nil, EVP_sha1(), nil)
        precondition(status == 1, "OpenSSL could not make a SHA-1")
        return Data(digest).base64EncodedString()
    }

    /// A fresh key of a client: 16 random bytes in base64.
    public static func freshKey() -> String {
        var random = SystemRandomNumberGenerator()
        let words = (random.next() as UInt64, random.next() as UInt64)
        return withUnsafeBytes(of: words) { Data($0).base64EncodedString() }
    }

    /// True for 16 bytes in base64.
    public static func isKey(_ text: String) -> Bool {
        text.utf8.count == 24 && Data(base64Encoded: text)?.count == 16
    }

    /// Compression as it was agreed on.
    public struct Compression: Equatable, Sendable {
        /// What the server answers in `Sec-WebSocket-Extensions`.
        public let answer: String
        /// The server compresses what it sends. It does not where the client's window is smaller
        /// than the one that messages are compressed with for everybody.
        public let compresses: Bool
    }

    /// The first offer of `Sec-WebSocket-Extensions` that can be taken; nil for none.
    ///
    /// Nothing is kept from one message to the next, in either direction, whatever was offered: a
    /// message is then compressed once for all, and an idle connection holds no window.
    public static func compression(offered header: String) -> Compression? {
        for offer in header.split(separator: ",") {
            let parts = offer.split(separator: ";").map(trimmed)
            guard parts.first?.lowercased() == "permessage-deflate" else { continue }
            if let taken = take(parts.dropFirst()) { return taken }
        }
        return nil
    }

    private static func take(_ parameters: ArraySlice<String>) -> Compression? {
        var answer = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
        var compresses = true
        var seen: Set<String> = []
        for parameter in parameters {
            let sides = parameter.split(separator: "=", maxSplits: 1).map(trimmed)
            let name = sides[0].lowercased()
            let value = sides.count == 2 ? sides[1].filter { $0 != "\"" } : nil
            guard seen.insert(name).inserted else { return nil }
            switch (name, value) {
            case ("server_no_context_takeover", nil), ("client_no_context_takeover", nil),
                ("client_max_window_bits", nil):
                break
            case ("client_max_window_bits", let bits?):
                guard isWindow(bits) else { return nil }
            case ("server_max_window_bits", let bits?):
                guard isWindow(bits) else { return nil }
                answer += "; server_max_window_bits=\(bits)"
                compresses = bits == "15"
            default: return nil
            }
        }
        return Compression(answer: answer, compresses: compresses)
    }

    private static func isWindow(_ bits: String) -> Bool {
        guard let number = Int(bits) else { return false }
        return (8...15).contains(number) && bits == "\(number)"
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}
