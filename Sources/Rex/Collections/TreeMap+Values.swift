extension TreeMap: Equatable where Value: Equatable {
    /// Whether both have equal values under equal keys. O(n) at worst; what both share in the same
    /// place is not looked at.
    @inlinable
    public static func == (a: TreeMap, b: TreeMap) -> Bool { a.root.isEqual(to: b.root, ==) }
}

extension TreeMap: Hashable where Key: Hashable, Value: Hashable {
    /// Hashes keys and values in order. O(n).
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for (key, value) in self {
            hasher.combine(key)
            hasher.combine(value)
        }
    }
}

extension TreeMap: ExpressibleByDictionaryLiteral {
    /// A map of these pairs; of values with equal keys the last one counts.
    @inlinable
    public init(dictionaryLiteral pairs: (Key, Value)...) { self.init(pairs) }
}

extension TreeMap: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// As a Dictionary's, in the order of the keys.
    public var description: String { text { "\($0)" } }
    /// As a Dictionary's, in the order of the keys.
    public var debugDescription: String { text { String(reflecting: $0) } }
    /// As a Dictionary's, in the order of the keys.
    public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: self, displayStyle: .dictionary)
    }

    private func text(_ value: (Value) -> String) -> String {
        if isEmpty { return "[:]" }
        let pairs = map { "\(String(reflecting: $0.key)): \(value($0.value))" }
        return "[\(pairs.joined(separator: ", "))]"
    }
}
