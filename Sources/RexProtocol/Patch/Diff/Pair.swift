/// What was taken down of two values, side by side.
struct Pair {
    // The walk that makes the pair outlives it, and holds what was taken down.
    unowned(unsafe) let walk: DiffWalk
    unowned(unsafe) let old: Capture
    unowned(unsafe) let new: Capture

    func compareNodes(_ a: Int32, _ b: Int32) throws {
        let kinds = (old.node(a).kind, new.node(b).kind)
        switch kinds {
        case (.single, .single): try compareContent(old.node(a).first, new.node(b).first)
        case (.array, .array):
            try walk.compareLists(
                EntryPairs(
                    pair: self, old: Array(old.entries(of: a)), new: Array(new.entries(of: b))))
        case (.empty, .empty): return
        case (.object, .object), (.object, .sortedObject), (.sortedObject, .object),
            (.sortedObject, .sortedObject), (.empty, .object), (.object, .empty),
            (.empty, .sortedObject), (.sortedObject, .empty):
            try compareMembers(old.entries(of: a), new.entries(of: b))
        default:
            try walk.compareTrees(
                walk.tree { try walk.write(node: a, of: old) },
                walk.tree { try walk.write(node: b, of: new) })
        }
    }

    /// The members of two objects, which mostly come in the same order.
    private func compareMembers(_ a: Capture.Cursor, _ b: Capture.Cursor) throws {
        var (before, after) = (a, b)
        while before.rest > 0, after.rest > 0 {
            let here = (before, after)
            guard let i = before.next(), let j = after.next() else { return }
            guard haveSameName(i, j) else { return try compareShuffled(here.0, here.1) }
            try compareMember(i, j)
        }
        for i in before { try remove(i) }
        for j in after { try add(j) }
    }

    private func remove(_ i: Int32) throws {
        try walk.inside(old.entry(i).pointee.name) { try walk.emitRemove() }
    }

    private func add(_ j: Int32) throws {
        try walk.inside(new.entry(j).pointee.name) {
            try walk.emitAdd { try walk.write(new.entry(j).pointee.content, of: new) }
        }
    }

    /// Members of which some are new, gone or elsewhere; in the order of their names. O(n log n).
    private func compareShuffled(_ a: Capture.Cursor, _ b: Capture.Cursor) throws {
        let before = old.sorted(a)
        let after = new.sorted(b)
        var (x, y) = (0, 0)
        while x < before.count || y < after.count {
            let order: Int
            if x == before.count {
                order = 1
            } else if y == after.count {
                order = -1
            } else {
                order = old.entry(before[x]).pointee.name.byteOrder(
                    to: new.entry(after[y]).pointee.name)
            }
            if order < 0 {
                try remove(before[x])
            } else if order > 0 {
                try add(after[y])
            } else {
                try compareMember(before[x], after[y])
            }
            if order <= 0 { x += 1 }
            if order >= 0 { y += 1 }
        }
    }

    @inline(__always)
    private func haveSameName(_ i: Int32, _ j: Int32) -> Bool {
        let (a, b) = (old.entry(i), new.entry(j))
        // The name stands first in an entry: mostly the same literal.
        return Bytes.equal(a, b, count: MemoryLayout<String>.size)
            || a.pointee.name.hasSameBytes(as: b.pointee.name)
    }

    @inline(__always)
    private func compareMember(_ i: Int32, _ j: Int32) throws {
        if isIdentical(i, j) { return }
        try walk.inside(new.entry(j).pointee.name) { try compareContent(i, j) }
    }

    /// Whether two entries are known to be the same without being looked into.
    func isIdentical(_ i: Int32, _ j: Int32) -> Bool {
        switch (old.entry(i).pointee.content, new.entry(j).pointee.content) {
        case (.null, .null): true
        case (.bool(let x), .bool(let y)): x == y
        case (.int(let x), .int(let y)): x == y
        case (.uint(let x), .uint(let y)): x == y
        case (.double(let x), .double(let y)): x.bitPattern == y.bitPattern
        case (.float(let x), .float(let y)): x.bitPattern == y.bitPattern
        case (.string(let x), .string(let y)): x.hasSameBytes(as: y)
        case (.value(let x), .value(let y)):
            ObjectIdentifier(x.type) == ObjectIdentifier(y.type)
                && Self.haveSameBytes(x.type, x.pointer, y.pointer)
        default: false
        }
    }

    private static func haveSameBytes<T>(
        _ type: T.Type, _ x: UnsafeRawPointer, _ y: UnsafeRawPointer
    ) -> Bool {
        Bytes.equal(x, y, count: MemoryLayout<T>.size)
    }

    /// Compares two entries.
    func compareContent(_ i: Int32, _ j: Int32) throws {
        let before = old.entry(i)
        let after = new.entry(j)
        switch (before.pointee.content, after.pointee.content) {
        case (.bool, .bool), (.int, .int), (.uint, .uint), (.string, .string):
            if !isIdentical(i, j) {
                try walk.emitReplace { try walk.write(after.pointee.content, of: new) }
            }
        case (.value(let x), .value(let y))
        where ObjectIdentifier(x.type) == ObjectIdentifier(y.type):
            try walk.compare(x.type, x.pointer, y.pointer)
        case (.node(let x), .node(let y)):
            let mark = walk.mark
            try compareNodes(x, y)
            try walk.settle(since: mark) { try walk.write(node: y, of: new) }
        case (.node, .value), (.value, .node), (.value, .value):
            try walk.compareTrees(
                walk.tree { try walk.write(before.pointee.content, of: old) },
                walk.tree { try walk.write(after.pointee.content, of: new) })
        default:
            try walk.compareTexts({ try walk.write(before.pointee.content, of: old) }) {
                try walk.write(after.pointee.content, of: new)
            }
        }
    }
}

// Writing what was taken down.
extension DiffWalk {
    func compare<T: Encodable>(
        _ type: T.Type, _ x: UnsafeRawPointer, _ y: UnsafeRawPointer
    ) throws {
        try compare(x.assumingMemoryBound(to: T.self), y.assumingMemoryBound(to: T.self))
    }

    func write(_ content: Capture.Content, of capture: Capture) throws {
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
        case .node(let node): try write(node: node, of: capture)
        }
    }

    private func write<T: Encodable>(_ type: T.Type, _ pointer: UnsafeRawPointer) throws {
        try scope.encode(pointer.assumingMemoryBound(to: T.self).pointee)
    }

    func write(node index: Int32, of capture: Capture) throws {
        let out = scope.state
        let kind = capture.node(index).kind
        let entries = capture.entries(of: index)
        if kind == .single {
            return try write(capture.entry(entries.index).pointee.content, of: capture)
        }
        let isList = kind == .array
        out.pointee.writer.byte(isList ? 0x5B : 0x7B)
        var isFirst = true
        for index in kind == .sortedObject ? capture.sorted(entries) : Array(entries) {
            if out.pointee.writer.bytes.count > out.pointee.limit {
                throw EncodingScope.OverLimit()
            }
            if !isFirst { out.pointee.writer.byte(0x2C) }
            isFirst = false
            let entry = capture.entry(index)
            if !isList {
                out.pointee.writer.string(entry.pointee.name)
                out.pointee.writer.byte(0x3A)
            }
            try write(entry.pointee.content, of: capture)
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
