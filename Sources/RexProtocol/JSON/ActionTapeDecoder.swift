/// Reads an enum with Swift's synthesized Codable from the action form: `type` is the case,
/// `payload` its values. Whatever does not decode like such an enum is read plainly.
struct ActionTapeDecoder: Decoder {
    let node: JSONNode
    let scope: DecodingScope

    var codingPath: [any CodingKey] { scope.codingPath(of: node) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard node.kind == .object else { throw scope.mismatch(node, "an action") }
        if let kept = scope.kept, node.index == scope.root.index {
            return kept.actionContainer(scope, Key.self)
        }
        return KeyedDecodingContainer(TapeKeyed<Key>(node: node, scope: scope, role: .action))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try TapeDecoder(node: node, scope: scope).unkeyedContainer()
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        TapeDecoder(node: node, scope: scope)
    }
}
