/// Two values of one type, walked together: what differs is written as operations, straight to
/// text.
///
/// Nothing is encoded but what the patch carries. One level of both is taken down at a time, and
/// only where the bytes of the two values differ. Two values of one type that both live and have
/// the same bytes are the same value: the same numbers, the same references to the same memory.
/// Padding and equal content in different memory cost a look, not a difference.
final class DiffWalk {
    /// Not inline in the class: each access to a class's property would be checked for exclusivity.
    struct State {
        /// The place, as it stands inside the quotes of an operation's path.
        var path: [UInt8] = []
        var changes: [StatePatch.Change] = []
        /// Whether only the question counts if there is a difference.
        var isProbing = false
        var kinds: [ObjectIdentifier: ContentKind] = [:]
        /// The values that are open, from the outermost in: what was taken down at each depth.
        var levels: [Level] = []
        var depth = 0
    }

    /// What was taken down of two values. It stays: the new one is most often the old one next
    /// time.
    struct Level {
        var old = Capture()
        var new = Capture()
    }

    let scope = EncodingScope(writer: JSONWriter(), writesActions: false)
    let state: UnsafeMutablePointer<State>

    init() {
        state = .allocate(capacity: 1)
        state.initialize(to: State())
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// A difference was found while probing.
    struct Different: Error {}
    private static let different: any Error = Different()

    /// The patch over a whole value. After an error the walk may go on being used.
    func patch(_ body: () throws -> Void) throws -> StatePatch {
        defer { reset() }
        try body()
        if state.pointee.changes.isEmpty { return .empty }
        scope.state.pointee.writer.byte(0x5D)
        // Exact copies: the room that is kept for the next patch may be much larger.
        return StatePatch(
            raw: RawJSON(
                unchecked: scope.state.pointee.writer.bytes.withUnsafeBufferPointer { Array($0) }),
            changes: state.pointee.changes.withUnsafeBufferPointer { Array($0) })
    }

    private func reset() {
        scope.abandon(to: 0)
        if !state.pointee.path.isEmpty { state.pointee.path.removeAll(keepingCapacity: true) }
        if !state.pointee.changes.isEmpty { state.pointee.changes.removeAll(keepingCapacity: true) }
        state.pointee.isProbing = false
        state.pointee.depth = 0
        if state.pointee.levels.count > Self.keptLevels {
            state.pointee.levels.removeLast(state.pointee.levels.count - Self.keptLevels)
        }
    }

    /// How many levels stay for the next time.
    private static let keptLevels = 16

    // MARK: Comparing

    /// Compares two values of one type.
    @inline(__always)
    func compare<T: Encodable>(_ old: UnsafePointer<T>, _ new: UnsafePointer<T>) throws {
        if Bytes.equal(old, new, count: MemoryLayout<T>.size) { return }
        try compareUnequal(old, new)
    }

    /// Compares two values whose bytes differ.
    func compareUnequal<T: Encodable>(_ old: UnsafePointer<T>, _ new: UnsafePointer<T>) throws {
        switch kind(of: T.self) {
        case .composite: try compareComposite(old, new)
        case .plain: try emitReplace { try scope.encode(new.pointee) }
        case .leaf:
            try compareTexts({ try scope.encode(old.pointee) }) {
                try scope.encode(new.pointee)
            }
        case .json:
            try compareTrees(
                unsafeBitCast(old.pointee, to: JSONValue.self),
                unsafeBitCast(new.pointee, to: JSONValue.self))
        case .tree:
            try compareTrees(
                JSONCoder.value(of: old.pointee), JSONCoder.value(of: new.pointee))
        case .list(let type): try type.compare(old, new, in: self)
        case .map(let type): try type.compare(old, new, in: self)
        case .sequence(let type): try compareSequences(type, old, new)
        case .sharedMap(let type): try compareSharedMaps(type, old, new)
        }
    }

    private func compareComposite<T: Encodable>(
        _ old: UnsafePointer<T>, _ new: UnsafePointer<T>
    ) throws {
        let depth = descend()
        defer { state.pointee.depth = depth }
        let a = state.pointee.levels[depth].old
        let b = state.pointee.levels[depth].new
        if !a.holds(old) { try a.take(old.pointee) }
        try b.take(new.pointee)
        let mark = mark
        try Pair(walk: self, old: a, new: b).compareNodes(Capture.root, Capture.root)
        if b.node(Capture.root).kind != .single {
            try settle(since: mark) { try scope.encode(new.pointee) }
        }
        state.pointee.levels[depth] = Level(old: b, new: a)
    }

    /// Goes one level deeper; gives the depth to come back to.
    func descend() -> Int {
        let depth = state.pointee.depth
        if depth == state.pointee.levels.count { state.pointee.levels.append(Level()) }
        state.pointee.depth = depth &+ 1
        return depth
    }

    /// Compares values of a type whose text says all that there is to say.
    func compareTexts(_ old: () throws -> Void, _ new: () throws -> Void) throws {
        let start = scope.state.pointee.writer.bytes.count
        try new()
        let middle = scope.state.pointee.writer.bytes.count
        let isSame: Bool
        do {
            scope.state.pointee.limit = 2 * middle - start
            defer { scope.state.pointee.limit = .max }
            try old()
            isSame = scope.state.pointee.writer.bytes.withUnsafeBytes {
                $0.count - middle == middle - start
                    && Bytes.order(
                        UnsafeRawBufferPointer(rebasing: $0[start..<middle]),
                        UnsafeRawBufferPointer(rebasing: $0[middle...])) == 0
            }
        } catch is EncodingScope.OverLimit {
            isSame = false
        }
        scope.abandon(to: start)
        if !isSame { try emitReplace(new) }
    }

    /// Compares two JSON values.
    func compareTrees(_ old: JSONValue, _ new: JSONValue) throws {
        if state.pointee.isProbing {
            if old != new { throw Self.different }
            return
        }
        for operation in JSONPatch.difference(from: old, to: new).operations {
            try emit(operation)
        }
    }

    /// Whether a comparison finds nothing.
    func isSame(_ comparison: () throws -> Void) throws -> Bool {
        let wasProbing = state.pointee.isProbing
        state.pointee.isProbing = true
        defer { state.pointee.isProbing = wasProbing }
        do {
            try comparison()
            return true
        } catch is Different {
            return false
        }
    }

    /// Notes while probing that there is a difference.
    @inline(__always)
    func noteDifference() throws {
        if state.pointee.isProbing { throw Self.different }
    }
}

extension EncodingScope {
    /// Takes back what was written from a place on, also where that was not finished.
    func abandon(to start: Int) {
        let state = state
        let count = state.pointee.writer.bytes.count
        if count > start {
            if start == 0 {
                state.pointee.writer.bytes.removeAll(keepingCapacity: true)
            } else {
                state.pointee.writer.bytes.removeLast(count - start)
            }
        }
        if !state.pointee.levels.isEmpty { state.pointee.levels.removeAll(keepingCapacity: true) }
        if !state.pointee.marks.isEmpty { state.pointee.marks.removeAll(keepingCapacity: true) }
        state.pointee.isTooDeep = false
    }
}
