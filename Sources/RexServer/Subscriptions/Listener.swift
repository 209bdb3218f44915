import Rex
import RexProtocol

/// One client's wish to hear the topics that match a pattern.
final class Listener {
    unowned let connection: Connection
    let group: ListenerGroup
    /// Where it stands in `group.members`.
    var index = 0

    init(on connection: Connection, group: ListenerGroup) {
        self.connection = connection
        self.group = group
    }
}

/// All listeners with the same pattern and the same name (`t1` for most): what one of them gets in
/// a turn is byte for byte what the others get, so a turn's events are encoded once and sent as one
/// chunk.
final class ListenerGroup: Hashable {
    struct Key: Hashable {
        let pattern: String
        let number: Int
        let encoding: FrameEncoding
    }

    let key: Key
    let pattern: TopicPattern
    private(set) var members: [Listener] = []
    /// The frames of this turn.
    var frames = JSONWriter()

    init(_ pattern: TopicPattern, key: Key) {
        self.pattern = pattern
        self.key = key
    }

    func add(_ listener: Listener) {
        listener.index = members.count
        members.append(listener)
    }

    /// O(1): the last one takes the place of the one that leaves.
    func remove(_ listener: Listener) {
        let last = members.removeLast()
        if last !== listener {
            members[listener.index] = last
            last.index = listener.index
        }
    }

    static func == (a: ListenerGroup, b: ListenerGroup) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
