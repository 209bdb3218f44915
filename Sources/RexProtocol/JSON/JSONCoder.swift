/// Swift's Codable on Rex's JSON, without a tree in between.
///
/// What is written is deterministic: properties in the order of their declaration, a nil property
/// as `null`, a dictionary with `String` keys (or keys that are written as names) as an object
/// sorted by the bytes of the names, any other dictionary as an array of key, value, key, value in
/// the order of the keys' encoded bytes, a Set in the order of its elements' encoded bytes. `Date`
/// is RFC 3339 in UTC with milliseconds, `Data` base64, `UUID` and `URL` a string, `Decimal` a
/// number where 64-bit integers and Doubles hold it exactly and a string of digits otherwise.
///
/// (A type that hands its encoder on to a Set, `set.encode(to: encoder)`, hides it: the order is
/// then the Set's own. A single value container, `container.encode(set)`, does not.)
///
/// Absent and `null` both read as nil. A number without fraction reads as an integer however it is
/// written (`5.0`); one that does not fit the type is refused.
public enum JSONCoder {
    /// How deep a text may nest that Rex itself made from values.
    public static let depthLimit = 1_000

    /// Appends a value as compact JSON. After an error the writer is as it was before.
    ///
    /// Throws `EncodingError`: more than `depthLimit` containers nested, a number that is not
    /// finite, a time outside the years 0 to 9999, containers that were filled in turns; and what
    /// the type's own `encode(to:)` throws.
    public static func encode<T: Encodable>(_ value: T, into writer: inout JSONWriter) throws {
        try encode(value, into: &writer, writesActions: false)
    }

    static func encode<T: Encodable>(
        _ value: T, into writer: inout JSONWriter, writesActions: Bool
    ) throws {
        let start = writer.bytes.count
        let scope = EncodingScope(writer: writer.take(), writesActions: writesActions)
        defer { writer = scope.takeWriter() }
        do {
            try scope.encode(value)
            guard !scope.state.pointee.isTooDeep else {
                throw scope.tooDeep(value)
            }
        } catch {
            scope.state.pointee.writer.bytes.removeSubrange(start...)
            throw error
        }
    }

    /// The tree of a value. O(size of its text).
    public static func value<T: Encodable>(of value: T) throws -> JSONValue {
        try RawJSON(encoding: value).value
    }

    /// Decodes a type from a parsed text.
    ///
    /// `at` is what the node is called outside, the beginning of every place in a failure.
    public static func decode<T: Decodable>(
        _ type: T.Type, from node: JSONNode, at: JSONPointer = .root
    ) throws(JSONDecodingFailure) -> T {
        let scope = DecodingScope(root: node, at: at, readsActions: false)
        do {
            return try scope.decode(type, node)
        } catch {
            throw error as? JSONDecodingFailure ?? scope.failure(error, node)
        }
    }

    /// Decodes a type from a tree. O(size of its text).
    public static func decode<T: Decodable>(
        _ type: T.Type, from value: JSONValue, at: JSONPointer = .root
    ) throws(JSONDecodingFailure) -> T {
        if type == JSONValue.self, let value = value as? T { return value }
        return try decode(type, from: RawJSON(value), at: at)
    }

    /// Decodes a type from a text that is known to be valid.
    public static func decode<T: Decodable>(
        _ type: T.Type, from json: RawJSON, at: JSONPointer = .root
    ) throws(JSONDecodingFailure) -> T {
        let decoded = json.withNode { node in
            Result { () throws(JSONDecodingFailure) in try decode(type, from: node, at: at) }
        }
        guard let decoded else {
            throw JSONDecodingFailure(message: "nested deeper than \(depthLimit)", at: at)
        }
        return try decoded.get()
    }
}

extension JSONWriter {
    /// Hands the bytes on and keeps none, so that they go on growing in place.
    mutating func take() -> JSONWriter {
        let taken = self
        bytes = []
        return taken
    }
}
