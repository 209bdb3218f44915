/// A way into code that reads what somebody else wrote. Each takes any bytes: it must neither trap
/// nor hang, and what it says of itself must hold.
enum FuzzTarget: String, CaseIterable, Sendable {
    case lines, json, pointer, patch, frames, topics, http, websocket, journal, identity

    /// The most bytes that an input is worth.
    static let inputBytesLimit = 4_096

    /// Feeds one input.
    ///
    /// - Throws: `FuzzFinding` where something does not hold.
    func run(_ input: [UInt8]) throws {
        switch self {
        case .lines: try LineTarget.run(input)
        case .json: try JSONTarget.run(input)
        case .pointer: try PointerTarget.run(input)
        case .patch: try PatchTarget.run(input)
        case .frames: try FrameTarget.run(input)
        case .topics: try TopicTarget.run(input)
        case .http: try HTTPTarget.run(input)
        case .websocket: try WebSocketTarget.run(input)
        case .journal: try JournalTarget.run(input)
        case .identity: try IdentityTarget.run(input)
        }
    }
}

/// What does not hold, in words.
struct FuzzFinding: Error, CustomStringConvertible {
    let description: String
}

func hold(
    _ condition: Bool, _ words: @autoclosure () -> String, line: Int = #line, file: String = #fileID
) throws {
    if !condition { throw FuzzFinding(description: "\(file):\(line): \(words())") }
}

/// An input as a sequence of small decisions; past its end all of them are 0.
struct FuzzInput {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func number(_ bytes: Int) -> Int {
        (0..<bytes).reduce(0) { n, _ in n << 8 | Int(byte()) }
    }

    /// Up to a line feed, which is taken too.
    mutating func line() -> [UInt8] {
        let line = rest.prefix { $0 != 10 }
        rest = rest.dropFirst(line.count + 1)
        return Array(line)
    }

    mutating func take() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }
}

/// Bytes in pieces of 1 to `most`, whose sizes follow from a number.
func pieces(of bytes: [UInt8], _ seed: UInt8) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var start = 0
    var state = UInt32(seed) &* 2_654_435_761 | 1
    let most = UInt32(1) << (UInt32(seed) % 8)
    while start < bytes.count {
        state = state &* 1_664_525 &+ 1_013_904_223
        let size = Int((state >> 16) % most) + 1
        pieces.append(Array(bytes[start..<min(bytes.count, start + size)]))
        start += size
    }
    return pieces
}
