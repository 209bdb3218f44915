import RexProtocol
import RexWebSocket

/// How a frame is put on a connection. The frame's own bytes are the same everywhere.
///
/// Encoding a frame is `begin`, its bytes, `end`.
enum FrameEncoding: Hashable {
    /// One line.
    case line
    /// One text message (RFC 6455).
    case message
    /// One text message, compressed where that is worth it (RFC 7692).
    case deflatedMessage
    /// One server-sent event.
    case event

    /// Makes room for what stands before the frame, and returns where that begins.
    func begin(_ writer: inout JSONWriter) -> Int {
        let start = writer.bytes.count
        switch self {
        case .line: break
        case .message, .deflatedMessage:
            for _ in 0..<WebSocketHead.room { writer.byte(0) }
        case .event: writer.literal("data: ")
        }
        return start
    }

    /// Finishes the frame that `begin` began at `start`.
    func end(_ writer: inout JSONWriter, from start: Int) {
        switch self {
        case .line: writer.byte(UInt8(ascii: "\n"))
        case .message: WebSocketHead.end(&writer.bytes, from: start)
        case .deflatedMessage:
            let payload = start + WebSocketHead.room
            let small = writer.bytes.withUnsafeBytes {
                MessageDeflate.deflate(UnsafeRawBufferPointer(rebasing: $0[payload...]))
            }
            if let small { writer.bytes.replaceSubrange(payload..., with: small) }
            WebSocketHead.end(&writer.bytes, from: start, isCompressed: small != nil)
        case .event: writer.literal("\n\n")
        }
    }
}
