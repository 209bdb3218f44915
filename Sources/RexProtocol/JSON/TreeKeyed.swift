/// What the keyed containers that write have in common: a way to begin a member.
protocol TreeMembers: KeyedEncodingContainerProtocol {
    var scope: EncodingScope { get }
    /// Writes what stands before the value of a key, and gives what writes the value.
    mutating func begin(_ key: Key) throws -> TreeEncoder
}

/// The members of an object, in the order in which they are written.
struct TreeKeyed<Key: CodingKey>: TreeMembers {
    let scope: EncodingScope
    let place: Place

    var codingPath: [any CodingKey] { scope.codingPath }

    func begin(_ key: Key) throws -> TreeEncoder {
        try scope.begin(key.stringValue, at: place)
        return TreeEncoder(scope: scope, place: place)
    }

    func superEncoder() -> any Encoder {
        guard (try? scope.begin("super", at: place)) != nil else {
            return TreeEncoder(scope: scope, place: .gone)
        }
        return TreeEncoder(scope: scope, place: scope.nextPlace())
    }
}

extension Place {
    /// No place at all: writing there is refused.
    static let gone = Place(depth: .max, token: .max)
}

extension EncodingScope {
    /// The place of a value that an encoder of its own writes.
    func nextPlace() -> Place {
        state.pointee.token &+= 1
        return Place(depth: Int32(state.pointee.levels.count), token: state.pointee.token)
    }
}

extension TreeMembers {
    mutating func encodeNil(forKey key: Key) throws { try begin(key).encodeNil() }
    mutating func encode(_ value: Bool, forKey key: Key) throws { try begin(key).encode(value) }
    mutating func encode(_ value: String, forKey key: Key) throws { try begin(key).encode(value) }
    mutating func encode(_ value: Double, forKey key: Key) throws { try begin(key).encode(value) }
    mutating func encode(_ value: Float, forKey key: Key) throws { try begin(key).encode(value) }
    mutating func encode(_ value: Int, forKey key: Key) throws { try begin(key).encode(value) }
    mutating func encode(_ value: Int8, forKey key: Key) throws { try begin(key).encode(value) }
    mutating func encode(_ value: Int16, forKey key: Key) throws { try begin(key).encode(value) }
    mutating func encode(_ value: Int32, forKey key: Key) throws { try begin(key).encode(value) }
    mutating func encode(_ value: Int64, forKey key: Key) throws { try begin(key).encode(value) }
    mutating func encode(_ value: UInt, forKey key: Key) throws { try begin(key).encode(value) }
    mutating func encode(_ value: UInt8, forKey key: Key) throws { try begin(key).encode(value) }
    mutating func encode(_ value: UInt16, forKey key: Key) throws { try begin(key).encode(value) }
    mutating func encode(_ value: UInt32, forKey key: Key) throws { try begin(key).encode(value) }
    mutating func encode(_ value: UInt64, forKey key: Key) throws { try begin(key).encode(value) }
    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try begin(key).scope.encode(value)
    }

    // A nil property is written as null, never left out.

    mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws {
        try optional(value, key)
    }
    mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws {
        try optional(value, key)
    }
    mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
        try optional(value, key)
    }
    mutating func encodeIfPresent(_ value: Float?, forKey key: Key) throws {
        try optional(value, key)
    }
    mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws {
        try optional(value, key)
    }
    mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) throws {
        try optional(value, key)
    }
    mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) throws {
        try optional(value, key)
    }
    mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) throws {
        try optional(value, key)
    }
    mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws {
        try optional(value, key)
    }
    mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) throws {
        try optional(value, key)
    }
    mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws {
        try optional(value, key)
    }
    mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws {
        try optional(value, key)
    }
    mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws {
        try optional(value, key)
    }
    mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws {
        try optional(value, key)
    }
    mutating func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws {
        try optional(value, key)
    }

    private mutating func optional<T: Encodable>(_ value: T?, _ key: Key) throws {
        if let value {
            try begin(key).scope.encode(value)
        } else {
            try begin(key).encodeNil()
        }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        guard (try? begin(key)) != nil else {
            return KeyedEncodingContainer(TreeKeyed<Nested>(scope: scope, place: .gone))
        }
        return KeyedEncodingContainer(
            TreeKeyed<Nested>(scope: scope, place: scope.openNested(.object)))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        guard (try? begin(key)) != nil else { return TreeList(scope: scope, place: .gone) }
        return TreeList(scope: scope, place: scope.openNested(.array))
    }

    mutating func superEncoder(forKey key: Key) -> any Encoder {
        guard (try? begin(key)) != nil else { return TreeEncoder(scope: scope, place: .gone) }
        return TreeEncoder(scope: scope, place: scope.nextPlace())
    }
}
