/// Reads the actions of one type, one after the other.
///
/// What it reads is what `ActionCodec` reads. It keeps the containers that the enum's `init(from:)`
/// asks for, where `ActionCodec` makes them anew for each action; that is a third of the time. It
/// belongs to one owner: it is not Sendable.
public final class ActionReader<Action: WireAction> {
    private var scope: DecodingScope?
    /// The type of the last action that a client sent and may send.
    private var lastType: [UInt8] = []

    /// A reader.
    public init() {}

    // What is kept knows the scope that keeps it.
    deinit { scope?.kept = nil }

    /// Reads an action. See `ActionCodec.decode`.
    public func read(_ node: JSONNode, at: JSONPointer) throws(ActionError) -> Action {
        try ActionCodec.decode(Action.self, from: node, in: scope(for: node, at))
    }

    /// Reads an action that a client sent. See `ActionCodec.decodeFromClient`.
    public func readFromClient(
        _ node: JSONNode, at: JSONPointer
    ) throws(ActionError) -> Action {
        let scope = scope(for: node, at)
        let type = node["type"]?.text
        if let type, !lastType.isEmpty, lastType.elementsEqual(type) {
            return try ActionCodec.decode(Action.self, from: node, in: scope)
        }
        let action = try ActionCodec.decodeFromClient(Action.self, from: node, in: scope)
        if let type { lastType = Array(type) }
        return action
    }

    private func scope(for node: JSONNode, _ at: JSONPointer) -> DecodingScope {
        if let scope {
            scope.begin(node, at: at)
            return scope
        }
        let made = DecodingScope(root: node, at: at, readsActions: true)
        made.kept = KeptContainers()
        scope = made
        return made
    }
}

/// The containers of the present action, kept for the actions that follow.
///
/// A synthesized enum asks for one by its cases, and then for one by the labels of the case.
final class KeptContainers {
    private var action: (key: ObjectIdentifier, container: AnyObject)?
    private var payloads: [(key: ObjectIdentifier, container: AnyObject)] = []
    /// The payload of the present action.
    private(set) var payload: JSONNode?

    /// Cases whose labels are kept; those of an enum with more are made anew.
    private static let limit = 32

    func actionContainer<Key: CodingKey>(
        _ scope: DecodingScope, _ key: Key.Type
    ) -> KeyedDecodingContainer<Key> {
        if let action, action.key == ObjectIdentifier(key) {
            return unsafeDowncast(action.container, to: KeptContainer<Key>.self).container
        }
        let made = KeptContainer(TapeKeyed<Key>(presentActionOf: scope, role: .action))
        action = (ObjectIdentifier(key), made)
        return made.container
    }

    func payloadContainer<Key: CodingKey>(
        _ scope: DecodingScope, _ key: Key.Type
    ) -> KeyedDecodingContainer<Key> {
        payload = scope.root["payload"]
        let key = ObjectIdentifier(key)
        for payload in payloads where payload.key == key {
            return unsafeDowncast(payload.container, to: KeptContainer<Key>.self).container
        }
        let made = KeptContainer(TapeKeyed<Key>(presentActionOf: scope, role: .payload))
        if payloads.count < Self.limit { payloads.append((key, made)) }
        return made.container
    }
}

private final class KeptContainer<Key: CodingKey> {
    let container: KeyedDecodingContainer<Key>
    init(_ keyed: TapeKeyed<Key>) { container = KeyedDecodingContainer(keyed) }
}

/// The keys of the case that was last asked for: most actions are of the type of the one before.
final class LastKeys<Key: CodingKey> {
    /// Empty where nobody asked yet: that is no name of a case.
    private var name = ""
    private var keys: [Key] = []

    /// The key of a case, as the only element of an array; nil where there is no such case.
    func keys(_ name: String) -> [Key]? {
        if !name.isEmpty, name.hasSameBytes(as: self.name) { return keys }
        guard let key = Key(stringValue: name) else { return nil }
        self.name = name
        keys = [key]
        return keys
    }
}
