/// The `id` that a client gave a frame: a JSON string or integer, kept as its exact text so that it
/// returns unchanged.
public struct FrameID: Sendable, Hashable {
    /// Nearly all ids are short integers, which need no memory of their own. A text is kept only
    /// where it is not the one that the integer is written as.
    private enum Form: Sendable, Hashable {
        case int(Int)
        case text([UInt8])
    }

    private let form: Form

    /// An integer.
    public init(_ number: Int) { form = .int(number) }

    /// A string.
    public init(_ text: String) {
        var writer = JSONWriter()
        writer.string(text)
        form = .text(writer.bytes)
    }

    /// The text of a node; nil where it is neither a string nor an integer (`1.0` is one).
    public init?(_ node: JSONNode) {
        switch node.kind {
        case .string, .uint: form = .text(Array(node.raw))
        case .int:
            // Of all integers only zero has a second spelling, "-0".
            let number = node.int ?? 0
            form = number == 0 && node.raw.count > 1 ? .text(Array(node.raw)) : .int(number)
        case .double where node.int != nil: form = .text(Array(node.raw))
        default: return nil
        }
    }

    /// The `id` of what may be a frame, for the answer to one that is none. Never fails.
    public static func of(_ node: JSONNode) -> FrameID? { node["id"].flatMap { FrameID($0) } }

    /// The JSON text, a string's quotes included.
    public var raw: [UInt8] {
        switch form {
        case .text(let bytes): return bytes
        case .int(let number):
            var writer = JSONWriter()
            writer.int(number)
            return writer.bytes
        }
    }

    /// The integer; nil where it is none.
    public var int: Int? {
        switch form {
        case .int(let number): number
        case .text(let bytes): Int(String(decoding: bytes, as: UTF8.self))
        }
    }

    /// Appends the JSON text.
    @inline(__always)
    func encode(into writer: inout JSONWriter) {
        switch form {
        case .int(let number): writer.int(number)
        case .text(let bytes): writer.bytes.append(contentsOf: bytes)
        }
    }
}

extension FrameID: CustomStringConvertible, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral
{
    /// The JSON text.
    public var description: String { String(decoding: raw, as: UTF8.self) }
    /// An integer.
    public init(integerLiteral value: Int) { self.init(value) }
    /// A string.
    public init(stringLiteral value: String) { self.init(value) }
}
