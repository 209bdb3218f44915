import Rex

/// Writes an enum with Swift's synthesized Codable in the action form: `type` is the case,
/// `payload` its values. Whatever does not encode like such an enum is written plainly.
struct ActionTreeEncoder: Encoder {
    let scope: EncodingScope
    let place: Place

    var codingPath: [any CodingKey] { scope.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(ActionTreeKeyed(scope: scope, place: place))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        TreeEncoder(scope: scope, place: place).unkeyedContainer()
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        TreeEncoder(scope: scope, place: place)
    }
}

/// The one key that an action enum writes: its case.
private struct ActionTreeKeyed<Key: CodingKey>: TreeMembers {
    let scope: EncodingScope
    let place: Place

    var codingPath: [any CodingKey] { scope.codingPath }

    func begin(_ key: Key) throws -> TreeEncoder {
        scope.open(.object, at: place)
        try scope.begin(key.stringValue, at: place)
        return TreeEncoder(scope: scope, place: place)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        scope.open(.object, at: place)
        guard (try? scope.begin("type", at: place)) != nil else {
            return KeyedEncodingContainer(TreeKeyed<Nested>(scope: scope, place: .gone))
        }
        scope.state.pointee.writer.string(key.stringValue)
        return KeyedEncodingContainer(PayloadTree<Nested>(scope: scope, action: place))
    }

    func superEncoder() -> any Encoder { TreeEncoder(scope: scope, place: place) }
}

/// The values of a case. Nothing is written where it has none.
private struct PayloadTree<Key: CodingKey>: TreeMembers {
    let scope: EncodingScope
    let action: Place
    private var payload: Place?

    init(scope: EncodingScope, action: Place) {
        self.scope = scope
        self.action = action
    }

    var codingPath: [any CodingKey] { scope.codingPath }

    mutating func begin(_ key: Key) throws -> TreeEncoder {
        let name = key.stringValue
        // A key enum of one case has no size: the case holds one value.
        if MemoryLayout<Key>.size == 0, name == "_0" {
            try scope.begin("payload", at: action)
            return TreeEncoder(scope: scope, place: action)
        }
        let place: Place
        if let payload {
            place = payload
        } else {
            try scope.begin("payload", at: action)
            place = scope.openNested(.payload)
            payload = place
        }
        try scope.begin(name, at: place)
        return TreeEncoder(scope: scope, place: place)
    }

    func superEncoder() -> any Encoder { TreeEncoder(scope: scope, place: .gone) }
}
