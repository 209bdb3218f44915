/// Why a text is not JSON as Rex takes it (RFC 8259, RFC 7493, UTF-8, exact numbers).
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was expected and what came, for a person.
    public let message: String
    /// The byte, counted from 0, where the text stops being JSON.
    public let offset: Int
    /// The innermost value that was being read there.
    public let pointer: JSONPointer
    /// Whether all that is wrong with it is that it nests deeper than it may.
    public let isTooDeep: Bool

    /// Makes an error for one place.
    public init(
        message: String, offset: Int, pointer: JSONPointer = .root, isTooDeep: Bool = false
    ) {
        self.isTooDeep = isTooDeep
        self.message = message
        self.offset = offset
        self.pointer = pointer
    }

    /// The message.
    public var description: String { message }
}

/// The reason in two words, small enough to be thrown from the inner loop at no cost; it becomes
/// a `JSONError` once, outside.
struct JSONFault: Error {
    enum Reason: UInt8 {
        case value, name, colon, commaOrBrace, commaOrBracket, end
        case quote, control, escape, surrogate, utf8
        case number, integerRange, doubleRange, doubleZero
        case depth, duplicate, length
    }

    let reason: Reason
    let offset: Int
}

extension JSONFault {
    /// The sentence for a person. `bytes` is the whole text.
    func message(in bytes: UnsafeRawBufferPointer, depthLimit: Int) -> String {
        let place = "at byte \(offset)"
        switch reason {
        case .value: return "expected a value \(place), got \(found(in: bytes))"
        case .name: return "expected a member name \(place), got \(found(in: bytes))"
        case .colon: return "expected ':' \(place), got \(found(in: bytes))"
        case .commaOrBrace: return "expected ',' or '}' \(place), got \(found(in: bytes))"
        case .commaOrBracket: return "expected ',' or ']' \(place), got \(found(in: bytes))"
        case .end: return "expected the end of the text \(place), got \(found(in: bytes))"
        case .quote: return "expected '\"' \(place), got the end of the text inside a string"
        case .control:
            return "expected an escape for the control character \(place) inside a string"
        case .escape: return "expected one of \" \\ / b f n r t u after '\\' \(place)"
        case .surrogate: return "a lone surrogate \(place) is no character"
        case .utf8: return "the bytes \(place) are not UTF-8"
        case .number: return "expected a digit \(place), got \(found(in: bytes))"
        case .integerRange: return "number \(number(in: bytes)) does not fit 64 bits"
        case .doubleRange: return "number \(number(in: bytes)) does not fit a Double"
        case .doubleZero: return "number \(number(in: bytes)) is too small for a Double"
        case .depth: return "nested deeper than \(depthLimit) \(place)"
        case .duplicate: return "member name \(name(in: bytes)) stands twice in one object"
        case .length: return "a text of \(bytes.count) bytes is longer than 4294967295 bytes"
        }
    }

    private func found(in bytes: UnsafeRawBufferPointer) -> String {
        guard offset < bytes.count else { return "the end of the text" }
        let byte = bytes[offset]
        switch byte {
        case 0x22: return "'\"'"
        case 0x21...0x7E: return "'\(Character(UnicodeScalar(byte)))'"
        case 0x20, 0x09, 0x0A, 0x0D: return "white space"
        default:
            let hex = String(byte, radix: 16)
            return "byte 0x\(hex.count < 2 ? "0" : "")\(hex)"
        }
    }

    /// The number that begins at the offset, cut to 32 characters.
    private func number(in bytes: UnsafeRawBufferPointer) -> String {
        let rest = bytes[offset...]
        let text = rest.prefix(33).prefix {
            (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0)
        }
        let shown = String(decoding: text.prefix(32), as: UTF8.self)
        return text.count > 32 ? shown + "…" : shown
    }

    /// The quoted name that begins at the offset, cut to about 64 bytes.
    private func name(in bytes: UnsafeRawBufferPointer) -> String {
        var end = offset + 1
        while end < bytes.count, bytes[end] != 0x22 { end += bytes[end] == 0x5C ? 2 : 1 }
        let text = bytes[offset..<min(end + 1, bytes.count)]
        guard text.count > 64 else { return String(decoding: text, as: UTF8.self) }
        return String(decoding: text.prefix(64), as: UTF8.self) + "…\""
    }
}
