/// The `id` that a client gave a frame: a JSON string or integer, kept as its exact text so that it
/// returns unchanged.
public struct FrameID: Sendable, Hashable {
    /// The JSON text, a string's quotes included.
    public let raw: [UInt8]

    /// An integer.
    public init(_ number: Int) {
        var writer = JSONWriter()
        writer.int(number)
        raw = writer.bytes
    }

    /// A string.
    public init(_ text: String) {
        var writer = JSONWriter()
        writer.string(text)
        raw = writer.bytes
    }

    /// The text of a node; nil where it is neither a string nor an integer (`1.0` is one).
    public init?(_ node: JSONNode) {
        switch node.kind {
        case .string, .int, .uint: raw = Array(node.raw)
        case .double where node.int != nil: raw = Array(node.raw)
        default: return nil
        }
    }

    /// The integer; nil where it is none.
    public var int: Int? { Int(String(decoding: raw, as: UTF8.self)) }

    /// The `id` of what may be a frame, for the answer to one that is none. Never fails.
    public static func of(_ node: JSONNode) -> FrameID? { node["id"].flatMap { FrameID($0) } }
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
