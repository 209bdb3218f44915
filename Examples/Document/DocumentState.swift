public import Rex
public import RexProtocol

/// Any JSON value; at first an empty object. Encoded as the value itself.
public struct DocumentState: Statable {
    /// The document.
    public private(set) var value: JSONValue
    /// The size of the document in bytes, about that of its text. Follows from `value`.
    public private(set) var sizeBytes: Int

    /// A document, which may be over `DocumentLimits`.
    public init(_ value: JSONValue = .object([:])) {
        self.value = value
        sizeBytes = value.sizeBytes
    }

    /// Makes another value the document. O(what changed), as values that share storage are skipped.
    ///
    /// - Throws: `Refusal` when the document would be over `DocumentLimits.sizeBytes`. It is as it
    ///   was.
    mutating func become(_ next: JSONValue) throws(Refusal) {
        let size = sizeBytes + next.growth(from: value)
        guard size <= max(sizeBytes, DocumentLimits.sizeBytes) else {
            throw Refusal(
                "the document would have \(size) bytes, the limit is \(DocumentLimits.sizeBytes)")
        }
        value = next
        sizeBytes = size
    }
}

extension DocumentState: Codable {
    /// Reads any value. O(value).
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(JSONValue.self))
    }

    /// Writes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
