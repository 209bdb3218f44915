extension TreeMap: RandomAccessCollection {
    /// A key and its value.
    public typealias Element = (key: Key, value: Value)
    /// The indices, 0 to `count`.
    public typealias Indices = Range<Int>

    /// 0.
    @inlinable
    public var startIndex: Int { 0 }
    /// The number of keys.
    @inlinable
    public var endIndex: Int { root.count }
    /// The number of keys. O(1).
    @inlinable
    public var count: Int { root.count }
    /// The pair with the least key. O(log n).
    @inlinable
    public var first: Element? { root.first }
    /// The pair with the greatest key. O(log n).
    @inlinable
    public var last: Element? { root.last }

    /// The pair at a place in the order of the keys. O(log n).
    @inlinable
    public subscript(index: Int) -> Element {
        check(index)
        return root.element(at: index)
    }

    /// The pairs in the order of the keys.
    @inlinable
    public func makeIterator() -> Iterator { Iterator(base: TreeIterator(root)) }

    /// Goes through the pairs of a map.
    public struct Iterator: IteratorProtocol {
        @usableFromInline
        var base: TreeIterator<ByKey<Key, Value>>

        @inlinable
        init(base: TreeIterator<ByKey<Key, Value>>) { self.base = base }

        /// The next pair; nil at the end.
        @inlinable
        public mutating func next() -> Element? { base.next() }
    }

    /// The keys in order.
    @inlinable
    public var keys: Keys { Keys(map: self) }

    /// The keys of a map in order; a view of it.
    public struct Keys: RandomAccessCollection {
        @usableFromInline
        let map: TreeMap

        @inlinable
        init(map: TreeMap) { self.map = map }

        /// 0.
        @inlinable
        public var startIndex: Int { 0 }
        /// The number of keys.
        @inlinable
        public var endIndex: Int { map.count }
        /// The key at a place. O(log n).
        @inlinable
        public subscript(index: Int) -> Key { map[index].key }
        /// Whether the map has a key. O(log n).
        @inlinable
        public func contains(_ key: Key) -> Bool { map.index(forKey: key) != nil }
        /// The keys in order.
        @inlinable
        public func makeIterator() -> LazyMapSequence<TreeMap, Key>.Iterator {
            map.lazy.map(\.key).makeIterator()
        }
    }

    /// The values in the order of their keys.
    @inlinable
    public var values: Values { Values(map: self) }

    /// The values of a map in the order of their keys; a view of it.
    public struct Values: RandomAccessCollection {
        @usableFromInline
        let map: TreeMap

        @inlinable
        init(map: TreeMap) { self.map = map }

        /// 0.
        @inlinable
        public var startIndex: Int { 0 }
        /// The number of keys.
        @inlinable
        public var endIndex: Int { map.count }
        /// The value at a place. O(log n).
        @inlinable
        public subscript(index: Int) -> Value { map[index].value }
        /// The values in the order of their keys.
        @inlinable
        public func makeIterator() -> LazyMapSequence<TreeMap, Value>.Iterator {
            map.lazy.map(\.value).makeIterator()
        }
    }
}

extension TreeMap.Iterator: Sendable where Key: Sendable, Value: Sendable {}
extension TreeMap.Keys: Sendable where Key: Sendable, Value: Sendable {}
extension TreeMap.Values: Sendable where Key: Sendable, Value: Sendable {}

// Whole maps.
extension TreeMap {
    /// The pairs for which something is so. O(n).
    @inlinable
    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> TreeMap {
        var builder = TreeBuilder<ByKey<Key, Value>>()
        for pair in self where try isIncluded(pair) { builder.append(pair) }
        return builder.count == count ? self : TreeMap(root: builder.finish())
    }

    /// The same keys with other values. O(n).
    @inlinable
    public func mapValues<T>(_ transform: (Value) throws -> T) rethrows -> TreeMap<Key, T> {
        var builder = TreeBuilder<ByKey<Key, T>>()
        for (key, value) in self { builder.append((key, try transform(value))) }
        return TreeMap<Key, T>(root: builder.finish())
    }

    /// The same keys with other values, without those that become nil. O(n).
    @inlinable
    public func compactMapValues<T>(_ transform: (Value) throws -> T?) rethrows -> TreeMap<Key, T> {
        var builder = TreeBuilder<ByKey<Key, T>>()
        for (key, value) in self {
            if let new = try transform(value) { builder.append((key, new)) }
        }
        return TreeMap<Key, T>(root: builder.finish())
    }

    /// Removes the pairs for which something is so. O(n); what stays is shared as long as few go.
    @inlinable
    public mutating func removeAll(where isGone: (Element) throws -> Bool) rethrows {
        var gone: [Int] = []
        for (place, pair) in self.enumerated() where try isGone(pair) { gone.append(place) }
        for place in gone.reversed() { _ = root.remove(at: place) }
    }

    /// Removes the first pair and returns it; nil where there is none. O(log n).
    @inlinable
    public mutating func popFirst() -> Element? {
        isEmpty ? nil : remove(at: 0)
    }

    /// Takes over pairs; where a key is there already the values are combined, the present one
    /// first. O(pairs × log n).
    @inlinable
    public mutating func merge(
        _ pairs: some Sequence<(Key, Value)>,
        uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        for (key, value) in pairs {
            let (place, isFound) = root.find(key)
            if isFound {
                let (known, old) = root.element(at: place)
                root.replace(at: place, with: (known, try combine(old, value)))
            } else {
                root.insert((key, value), at: place)
            }
        }
    }

    /// Takes over the pairs of another map; where a key is there already the values are combined,
    /// the present one first. O(pairs × log n).
    @inlinable
    public mutating func merge(
        _ other: TreeMap, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        if isEmpty {
            self = other
        } else {
            try merge(other.lazy.map { ($0.key, $0.value) }, uniquingKeysWith: combine)
        }
    }

    /// This map with the pairs of another one; where both have a key the values are combined.
    @inlinable
    public func merging(
        _ other: TreeMap, uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows -> TreeMap {
        var merged = self
        try merged.merge(other, uniquingKeysWith: combine)
        return merged
    }
}
