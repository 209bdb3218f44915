/// A body in chunks (RFC 9112 §7.1), strictly: CR LF and nothing else ends a line, sizes have up to
/// eight digits. Extensions and trailers are read and dropped.
struct ChunkedBody {
    private enum Step {
        case size
        case content(Int)
        case contentEnd, trailer
    }

    private(set) var bytes: [UInt8] = []
    private(set) var isWhole = false
    private let limit: Int
    private var step = Step.size
    private var trailerBytes = 0

    /// The longest line of a size with its extensions, and all trailers together.
    static let lineLimit = 4_096

    init(limit: Int) { self.limit = limit }

    /// Takes what it can and returns how much that was.
    mutating func take(_ input: ArraySlice<UInt8>) throws(HTTPReader.Failure) -> Int {
        var rest = input
        while !isWhole {
            switch step {
            case .size:
                guard let line = try Self.line(&rest) else { return input.count - rest.count }
                let size = try Self.size(line)
                guard bytes.count + size <= limit else {
                    throw .init(413, "a body may have \(limit) bytes")
                }
                step = size == 0 ? .trailer : .content(size)
            case .content(let left):
                guard !rest.isEmpty else { return input.count - rest.count }
                let part = rest.prefix(left)
                bytes += part
                rest = rest.dropFirst(part.count)
                step = part.count == left ? .contentEnd : .content(left - part.count)
            case .contentEnd:
                guard let line = try Self.line(&rest) else { return input.count - rest.count }
                guard line.isEmpty else { throw .init(400, "a chunk longer than its size") }
                step = .size
            case .trailer:
                guard let line = try Self.line(&rest) else { return input.count - rest.count }
                trailerBytes += line.count
                guard trailerBytes <= Self.lineLimit else { throw .init(431, "long trailers") }
                isWhole = line.isEmpty
            }
        }
        return input.count - rest.count
    }

    /// The next line without its end; nil while it is not whole.
    private static func line(
        _ rest: inout ArraySlice<UInt8>
    ) throws(HTTPReader.Failure) -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: 10) else {
            guard rest.count <= lineLimit else { throw .init(400, "a long line between chunks") }
            return nil
        }
        let line = rest[..<end]
        guard line.last == 13, !line.dropLast().contains(13), line.count <= lineLimit else {
            throw .init(400, "a malformed line between chunks")
        }
        rest = rest[(end + 1)...]
        return line.dropLast()
    }

    private static func size(_ line: ArraySlice<UInt8>) throws(HTTPReader.Failure) -> Int {
        let digits = line.prefix { $0 != UInt8(ascii: ";") }
        let text = String(decoding: digits, as: UTF8.self)
        guard (1...8).contains(digits.count), digits.allSatisfy(isHex),
            let size = Int(text, radix: 16)
        else { throw .init(400, "a malformed size of a chunk") }
        return size
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
