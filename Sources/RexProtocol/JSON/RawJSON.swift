/// One JSON text that is known to be valid and compact, kept as its bytes.
///
/// What was encoded once and is sent many times. Equality is that of the bytes.
public struct RawJSON: Sendable, Hashable {
    /// The text in UTF-8, without insignificant white space.
    public let bytes: [UInt8]

    /// Takes bytes that are already valid compact JSON: written by a `JSONWriter` or read by a
    /// `JSONParser`.
    init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// Validates a text and keeps it without insignificant white space.
    public init(parsing text: [UInt8]) throws(JSONError) {
        try self.init(parsing: text, depthLimit: JSONParser.standardDepthLimit)
    }

    /// Validates a text and keeps it without insignificant white space.
    ///
    /// - Parameter depthLimit: how deep it may nest; what Rex itself made from values may have
    ///   `JSONCoder.depthLimit`.
    public init(parsing text: [UInt8], depthLimit: Int) throws(JSONError) {
        let parser = JSONParser(depthLimit: depthLimit)
        let parsed: Result<RawJSON, JSONError> = text.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try parser.parse(bytes).compact }
        }
        self = try parsed.get()
    }

    /// Validates a text and keeps it without insignificant white space.
    public init(parsing text: String) throws(JSONError) {
        try self.init(parsing: Array(text.utf8))
    }

    /// Encodes a value.
    public init<T: Encodable>(encoding value: T) throws {
        var writer = JSONWriter()
        try JSONCoder.encode(value, into: &writer)
        bytes = writer.bytes
    }

    /// Encodes a value.
    public init(_ value: JSONValue) {
        var writer = JSONWriter()
        writer.value(value)
        bytes = writer.bytes
    }

    /// What a writer has written: must be one whole value.
    public init(_ writer: consuming JSONWriter) {
        bytes = writer.bytes
    }

    /// `null`.
    public static let null = RawJSON(unchecked: Array("null".utf8))

    /// The text as a tree. O(size). The text must not nest deeper than `JSONCoder.depthLimit`,
    /// which nothing does that was encoded or parsed with the standard limits.
    public var value: JSONValue {
        guard let value = withNode({ $0.value }) else {
            preconditionFailure(
                "a text of \(bytes.count) bytes nests deeper than \(JSONCoder.depthLimit)")
        }
        return value
    }

    /// Parses the text once more and hands its root to `body`; nil where it nests deeper than
    /// `JSONCoder.depthLimit`.
    func withNode<R>(_ body: (JSONNode) throws -> R) rethrows -> R? {
        let parser = JSONParser(depthLimit: min(bytes.count + 1, JSONCoder.depthLimit))
        return try bytes.withUnsafeBytes { bytes in
            guard let node = try? parser.parse(bytes) else { return nil }
            return try body(node)
        }
    }
}

extension RawJSON: CustomStringConvertible {
    /// The text.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}

extension RawJSON: Codable {
    /// Reads any value: Rex's own decoder copies the text, others build it anew.
    public init(from decoder: any Decoder) throws {
        if let tape = decoder as? TapeDecoder {
            self = tape.node.compact
        } else {
            self.init(try JSONValue(from: decoder))
        }
    }

    /// Writes the value: Rex's own encoder copies the text, others get a tree.
    public func encode(to encoder: any Encoder) throws {
        if let tree = encoder as? TreeEncoder {
            tree.scope.state.pointee.writer.raw(self)
        } else {
            try value.encode(to: encoder)
        }
    }
}
