import Rex

/// Reads an enum with Swift's synthesized Codable from the action form: `type` is the case,
/// `payload` its values. Whatever does not decode like such an enum is read plainly.
struct ActionTapeDecoder: Decoder {
    let node: JSONNode
    let scope: DecodingScope

    var codingPath: [any CodingKey] { scope.codingPath(of: node) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard node.kind == .object else { throw scope.mismatch(node, "an action") }
        return KeyedDecodingContainer(ActionTapeKeyed<Key>(node: node, scope: scope))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try TapeDecoder(node: node, scope: scope).unkeyedContainer()
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        TapeDecoder(node: node, scope: scope)
    }
}

/// The one key that an action enum asks for: its case.
private struct ActionTapeKeyed<Key: CodingKey>: TapeMembers {
    let node: JSONNode
    let scope: DecodingScope

    var codingPath: [any CodingKey] { scope.codingPath(of: node) }

    var allKeys: [Key] {
        guard let type = node["type"], let name = type.string else { return [] }
        guard let key = Key(stringValue: name) else {
            scope.unknownType = type
            return []
        }
        return [key]
    }

    func find(_ key: Key) -> JSONNode? { node[name: key.stringValue] }

    func place(_ key: Key) -> JSONPointer {
        scope.pointer(to: node).appending(key.stringValue)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(
            PayloadTape<Nested>(action: node, payload: node["payload"], scope: scope))
    }

    func superDecoder() throws -> any Decoder { TapeDecoder(node: node, scope: scope) }
}

/// The values of a case by the keys that Swift gives them: their labels, or `_0`, `_1` … for those
/// without.
private struct PayloadTape<Key: CodingKey>: TapeMembers {
    let action: JSONNode
    let payload: JSONNode?
    let scope: DecodingScope

    /// A key enum of one case has no size: the case holds one value.
    private var isSingle: Bool { MemoryLayout<Key>.size == 0 }

    var codingPath: [any CodingKey] { scope.codingPath(of: payload ?? action) }

    var allKeys: [Key] {
        guard let payload else { return [] }
        return payload.members.compactMap { Key(stringValue: $0.name.string ?? "") }
    }

    func find(_ key: Key) throws -> JSONNode? {
        let name = key.stringValue
        if isSingle, name == "_0" { return payload }
        guard let payload, !payload.isNull else { return nil }
        if payload.kind == .object { return payload[name: name] }
        guard let index = PayloadKey.index(name) else { throw scope.mismatch(payload, "an object") }
        guard payload.kind == .array else { throw scope.mismatch(payload, "an array") }
        if index == 0, let last = payload[element: payload.count - 1],
            Key(stringValue: "_\(payload.count - 1)") == nil
        {
            throw scope.failure(last, "expected the end of the array, got \(last.kind.words)")
        }
        return payload[element: index]
    }

    func place(_ key: Key) -> JSONPointer {
        let place = scope.pointer(to: action).appending("payload")
        let name = key.stringValue
        if isSingle, name == "_0" { return place }
        return place.appending(PayloadKey.index(name).map { String($0) } ?? name)
    }

    func superDecoder() throws -> any Decoder { TapeDecoder(node: action, scope: scope) }
}

/// The keys `_0`, `_1` … of values without a label.
enum PayloadKey {
    static func index(_ name: String) -> Int? {
        let text = name.utf8
        guard text.first == 0x5F, text.count > 1, text.count < 5 else { return nil }
        return JSONPointer.index(String(name.dropFirst()))
    }
}
