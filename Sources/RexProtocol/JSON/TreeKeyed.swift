/// The members of an object in the order in which they are written, or an action in the form of the
/// wire. One type for all roles, as in `TapeKeyed`.
struct TreeKeyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    enum Role {
        /// The members of an object that is open.
        case members
        /// An action: the only key is its case, and nothing is open yet.
        case action
        /// The values of a case: what is open is the action.
        case payload
    }

    let scope: EncodingScope
    let place: Place
    var role: Role = .members
    /// Where the values of a case go that has several or has labels.
    private var values: Place?

    init(scope: EncodingScope, place: Place, role: Role = .members) {
        self.scope = scope
        self.place = place
        self.role = role
    }

    var codingPath: [any CodingKey] { scope.codingPath }

    /// Writes what stands before the value of a key, and gives what writes the value.
    private mutating func begin(_ key: Key) throws -> TreeEncoder {
        let name = key.stringValue
        switch role {
        case .members: try scope.begin(name, at: place)
        case .action:
            // No enum of cases, then: written plainly.
            scope.open(.object, at: place)
            role = .members
            try scope.begin(name, at: place)
        case .payload: try beginValue(name)
        }
        return TreeEncoder(scope: scope, place: place)
    }

    private mutating func beginValue(_ name: String) throws {
        // A key enum of one case has no size: the case holds one value.
        if MemoryLayout<Key>.size == 0, name == "_0" {
            return try scope.begin("payload", at: place)
        }
        if let values { return try scope.begin(name, at: values) }
        try scope.begin("payload", at: place)
        let values = scope.openNested(.payload)
        self.values = values
        try scope.begin(name, at: values)
    }

    mutating func superEncoder() -> any Encoder {
        guard role == .members, (try? scope.begin("super", at: place)) != nil else {
            return TreeEncoder(scope: scope, place: .gone)
        }
        return TreeEncoder(scope: scope, place: scope.nextPlace())
    }

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
        if role == .action {
            scope.open(.object, at: place)
            guard (try? scope.begin("type", at: place)) != nil else {
                return KeyedEncodingContainer(TreeKeyed<Nested>(scope: scope, place: .gone))
            }
            scope.state.pointee.writer.string(key.stringValue)
            return KeyedEncodingContainer(
                TreeKeyed<Nested>(scope: scope, place: place, role: .payload))
        }
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
