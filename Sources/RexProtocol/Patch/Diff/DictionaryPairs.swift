extension Dictionary: MapContent where Key: Encodable, Value: Encodable {
    // The same choice as the standard library's `encode(to:)` makes.
    static var isObject: Bool {
        Key.self == String.self || Key.self == Int.self
            || Key.self is any CodingKeyRepresentable.Type
    }

    /// The name of a member.
    private static func name(_ key: Key) -> String {
        if Key.self == String.self { return unsafeBitCast(key, to: String.self) }
        if Key.self == Int.self { return String(unsafeBitCast(key, to: Int.self)) }
        return (key as? any CodingKeyRepresentable)?.codingKey.stringValue ?? ""
    }

    /// Where a dictionary has a key that is written as the same name: equal keys may be spelled
    /// differently.
    private func index(writtenAs key: Key) -> Index? {
        guard let index = index(forKey: key) else { return nil }
        let found = self[index].key
        if Key.self == Int.self { return index }
        return Self.name(found).hasSameBytes(as: Self.name(key)) ? index : nil
    }

    static func compare(
        _ old: UnsafeRawPointer, _ new: UnsafeRawPointer, in walk: DiffWalk
    ) throws {
        let old = old.assumingMemoryBound(to: Self.self)
        let new = new.assumingMemoryBound(to: Self.self)
        let changes = changes(from: old.pointee, to: new.pointee)
        let mark = walk.mark
        for change in changes {
            try walk.inside(change.name) {
                try walk.compareMember(change.old, change.new)
            }
        }
        try walk.settle(since: mark) { try walk.scope.encode(new.pointee) }
    }

    private typealias Change = (name: String, old: Value?, new: Value?)

    /// The members that are not identical, in the order of their names.
    ///
    /// A copy keeps its entries where they were, so both are gone through side by side; only where
    /// they are out of step is a key looked up. O(n), and a copy of each entry.
    private static func changes(from old: Self, to new: Self) -> [Change] {
        var changes: [Change] = []
        var before = old.makeIterator()
        var after = new.makeIterator()
        var x = before.next()
        var y = after.next()
        while let a = x, let b = y {
            if haveSameBytes(a.key, b.key) {
                if !haveSameBytes(a.value, b.value) {
                    changes.append((name(b.key), a.value, b.value))
                }
                x = before.next()
                y = after.next()
                continue
            }
            guard let twin = old.index(writtenAs: b.key) else {
                changes.append((name(b.key), nil, b.value))
                y = after.next()
                continue
            }
            guard new.index(writtenAs: a.key) != nil else {
                changes.append((name(a.key), a.value, nil))
                x = before.next()
                continue
            }
            // Both are elsewhere too: the new one is compared here, the old one in its turn.
            let value = old[twin].value
            if !haveSameBytes(value, b.value) { changes.append((name(b.key), value, b.value)) }
            x = before.next()
            y = after.next()
        }
        while let a = x {
            if new.index(writtenAs: a.key) == nil { changes.append((name(a.key), a.value, nil)) }
            x = before.next()
        }
        while let b = y {
            let value = old.index(writtenAs: b.key).map { old[$0].value }
            if let value, haveSameBytes(value, b.value) {
            } else {
                changes.append((name(b.key), value, b.value))
            }
            y = after.next()
        }
        return changes.count < 2
            ? changes : changes.sorted { $0.name.byteOrder(to: $1.name) < 0 }
    }

    private static func haveSameBytes<T>(_ a: T, _ b: T) -> Bool {
        withUnsafePointer(to: a) { a in
            withUnsafePointer(to: b) { b in Bytes.equal(a, b, count: MemoryLayout<T>.size) }
        }
    }

    static func value(_ map: UnsafeRawPointer, named name: String) -> (any Encodable)? {
        let map = map.assumingMemoryBound(to: Self.self)
        if let key = name as? Key {
            return map.pointee.index(writtenAs: key).map { map.pointee[$0].value }
        }
        return map.pointee.first { Self.name($0.key).hasSameBytes(as: name) }?.value
    }
}

extension DiffWalk {
    /// Compares the values of a member, of which one may be absent.
    func compareMember<Value: Encodable>(_ old: Value?, _ new: Value?) throws {
        if let old, let new {
            try withUnsafePointer(to: old) { a in
                try withUnsafePointer(to: new) { b in try compare(a, b) }
            }
        } else if let new {
            try emitAdd { try scope.encode(new) }
        } else if old != nil {
            try emitRemove()
        }
    }
}
