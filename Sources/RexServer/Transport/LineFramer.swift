import RexLoop

/// Bytes into lines: ends at LF, drops a CR before it, skips blank lines.
///
/// A line that lies whole in what was just read is handed on in place; only the piece of one that
/// is not finished is copied. At most `limit` bytes plus one read are ever held.
struct LineFramer {
    /// Why no further line is taken.
    enum Stop: Error, Equatable {
        /// A line of more than the limit, finished or not. Framing is lost.
        case tooLong
    }

    private var held: [UInt8] = []
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Bytes that wait for their line's end, or for a reader that was told to stop.
    var heldBytes: Int { held.count }

    /// Takes `bytes` and hands each complete line to `body`, which answers whether it wants more
    /// now.
    ///
    /// After a `false` the rest is kept; call again with no bytes to go on.
    mutating func take(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Bool
    ) throws(Stop) {
        if held.isEmpty {
            let used = try lines(bytes, body)
            if used < bytes.count { held.append(contentsOf: bytes[used...]) }
        } else {
            held.append(contentsOf: bytes)
            var whole: [UInt8] = []
            swap(&whole, &held)
            let used: Int
            do throws(Stop) {
                used = try withBytes(of: whole) { bytes throws(Stop) in try lines(bytes, body) }
            } catch {
                throw error
            }
            if used == 0 {
                swap(&whole, &held)
            } else if used < whole.count {
                held.append(contentsOf: whole[used...])
            }
        }
    }

    /// The last line of an input that ended without LF, if there is one.
    mutating func end(_ body: (UnsafeRawBufferPointer) -> Bool) {
        var whole: [UInt8] = []
        swap(&whole, &held)
        whole.withUnsafeBytes { if !Self.isBlank($0) { _ = body($0) } }
    }

    private func lines(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Bool
    ) throws(Stop) -> Int {
        var start = 0
        while start < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
            guard let end = rest.firstOffset(of: UInt8(ascii: "\n")) else {
                // The last byte may be the CR of the line's end.
                if rest.count > limit, rest.count > limit + 1 || rest.last != UInt8(ascii: "\r") {
                    throw .tooLong
                }
                return start
            }
            start += end + 1
            var line = rest[..<end]
            if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
            if line.count > limit { throw .tooLong }
            let whole = UnsafeRawBufferPointer(rebasing: line)
            if !Self.isBlank(whole), !body(whole) { return start }
        }
        return start
    }

    private static func isBlank(_ line: UnsafeRawBufferPointer) -> Bool {
        line.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == 13 }
    }

    private func withBytes<T>(
        of array: [UInt8], _ body: (UnsafeRawBufferPointer) throws(Stop) -> T
    ) throws(Stop) -> T {
        let result = array.withUnsafeBytes { bytes in
            Result { () throws(Stop) in try body(bytes) }
        }
        return try result.get()
    }
}
