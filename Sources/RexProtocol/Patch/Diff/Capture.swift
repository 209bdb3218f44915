/// The children of values, one level of each: what `encode(to:)` writes, taken down instead of
/// written. A child that is no scalar is kept as the value that it is, type and all, and not encoded.
///
/// A stack: captures are released in the reverse order, and the memory of one serves the next.
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

    /// One member, element or single value, in a list with those of the same node.
    struct Entry {
        /// Empty where it is no member.
        let name: String
        let content: Content
        var next: Int32
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
        var last: Int32 = -1
        var count = 0
    }

    /// Not inline in the class: each access to a class's property would be checked for exclusivity.
    struct State {
        var entries = RawStack<Entry>()
        var nodes = RawStack<Node>()
        var values = ValueArena()
    }

    let state: UnsafeMutablePointer<State>

    init() {
        state = .allocate(capacity: 1)
        state.initialize(to: State())
    }

    deinit {
        release(to: Mark(entries: 0, nodes: 0, values: .init()))
        state.pointee.entries.free()
        state.pointee.nodes.free()
        state.pointee.values.free()
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Takes down one level of a value; gives its root.
    func take<T: Encodable>(_ value: T) throws -> Int32 {
        let root = node(.empty)
        try value.encode(to: CaptureEncoder(capture: self, node: root))
        return root
    }

    /// How far the stack reaches.
    struct Mark {
        let entries: Int
        let nodes: Int
        let values: ValueArena.Mark
    }

    var mark: Mark {
        Mark(
            entries: state.pointee.entries.count, nodes: state.pointee.nodes.count,
            values: state.pointee.values.mark)
    }

    /// Lets go everything that was captured after a mark.
    func release(to mark: Mark) {
        var index = state.pointee.entries.count
        while index > mark.entries {
            index &-= 1
            if case .value(let kept) = state.pointee.entries.base[index].content {
                Self.end(kept.type, at: kept.pointer)
            }
        }
        state.pointee.entries.shrink(to: mark.entries)
        state.pointee.nodes.shrink(to: mark.nodes)
        state.pointee.values.shrink(to: mark.values)
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
        if state.pointee.nodes.base[Int(node)].kind == .empty {
            state.pointee.nodes.base[Int(node)].kind = kind
        }
    }

    /// Adds a member or an element to a node.
    func put(_ content: Content, _ name: String, in node: Int32) {
        let state = state
        let index = Int32(truncatingIfNeeded: state.pointee.entries.count)
        state.pointee.entries.append(Entry(name: name, content: content, next: -1))
        let last = state.pointee.nodes.base[Int(node)].last
        if last < 0 {
            state.pointee.nodes.base[Int(node)].first = index
        } else {
            state.pointee.entries.base[Int(last)].next = index
        }
        state.pointee.nodes.base[Int(node)].last = index
        state.pointee.nodes.base[Int(node)].count &+= 1
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

    private func keep<T: Encodable>(_ value: T) -> Kept {
        let pointer = state.pointee.values.allocate(
            MemoryLayout<T>.size, alignment: MemoryLayout<T>.alignment)
        pointer.initializeMemory(as: T.self, to: value)
        return Kept(type: T.self, pointer: pointer)
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

    /// The entries of a node in their order. O(entries).
    func entries(of index: Int32) -> [Int32] {
        let node = node(index)
        var list: [Int32] = []
        list.reserveCapacity(node.count)
        var next = node.first
        while next >= 0 {
            list.append(next)
            next = entry(next).pointee.next
        }
        return list
    }
}
