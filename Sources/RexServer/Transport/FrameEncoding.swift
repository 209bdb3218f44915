import RexProtocol

/// How a frame is put on a connection. The frame's own bytes are the same everywhere.
enum FrameEncoding: Hashable {
    /// One line.
    case line
    /// One text message (RFC 6455).
    case message
    /// One text message, compressed where that is worth it (RFC 7692).
    case deflatedMessage
    /// One server-sent event, named by the frame's op.
    case event

    /// Finishes a frame whose bytes began at `start` in `writer`.
    func end(_ writer: inout JSONWriter, from start: Int) {
        switch self {
        case .line: writer.byte(UInt8(ascii: "\n"))
        case .message: WebSocketHead.insert(into: &writer.bytes, at: start)
        case .deflatedMessage:
            if let small = MessageDeflate.deflate(Array(writer.bytes[start...])) {
                writer.bytes.replaceSubrange(start..., with: small)
                WebSocketHead.insert(into: &writer.bytes, at: start, isCompressed: true)
            } else {
                WebSocketHead.insert(into: &writer.bytes, at: start)
            }
        case .event:
            writer.bytes.insert(contentsOf: "data: ".utf8, at: start)
            writer.literal("\n\n")
        }
    }
}
