import Rex
import RexLoop
import RexProtocol

/// One client's wish to hear the topics that match a pattern.
final class Listener {
    /// Kept as long as it listens: a connection that ends takes its listeners back.
    let connection: Connection
    let group: ListenerGroup
    let slow: ClientFrame.Slow
    /// 3 stands for `t3`.
    var number: Int { group.key.number }
    /// Where it stands in `group.members`.
    var index = 0

    init(on connection: Connection, group: ListenerGroup, slow: ClientFrame.Slow) {
        self.connection = connection
        self.group = group
        self.slow = slow
    }
}

/// All listeners with the same pattern and the same name (`t1` for most) who may hear the same:
/// what one of them gets in a turn is byte for byte what the others get, so a turn's events are
/// encoded once and sent as one chunk.
final class ListenerGroup: Hashable {
    struct Key: Hashable {
        let pattern: String
        let number: Int
        let encoding: FrameEncoding
        /// What its members may hear: nothing else comes to them, whatever the pattern means.
        let rule: TopicRule

        /// By bytes: patterns that only look alike are two.
        static func == (a: Key, b: Key) -> Bool {
            a.number == b.number && a.encoding == b.encoding && a.rule == b.rule
                && a.pattern.utf8.elementsEqual(b.pattern.utf8)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(number)
            for byte in pattern.utf8 { hasher.combine(byte) }
        }
    }

    let key: Key
    let pattern: TopicPattern
    private(set) var members: [Listener] = []
    /// The events of this turn, each as what its frames have in common for all groups.
    var events: [[UInt8]] = []
    /// How many of them are frames already.
    private var taken = 0

    init(_ pattern: TopicPattern, key: Key) {
        self.pattern = pattern
        self.key = key
    }

    /// About how much a chunk of several events has: what can be lost of a slow listener's at a
    /// time.
    private static let pieceBytes = 65_536

    /// The frames of the next of the turn's events, and how many these are; nil when all are taken.
    func takeFrames() -> (chunk: Chunk, events: Int)? {
        guard taken < events.count else {
            events.removeAll(keepingCapacity: events.count < 64)
            taken = 0
            return nil
        }
        let first = taken
        var bytes = 0
        while taken < events.count, bytes < Self.pieceBytes {
            bytes += events[taken].count + 48
            taken += 1
        }
        var writer = JSONWriter(capacity: bytes)
        for event in events[first..<taken] {
            let start = key.encoding.begin(&writer)
            writer.literal("{\"op\":\"event\",\"listen\":\"t")
            writer.int(key.number)
            writer.literal("\"")
            writer.bytes += event
            key.encoding.end(&writer, from: start)
        }
        return (Chunk(writer.bytes), taken - first)
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
