/// Bytes in, lines out: cuts a stream at LF, takes one CR before it away, and drops blank lines.
///
/// A line that lies whole in the bytes at hand is passed on without a copy.
struct LineSplitter {
    /// Why a stream cannot be split any further.
    struct TooLong: Error, Equatable {
        let limit: Int
    }

    private var partial: [UInt8] = []
    private let limit: Int

    init(limit: Int = ClientLimits.lineBytes) { self.limit = limit }

    /// True when the stream ended within a line.
    var holdsPartialLine: Bool { !partial.isEmpty }

    /// Passes each whole line on; it is good during the call only. O(bytes).
    mutating func feed(
        _ bytes: UnsafeRawBufferPointer, line: (UnsafeRawBufferPointer) -> Void
    ) throws(TooLong) {
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let piece = UnsafeRawBufferPointer(rebasing: rest[rest.startIndex..<end])
            rest = rest[(end + 1)...]
            guard partial.count + piece.count <= limit else { throw TooLong(limit: limit) }
            if partial.isEmpty {
                Self.pass(piece, line)
            } else {
                partial.append(contentsOf: piece)
                partial.withUnsafeBytes { Self.pass($0, line) }
                partial.removeAll(keepingCapacity: partial.count < 1 << 16)
            }
        }
        guard partial.count + rest.count <= limit else { throw TooLong(limit: limit) }
        partial.append(contentsOf: rest)
    }

    private static func pass(
        _ piece: UnsafeRawBufferPointer, _ line: (UnsafeRawBufferPointer) -> Void
    ) {
        let end = piece.last == UInt8(ascii: "\r") ? piece.count - 1 : piece.count
        let whole = UnsafeRawBufferPointer(rebasing: piece[0..<end])
        let isBlank = whole.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        if !isBlank { line(whole) }
    }
}
