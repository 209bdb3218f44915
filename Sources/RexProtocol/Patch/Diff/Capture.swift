/// The children of one value, one level of it: what `encode(to:)` writes, taken down instead of
/// written. A child that is no scalar is kept as the value that it is, type and all, and not
/// encoded.
///
/// The memory of one value serves the next.
final class Capture {
    /// What stands in one place of a captured value.
    enum Content {
        case null
        case bool(Bool)
        case int(Int)
        case uint(UInt64)
        case double(Double)
        case float(Float)
        case string(String)
        /// A value that was not looked into.
        case value(Kept)
        /// A container that the value opened itself.
        case node(Int32)
    }

    /// A copy of a value whose type is known where it is opened. Owned by the capture.
    struct Kept {
        let type: any Encodable.Type
        let pointer: UnsafeMutableRawPointer
    }

    /// One member, element or single value.
    struct Entry {
        /// Empty where it is no member.
        let name: String
        let content: Content
        /// The node that it belongs to. Entries of one node are in order, not always side by side.
        let node: Int32
    }

    struct Node {
        enum Kind {
            /// Nothing was written yet, which is an empty object if it remains so.
            case empty
            case object, array, single
            /// A dictionary's object: the order of its members is not fixed.
            case sortedObject
        }
        var kind = Kind.empty
        var first: Int32 = -1
        var count: Int32 = 0
    }

    /// Not inline in the class: each access to a class's property would be checked for exclusivity.
    struct State {
        var entries = RawStack<Entry>()
        /// The root is the first.
        var nodes = RawStack<Node>()
        var values = ValueArena()
        /// The value itself.
        var subject: Kept?
        /// The container that was last made for the root: most values at one depth are of one type.
        var container: (key: ObjectIdentifier, holder: AnyObject)?
    }

    let state: UnsafeMutablePointer<State>
    static let root: Int32 = 0

    init() {
        state = .allocate(capacity: 1)
        state.initialize(to: State())
    }

    deinit {
        clear()
        state.pointee.entries.free()
        state.pointee.nodes.free()
        state.pointee.values.free()
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Takes down one level of a value, in the place of what was there.
    func take<T: Encodable>(_ value: borrowing T) throws {
        clear()
        state.pointee.nodes.append(Node())
        state.pointee.subject = keep(value)
        try value.encode(to: CaptureEncoder(capture: self, node: Self.root))
    }

    /// Whether this is the capture of a value.
    func holds<T: Encodable>(_ value: UnsafePointer<T>) -> Bool {
        guard let subject = state.pointee.subject else { return false }
        return ObjectIdentifier(subject.type) == ObjectIdentifier(T.self)
            && LiveBytes.areSame(value, subject.pointer.assumingMemoryBound(to: T.self))
    }

    /// Lets everything go.
    func clear() {
        let entries = state.pointee.entries
        for index in 0..<entries.count {
            if case .value(let kept) = entries.base[index].content {
                Self.end(kept.type, at: kept.pointer)
            }
        }
        if let subject = state.pointee.subject {
            state.pointee.subject = nil
            Self.end(subject.type, at: subject.pointer)
        }
        state.pointee.entries.removeAll()
        state.pointee.nodes.removeAll()
        state.pointee.values.removeAll()
    }

    private static func end<T: Encodable>(_ type: T.Type, at pointer: UnsafeMutableRawPointer) {
        pointer.assumingMemoryBound(to: T.self).deinitialize(count: 1)
    }
}

// Taking down.
extension Capture {
    func node(_ kind: Node.Kind) -> Int32 {
        state.pointee.nodes.append(Node(kind: kind))
        return Int32(truncatingIfNeeded: state.pointee.nodes.count &- 1)
    }

    /// Says what a node is, the first time that its container is asked for.
    @inline(__always)
    func open(_ kind: Node.Kind, _ node: Int32) {
        let node = state.pointee.nodes.base + Int(node)
        if node.pointee.kind == .empty { node.pointee.kind = kind }
    }

    /// Adds a member or an element to a node.
    @inline(__always)
    func put(_ content: consuming Content, _ name: consuming String, in index: Int32) {
        let node = state.pointee.nodes.base + Int(index)
        if node.pointee.count == 0 {
            node.pointee.first = Int32(truncatingIfNeeded: state.pointee.entries.count)
        }
        node.pointee.count &+= 1
        state.pointee.entries.append(Entry(name: name, content: content, node: index))
    }

    /// A value as a child: itself where it is a scalar, a copy of it otherwise.
    @inline(__always)
    func content<T: Encodable>(of value: T) -> Content {
        if T.self == String.self { return .string(unsafeBitCast(value, to: String.self)) }
        if T.self == Int.self { return .int(unsafeBitCast(value, to: Int.self)) }
        if T.self == Bool.self { return .bool(unsafeBitCast(value, to: Bool.self)) }
        if T.self == Double.self { return .double(unsafeBitCast(value, to: Double.self)) }
        return .value(keep(value))
    }

    private func keep<T: Encodable>(_ value: borrowing T) -> Kept {
        let pointer = state.pointee.values.allocate(
            MemoryLayout<T>.size, alignment: MemoryLayout<T>.alignment)
        LiveBytes.clear(pointer, count: MemoryLayout<T>.size)
        pointer.initializeMemory(as: T.self, to: copy value)
        return Kept(type: T.self, pointer: pointer)
    }

    /// The container of the root, made anew only for another type of keys than the last time.
    func rootContainer<Key: CodingKey>(_ key: Key.Type) -> KeyedEncodingContainer<Key> {
        if let last = state.pointee.container, last.key == ObjectIdentifier(key) {
            return unsafeDowncast(last.holder, to: Holder<Key>.self).container
        }
        let container = KeyedEncodingContainer(CaptureKeyed<Key>(capture: self, node: Self.root))
        state.pointee.container = (ObjectIdentifier(key), Holder(container))
        return container
    }

    private final class Holder<Key: CodingKey> {
        let container: KeyedEncodingContainer<Key>
        init(_ container: KeyedEncodingContainer<Key>) { self.container = container }
    }
}

// Reading.
extension Capture {
    @inline(__always)
    func entry(_ index: Int32) -> UnsafePointer<Entry> {
        UnsafePointer(state.pointee.entries.base + Int(index))
    }

    @inline(__always)
    func node(_ index: Int32) -> Node { state.pointee.nodes.base[Int(index)] }

    /// Goes through the entries of a node.
    struct Cursor: Sequence, IteratorProtocol {
        let entries: UnsafePointer<Entry>
        let node: Int32
        var index: Int32
        /// How many are still to come.
        var rest: Int32

        @inline(__always)
        mutating func next() -> Int32? {
            guard rest > 0 else { return nil }
            while entries[Int(index)].node != node { index &+= 1 }
            defer { index &+= 1 }
            rest &-= 1
            return index
        }
    }

    /// The entries of a node in their order.
    @inline(__always)
    func entries(of index: Int32) -> Cursor {
        let node = node(index)
        return Cursor(
            entries: UnsafePointer(state.pointee.entries.base), node: index, index: node.first,
            rest: node.count)
    }

    /// Entries in the order of their names. O(n log n).
    func sorted(_ entries: Cursor) -> [Int32] {
        entries.sorted { entry($0).pointee.name.byteOrder(to: entry($1).pointee.name) < 0 }
    }
}
