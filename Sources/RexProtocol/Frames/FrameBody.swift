/// JSON inside a frame from a client: where it was received, still on the parser's tape (nothing is
/// copied), where it is sent, a text of its own.
public enum FrameBody {
    /// Received: valid as long as the node is.
    case node(JSONNode)
    /// To be sent.
    case raw(RawJSON)

    /// A text of its own, valid for ever.
    public var raw: RawJSON {
        switch self {
        case .node(let node): node.compact
        case .raw(let raw): raw
        }
    }

    /// The node; nil where the body is to be sent.
    public var node: JSONNode? {
        if case .node(let node) = self { node } else { nil }
    }

    /// Decodes a type. `at` is the body's place in the frame.
    public func decode<T: Decodable>(
        _ type: T.Type, at: JSONPointer
    ) throws(JSONDecodingFailure) -> T {
        switch self {
        case .node(let node): try JSONCoder.decode(type, from: node, at: at)
        case .raw(let raw): try JSONCoder.decode(type, from: raw, at: at)
        }
    }
}

extension FrameBody: Equatable {
    /// Whether both are the same compact text.
    public static func == (a: FrameBody, b: FrameBody) -> Bool { a.raw == b.raw }
}
