/// Writes JSON by appending. It puts down what it is told and adds no commas or colons: the caller
/// does, mostly as part of a `literal`.
///
/// Strings are escaped as RFC 8785 does: `\" \\ \b \t \n \f \r`, other control characters as
/// `\u00xx` in lower case, everything else as it is.
public struct JSONWriter: Sendable {
    /// What is written so far.
    public var bytes: [UInt8] = []

    /// A writer with nothing written.
    public init() {}

    /// A writer with room for a number of bytes.
    public init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Appends text that is JSON already, or a part of it.
    @inline(__always)
    public mutating func literal(_ text: StaticString) {
        bytes.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends one ASCII character: a bracket, a comma, a colon.
    @inline(__always)
    public mutating func byte(_ byte: UInt8) { bytes.append(byte) }

    /// Appends `null`.
    public mutating func null() { literal("null") }

    /// Appends `true` or `false`.
    public mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }

    /// Appends an integer.
    public mutating func int(_ value: Int) {
        if value < 0 { bytes.append(0x2D) }
        uint(UInt64(value.magnitude))
    }

    /// Appends an integer.
    public mutating func uint(_ value: UInt64) {
        if value < 10 {
            bytes.append(0x30 &+ UInt8(truncatingIfNeeded: value))
            return
        }
        var rest = value
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var first = 20
            while rest > 0 {
                first &-= 1
                digits[first] = 0x30 &+ UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[first..<20]))
        }
    }

    /// Appends a number that reads back equal: the shortest digits that do, without `.0`.
    ///
    /// A NaN or an infinity is no JSON; it must not come here (`JSONCoder` refuses it before).
    public mutating func double(_ value: Double) {
        precondition(value.isFinite, "\(value) has no JSON form")
        if value.magnitude < 9_007_199_254_740_992, let int = Int(exactly: value) {
            self.int(int)
        } else {
            value.description.withBytes { bytes.append(contentsOf: $0) }
        }
    }

    /// Appends a string with its quotes.
    public mutating func string(_ text: String) { text.withBytes { string(utf8: $0) } }

    /// Appends a string with its quotes from valid UTF-8.
    public mutating func string(utf8 text: UnsafeRawBufferPointer) {
        bytes.append(0x22)
        var plain = 0
        var i = 0
        while i < text.count {
            if i &+ 8 <= text.count,
                Self.isPlain(text.loadUnaligned(fromByteOffset: i, as: UInt64.self))
            {
                i &+= 8
                continue
            }
            let byte = text[i]
            if byte < 0x20 || byte == 0x22 || byte == 0x5C {
                bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[plain..<i]))
                escape(byte)
                plain = i + 1
            }
            i &+= 1
        }
        bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[plain...]))
        bytes.append(0x22)
    }

    /// Whether none of eight bytes needs an escape.
    @inline(__always)
    private static func isPlain(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        let stops =
            ((word &- (ones &* 0x20)) & ~word) | ((quote &- ones) & ~quote)
            | ((backslash &- ones) & ~backslash)
        return stops & (ones &* 0x80) == 0
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case 0x22: literal("\\\"")
        case 0x5C: literal("\\\\")
        case 0x08: literal("\\b")
        case 0x09: literal("\\t")
        case 0x0A: literal("\\n")
        case 0x0C: literal("\\f")
        case 0x0D: literal("\\r")
        default:
            literal(byte < 0x10 ? "\\u000" : "\\u001")
            let low = byte & 0xF
            bytes.append(low < 10 ? 0x30 + low : 0x61 + low - 10)
        }
    }

    /// Appends a text that is valid JSON already.
    public mutating func raw(_ json: RawJSON) { bytes.append(contentsOf: json.bytes) }

    /// Appends bytes that are valid JSON already, or a part of it.
    public mutating func raw(_ json: UnsafeRawBufferPointer) { bytes.append(contentsOf: json) }

    /// Appends a node of a parsed text, without its insignificant white space.
    public mutating func node(_ node: JSONNode) {
        if node.entry.flags & TapeEntry.spaced == 0 {
            raw(node.raw)
        } else {
            raw(node.compact)
        }
    }

    /// Appends a whole tree. Its numbers must be finite.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .int(let value): int(value)
        case .uint(let value): uint(value)
        case .double(let value): double(value)
        case .string(let text): string(text)
        case .array(let values):
            byte(0x5B)
            for (index, value) in values.enumerated() {
                if index > 0 { byte(0x2C) }
                self.value(value)
            }
            byte(0x5D)
        case .object(let object):
            byte(0x7B)
            for (index, member) in object.enumerated() {
                if index > 0 { byte(0x2C) }
                string(member.key)
                byte(0x3A)
                self.value(member.value)
            }
            byte(0x7D)
        }
    }
}
