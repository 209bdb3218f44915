import CZlib

/// Compression of one message at a time (RFC 7692 without context takeover), by zlib.
///
/// Nothing is kept from one message to the next, so a message is compressed once for all who get
/// it.
public enum MessageDeflate {
    /// What a message came to.
    public enum Inflated {
        case bytes([UInt8])
        /// More than the limit; no more than that was made of it.
        case tooLarge
        /// No deflate.
        case malformed
    }

    /// The four bytes that each message lacks (RFC 7692 §7.2.1).
    private static let tail: [UInt8] = [0, 0, 0xFF, 0xFF]
    private static let stepBytes = 16_384

    /// Inflates a message; a kilobyte that wants to become a gigabyte stops at the limit.
    public static func inflate(_ message: UnsafeRawBufferPointer, limit: Int) -> Inflated {
        var stream = z_stream()
        guard rex_inflate_begin(&stream) == Z_OK else { return .malformed }
        defer { inflateEnd(&stream) }
        var output: [UInt8] = []
        if let fault = run(&stream, message, limit: limit, into: &output) { return fault }
        if let fault = tail.withUnsafeBytes({ run(&stream, $0, limit: limit, into: &output) }) {
            return fault
        }
        return .bytes(output)
    }

    /// Inflates one piece; nil while all is well.
    private static func run(
        _ stream: inout z_stream, _ part: UnsafeRawBufferPointer, limit: Int,
        into output: inout [UInt8]
    ) -> Inflated? {
        // zlib reads through the pointer and never writes.
        stream.next_in = UnsafeMutablePointer(
            mutating: part.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.avail_in = UInt32(part.count)
        while true {
            var status = Z_OK
            let step = [UInt8](unsafeUninitializedCapacity: stepBytes) { buffer, count in
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(buffer.count)
                status = CZlib.inflate(&stream, Z_SYNC_FLUSH)
                count = buffer.count - Int(stream.avail_out)
            }
            output += step
            if output.count > limit { return .tooLarge }
            if status == Z_STREAM_END { return nil }
            guard status == Z_OK || status == Z_BUF_ERROR else { return .malformed }
            // Room left in the step means that all that came is used.
            if step.count < stepBytes { return nil }
        }
    }

    /// Compresses a message; nil where that is not worth it.
    public static func deflate(_ message: UnsafeRawBufferPointer) -> [UInt8]? {
        guard message.count >= leastBytes else { return nil }
        var stream = z_stream()
        guard rex_deflate_begin(&stream) == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        stream.next_in = UnsafeMutablePointer(
            mutating: message.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.avail_in = UInt32(message.count)
        let room = Int(deflateBound(&stream, UInt(message.count))) + 16
        var isWhole = false
        var output = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            stream.next_out = buffer.baseAddress
            stream.avail_out = UInt32(buffer.count)
            let status = CZlib.deflate(&stream, Z_SYNC_FLUSH)
            isWhole = status == Z_OK && stream.avail_in == 0 && stream.avail_out > 0
            count = buffer.count - Int(stream.avail_out)
        }
        guard isWhole, output.count >= tail.count, output.count < message.count else { return nil }
        output.removeLast(tail.count)
        return output
    }

    /// Below it a message is sent as it is.
    public static let leastBytes = 512
}
