import CZlib

/// Compression of one message at a time (RFC 7692 without context takeover), by zlib.
///
/// Nothing is kept from one message to the next, so a message is compressed once for all who get it.
final class MessageDeflate {
    enum Inflated {
        case bytes([UInt8])
        case tooLarge
        case malformed
    }

    /// The four bytes that each message lacks (RFC 7692 §7.2.1).
    private static let tail: [UInt8] = [0, 0, 0xFF, 0xFF]
    private static let stepBytes = 16_384

    /// Inflates a message; a kilobyte that wants to become a gigabyte stops at the limit.
    func inflate(_ message: UnsafeRawBufferPointer, limit: Int) -> Inflated {
        var stream = z_stream()
        guard rex_inflate_begin(&stream) == Z_OK else { return .malformed }
        defer { inflateEnd(&stream) }
        var output: [UInt8] = []
        for part in [Array(message), Self.tail] {
            let result = Self.run(&stream, part, limit: limit, into: &output)
            if let result { return result }
        }
        return .bytes(output)
    }

    private static func run(
        _ stream: inout z_stream, _ part: [UInt8], limit: Int, into output: inout [UInt8]
    ) -> Inflated? {
        var part = part
        return part.withUnsafeMutableBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            repeat {
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
                if step.isEmpty { break }
            } while stream.avail_in > 0 || stream.avail_out == 0
            return nil
        }
    }

    /// Compresses a message; nil where that is not worth it or fails.
    static func deflate(_ message: [UInt8]) -> [UInt8]? {
        guard message.count >= leastBytes else { return nil }
        var stream = z_stream()
        guard rex_deflate_begin(&stream) == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        var message = message
        var output = [UInt8](
            repeating: 0, count: Int(deflateBound(&stream, UInt(message.count))) + 16)
        let count = message.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { buffer -> Int? in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(buffer.count)
                guard CZlib.deflate(&stream, Z_SYNC_FLUSH) == Z_OK, stream.avail_in == 0 else {
                    return nil
                }
                return buffer.count - Int(stream.avail_out)
            }
        }
        guard let count, count >= tail.count, count < message.count else { return nil }
        output.removeLast(output.count - count + tail.count)
        return output
    }

    /// Below it a message is sent as it is.
    static let leastBytes = 512
}
