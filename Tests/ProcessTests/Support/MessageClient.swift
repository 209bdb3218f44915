import Foundation
import RexProtocol
import RexTesting

/// A WebSocket, frame by frame as a test wants them (RFC 6455). It knows nothing of ours.
final class MessageClient {
    struct Frame {
        let first: UInt8
        let payload: [UInt8]

        var opcode: UInt8 { first & 0x0F }
        var isCompressed: Bool { first & 0x40 != 0 }
        var code: Int? {
            payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil
        }
    }

    static let textFrame: UInt8 = 0x81
    static let binaryFrame: UInt8 = 0x82
    static let closeFrame: UInt8 = 0x88
    static let pingFrame: UInt8 = 0x89

    let web: WebClient
    let handshake: WebClient.Answer

    static let upgrade = [
        "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
        // The example of RFC 6455 §1.3.
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    ]

    /// Connects and shakes hands.
    init(_ server: ServerProcess, _ headers: [String: String] = [:]) throws {
        web = try WebClient(server)
        handshake = try web.ask("GET", "/ws", Self.upgrade.merging(headers) { $1 })
        guard handshake.status == 101 else {
            throw LineClient.Failure(description: "\(handshake.status) \(handshake.text)")
        }
    }

    // MARK: Sending

    /// The bytes of a frame.
    ///
    /// - Parameter claiming: the length in its head, where that is not the payload's.
    static func frame(
        _ first: UInt8, _ payload: some Sequence<UInt8>, isMasked: Bool = true,
        claiming: UInt64? = nil
    ) -> [UInt8] {
        let payload = Array(payload)
        let mark: UInt8 = isMasked ? 0x80 : 0
        var bytes = [first]
        let count = claiming ?? UInt64(payload.count)
        if count < 126 {
            bytes.append(mark | UInt8(count))
        } else if count < 65_536 {
            bytes += [mark | 126, UInt8(count >> 8), UInt8(count & 0xFF)]
        } else {
            bytes.append(mark | 127)
            bytes += stride(from: 56, through: 0, by: -8).map {
                UInt8(truncatingIfNeeded: count >> UInt64($0))
            }
        }
        guard isMasked else { return bytes + payload }
        let mask: [UInt8] = [0x12, 0x34, 0x56, 0x78]
        return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
    }

    func send(_ first: UInt8, _ payload: some Sequence<UInt8>) throws {
        try web.socket.send(Self.frame(first, payload))
    }

    func send(_ text: String) throws { try send(Self.textFrame, text.utf8) }

    func send(_ value: JSONValue) throws { try send("\(value)") }

    // MARK: Receiving

    /// The next frame; nil at the end of the connection.
    func frame() throws -> Frame? {
        guard let head = try web.socket.bytes(2) else { return nil }
        guard head[1] & 0x80 == 0 else {
            throw LineClient.Failure(description: "a server must not mask")
        }
        var count = Int(head[1])
        if count >= 126 {
            let length = try web.socket.bytes(count == 126 ? 2 : 8) ?? []
            count = length.reduce(0) { $0 << 8 | Int($1) }
        }
        guard let payload = try web.socket.bytes(count) else {
            throw LineClient.Failure(description: "a frame that is cut off")
        }
        return Frame(first: head[0], payload: payload)
    }

    /// The next text message, which comes in one frame and is not compressed.
    func message() throws -> JSONValue {
        guard let frame = try frame(), frame.first == Self.textFrame else {
            throw LineClient.Failure(description: "no text message")
        }
        return try RawJSON(parsing: frame.payload).value
    }

    func ask(_ request: JSONValue) throws -> JSONValue {
        try send(request)
        return try message()
    }

    /// The messages up to the frame that closes, and that frame's code; nothing comes after it.
    func ending() throws -> (messages: [JSONValue], code: Int?) {
        var messages: [JSONValue] = []
        while let frame = try frame() {
            if frame.first == Self.closeFrame {
                guard try self.frame() == nil else {
                    throw LineClient.Failure(description: "a frame after the close")
                }
                return (messages, frame.code)
            }
            if frame.first == Self.textFrame {
                messages.append(try RawJSON(parsing: frame.payload).value)
            }
        }
        throw LineClient.Failure(description: "an end without a close")
    }
}
