extension TreeMap {
    /// Calls `body` for each key under which two maps may differ, once, in order: with the old
    /// value, nil where the key was absent, and the new one, nil where it is gone. Both may be
    /// equal all the same, where they stand between two changes. Under every other key the values
    /// are the same.
    ///
    /// Texts that are equal but have different bytes (é in one scalar or two) are two keys here,
    /// the old one gone, the new one come, for encoded they are different names.
    /// O(parts that the maps do not share): about log n for a change.
    public func forEachChangedKey<Failure: Error>(
        since old: TreeMap,
        _ body: (_ key: Key, _ old: Value?, _ new: Value?) throws(Failure) -> Void
    ) throws(Failure) {
        for run in TreeDifference(from: old.root, to: root).runs {
            let before = old.root.elements(in: run.old)
            let after = root.elements(in: run.new)
            var (i, j) = (0, 0)
            while i < before.count || j < after.count {
                if j == after.count || i < before.count && before[i].key < after[j].key {
                    try body(before[i].key, before[i].value, nil)
                    i += 1
                } else if i == before.count || after[j].key < before[i].key {
                    try body(after[j].key, nil, after[j].value)
                    j += 1
                } else {
                    if Self.haveOneName(before[i].key, after[j].key) {
                        try body(after[j].key, before[i].value, after[j].value)
                    } else {
                        try body(before[i].key, before[i].value, nil)
                        try body(after[j].key, nil, after[j].value)
                    }
                    i += 1
                    j += 1
                }
            }
        }
    }

    private static func haveOneName(_ a: Key, _ b: Key) -> Bool {
        guard let a = a as? String, let b = b as? String else { return true }
        return a.utf8.elementsEqual(b.utf8)
    }
}

extension TreeMap: DiffableMap
where Key: CodingKeyRepresentable & Encodable, Value: Encodable {
    /// The value that is encoded under a name; nil where there is none. O(log n).
    public func value(named name: String) -> Value? {
        guard let key = Key(codingKey: TreeMapName(stringValue: name)),
            let index = index(forKey: key)
        else { return nil }
        let found = self[index]
        let isSame = TreeMapName(of: found.key).stringValue.utf8.elementsEqual(name.utf8)
        return isSame ? found.value : nil
    }

    /// Calls `body` for each name under which the encoded maps may differ, as `forEachChangedKey`
    /// does.
    public func forEachChange<Failure: Error>(
        since old: TreeMap,
        _ body: (_ name: String, _ old: Value?, _ new: Value?) throws(Failure) -> Void
    ) throws(Failure) {
        try forEachChangedKey(since: old) { (key, old, new) throws(Failure) in
            try body(TreeMapName(of: key).stringValue, old, new)
        }
    }
}
