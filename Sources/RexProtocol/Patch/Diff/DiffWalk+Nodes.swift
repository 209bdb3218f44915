// What was taken down of two values.
extension DiffWalk {
    func compareNodes(_ a: Int32, _ b: Int32) throws {
        let old = capture.node(a)
        let new = capture.node(b)
        switch (old.kind, new.kind) {
        case (.single, .single): try compareContent(old.first, new.first)
        case (.array, .array):
            try compareLists(
                EntryPairs(walk: self, old: capture.entries(of: a), new: capture.entries(of: b)))
        case (.object, .object), (.object, .sortedObject), (.sortedObject, .object),
            (.sortedObject, .sortedObject), (.empty, .object), (.object, .empty),
            (.empty, .sortedObject), (.sortedObject, .empty):
            try compareMembers(old.first, new.first)
        case (.empty, .empty): return
        default:
            try compareTrees(tree { try write(node: a) }, tree { try write(node: b) })
        }
    }

    /// The members of two objects, which mostly come in the same order.
    private func compareMembers(_ a: Int32, _ b: Int32) throws {
        var (i, j) = (a, b)
        while i >= 0, j >= 0 {
            guard haveSameName(i, j) else { return try compareShuffled(i, j) }
            let (nextOld, nextNew) = (capture.entry(i).pointee.next, capture.entry(j).pointee.next)
            try compareMember(i, j)
            (i, j) = (nextOld, nextNew)
        }
        try removeMembers(from: i)
        try addMembers(from: j)
    }

    private func removeMembers(from first: Int32) throws {
        var i = first
        while i >= 0 {
            try inside(capture.entry(i).pointee.name) { try emitRemove() }
            i = capture.entry(i).pointee.next
        }
    }

    private func addMembers(from first: Int32) throws {
        var j = first
        while j >= 0 {
            try inside(capture.entry(j).pointee.name) { try emitAdd { try write(entry: j) } }
            j = capture.entry(j).pointee.next
        }
    }

    /// Members of which some are new, gone or elsewhere; in the order of their names. O(n log n).
    private func compareShuffled(_ a: Int32, _ b: Int32) throws {
        let old = sortedMembers(from: a)
        let new = sortedMembers(from: b)
        var (i, j) = (0, 0)
        while i < old.count || j < new.count {
            let order =
                i == old.count
                ? 1
                : j == new.count
                    ? -1
                    : capture.entry(old[i]).pointee.name.byteOrder(
                        to: capture.entry(new[j]).pointee.name)
            if order < 0 {
                try inside(capture.entry(old[i]).pointee.name) { try emitRemove() }
            } else if order > 0 {
                try inside(capture.entry(new[j]).pointee.name) {
                    try emitAdd { try write(entry: new[j]) }
                }
            } else {
                try compareMember(old[i], new[j])
            }
            if order <= 0 { i += 1 }
            if order >= 0 { j += 1 }
        }
    }

    private func sortedMembers(from first: Int32) -> [Int32] {
        var list: [Int32] = []
        var next = first
        while next >= 0 {
            list.append(next)
            next = capture.entry(next).pointee.next
        }
        return list.sorted {
            capture.entry($0).pointee.name.byteOrder(to: capture.entry($1).pointee.name) < 0
        }
    }

    @inline(__always)
    private func haveSameName(_ i: Int32, _ j: Int32) -> Bool {
        let (a, b) = (capture.entry(i), capture.entry(j))
        // The name stands first in an entry: mostly the same literal.
        return Bytes.equal(a, b, count: MemoryLayout<String>.size)
            || a.pointee.name.hasSameBytes(as: b.pointee.name)
    }

    @inline(__always)
    private func compareMember(_ i: Int32, _ j: Int32) throws {
        if isIdentical(i, j) { return }
        try inside(capture.entry(j).pointee.name) { try compareContent(i, j) }
    }

    /// Whether two entries are known to be the same without being looked into.
    func isIdentical(_ i: Int32, _ j: Int32) -> Bool {
        switch (capture.entry(i).pointee.content, capture.entry(j).pointee.content) {
        case (.null, .null): true
        case (.bool(let x), .bool(let y)): x == y
        case (.int(let x), .int(let y)): x == y
        case (.uint(let x), .uint(let y)): x == y
        case (.double(let x), .double(let y)): x.bitPattern == y.bitPattern
        case (.float(let x), .float(let y)): x.bitPattern == y.bitPattern
        case (.string(let x), .string(let y)): x.hasSameBytes(as: y)
        case (.value(let x), .value(let y)):
            ObjectIdentifier(x.type) == ObjectIdentifier(y.type)
                && haveSameBytes(x.type, x.pointer, y.pointer)
        default: false
        }
    }

    private func haveSameBytes<T>(
        _ type: T.Type, _ x: UnsafeRawPointer, _ y: UnsafeRawPointer
    ) -> Bool {
        Bytes.equal(x, y, count: MemoryLayout<T>.size)
    }

    /// Compares two entries that are not identical.
    func compareContent(_ i: Int32, _ j: Int32) throws {
        // Copies: what is taken down from here on may move the entries.
        let old = capture.entry(i).pointee.content
        let new = capture.entry(j).pointee.content
        switch (old, new) {
        case (.bool, .bool), (.int, .int), (.uint, .uint), (.string, .string):
            if !isIdentical(i, j) { try emitReplace { try write(new) } }
        case (.value(let x), .value(let y)):
            guard ObjectIdentifier(x.type) == ObjectIdentifier(y.type) else {
                return try compareTrees(tree { try write(old) }, tree { try write(new) })
            }
            try compare(x.type, x.pointer, y.pointer)
        case (.node(let x), .node(let y)):
            let mark = mark
            try compareNodes(x, y)
            try settle(since: mark) { try write(node: y) }
        case (.node, .value), (.value, .node):
            try compareTrees(tree { try write(old) }, tree { try write(new) })
        default: try compareTexts({ try write(old) }) { try write(new) }
        }
    }

    private func compare<T: Encodable>(
        _ type: T.Type, _ x: UnsafeRawPointer, _ y: UnsafeRawPointer
    ) throws {
        try compare(x.assumingMemoryBound(to: T.self), y.assumingMemoryBound(to: T.self))
    }
}

// Writing what was taken down.
extension DiffWalk {
    func write(entry: Int32) throws { try write(capture.entry(entry).pointee.content) }

    func write(_ content: Capture.Content) throws {
        let out = scope.state
        switch content {
        case .null: out.pointee.writer.null()
        case .bool(let value): out.pointee.writer.bool(value)
        case .int(let value): out.pointee.writer.int(value)
        case .uint(let value): out.pointee.writer.uint(value)
        case .double(let value): try scope.double(value)
        case .float(let value): try scope.float(value)
        case .string(let text): out.pointee.writer.string(text)
        case .value(let kept): try write(kept.type, kept.pointer)
        case .node(let node): try write(node: node)
        }
    }

    private func write<T: Encodable>(_ type: T.Type, _ pointer: UnsafeRawPointer) throws {
        try scope.encode(pointer.assumingMemoryBound(to: T.self).pointee)
    }

    func write(node index: Int32) throws {
        let out = scope.state
        let node = capture.node(index)
        if node.kind == .single { return try write(entry: node.first) }
        let isList = node.kind == .array
        out.pointee.writer.byte(isList ? 0x5B : 0x7B)
        let entries =
            node.kind == .sortedObject ? sortedMembers(from: node.first) : capture.entries(of: index)
        for (position, entry) in entries.enumerated() {
            if out.pointee.writer.bytes.count > out.pointee.limit { throw EncodingScope.OverLimit() }
            if position > 0 { out.pointee.writer.byte(0x2C) }
            if !isList {
                out.pointee.writer.string(capture.entry(entry).pointee.name)
                out.pointee.writer.byte(0x3A)
            }
            try write(entry: entry)
        }
        out.pointee.writer.byte(isList ? 0x5D : 0x7D)
    }

    /// The tree of what `body` writes.
    func tree(_ body: () throws -> Void) throws -> JSONValue {
        let start = scope.state.pointee.writer.bytes.count
        let limit = scope.state.pointee.limit
        scope.state.pointee.limit = .max
        defer {
            scope.state.pointee.limit = limit
            scope.abandon(to: start)
        }
        try body()
        return RawJSON(unchecked: Array(scope.state.pointee.writer.bytes[start...])).value
    }
}
