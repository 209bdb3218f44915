/// Writes an enum with Swift's synthesized Codable in the action form: `type` is the case,
/// `payload` its values. Whatever does not encode like such an enum is written plainly.
struct ActionTreeEncoder: Encoder {
    let scope: EncodingScope
    let place: Place

    var codingPath: [any CodingKey] { scope.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(TreeKeyed(scope: scope, place: place, role: .action))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        TreeEncoder(scope: scope, place: place).unkeyedContainer()
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        TreeEncoder(scope: scope, place: place)
    }
}
