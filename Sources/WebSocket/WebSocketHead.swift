/// The heads of frames (RFC 6455 §5.2).
public enum WebSocketHead {
    /// The first byte of a text message in one frame, plain and compressed.
    private static let text: UInt8 = 0x81
    private static let compressedText: UInt8 = 0xC1

    /// Bytes to put down before the payload of a server's text message, which `end` fills in.
    public static let room = 2

    /// Writes the head of a text message of the server over the `room` bytes at `start`, behind
    /// which the payload stands up to the end. O(1) up to 125 bytes of payload, else it moves.
    public static func end(_ bytes: inout [UInt8], from start: Int, isCompressed: Bool = false) {
        let count = bytes.count - start - room
        bytes[start] = isCompressed ? compressedText : text
        if count < 126 {
            bytes[start + 1] = UInt8(count)
        } else {
            let head = Self.bytes(UInt32(bytes[start]), count)
            bytes.replaceSubrange(start..<(start + room), with: head)
        }
    }

    /// The head of a frame that is not masked.
    static func bytes(_ first: UInt32, _ count: Int, masked: Bool = false) -> [UInt8] {
        let mark: UInt8 = masked ? 0x80 : 0
        var head = [UInt8(truncatingIfNeeded: first)]
        if count < 126 {
            head.append(mark | UInt8(count))
        } else if count < 65_536 {
            head += [mark | 126, UInt8(count >> 8), UInt8(count & 0xFF)]
        } else {
            head.append(mark | 127)
            for shift in stride(from: 56, through: 0, by: -8) {
                head.append(UInt8(truncatingIfNeeded: count >> shift))
            }
        }
        return head
    }

    /// A whole frame of a client.
    public static func masked(
        _ first: UInt32, _ payload: some Collection<UInt8>, by mask: UInt32
    ) -> [UInt8] {
        let key = withUnsafeBytes(of: mask.bigEndian) { Array($0) }
        var frame = bytes(first, payload.count, masked: true) + key
        let start = frame.count
        frame += payload
        for index in 0..<payload.count { frame[start + index] ^= key[index & 3] }
        return frame
    }
}
