/// A map whose copies share their parts, in the order of its keys: what a change costs does not
/// grow with the map, also while the map before the change is kept.
///
/// It is used like a `Dictionary` and is a value like one. It is a counted B+ tree, as `TreeArray`
/// is: a change copies one node per level, and none that nobody else holds.
///
/// The order is the keys' own (`<`), so iterating, encoding and comparing have one order, the same
/// in each process. Texts are ordered by the scalars of their NFC form: for texts in NFC that is
/// the order of their UTF-8 bytes. Keys that are equal are one key, also where they are spelled
/// differently (é in one scalar or two); as in a Dictionary the first spelling stays.
///
/// `n` is the number of keys. Looking up, setting and removing are O(log n); `count` and a copy
/// O(1). An index is a place in the order of the keys.
public struct TreeMap<Key: Comparable, Value> {
    @usableFromInline
    var root: TreeNode<ByKey<Key, Value>>

    /// A map without keys.
    @inlinable
    public init() { root = TreeNode() }

    @inlinable
    init(root: TreeNode<ByKey<Key, Value>>) { self.root = root }

    /// A map of pairs in any order; of values with equal keys the last one counts. O(n) where the
    /// pairs are in order, else O(n log n).
    @inlinable
    public init(_ pairs: some Sequence<(Key, Value)>) {
        self.init(pairs, uniquingKeysWith: { $1 })
    }

    /// A map of pairs in any order; values with equal keys are combined in the order in which they
    /// come. O(n) where the pairs are in order, else O(n log n).
    @inlinable
    public init(
        _ pairs: some Sequence<(Key, Value)>,
        uniquingKeysWith combine: (Value, Value) throws -> Value
    ) rethrows {
        var sorted = pairs.map { (key: $0.0, value: $0.1) }
        if !zip(sorted, sorted.dropFirst()).allSatisfy({ $0.key < $1.key }) {
            // Swift's sort is stable: of equal keys the later one stays later.
            sorted.sort { $0.key < $1.key }
        }
        var builder = TreeBuilder<ByKey<Key, Value>>()
        var held: (key: Key, value: Value)?
        for pair in sorted {
            if let last = held {
                if last.key == pair.key {
                    held = (last.key, try combine(last.value, pair.value))
                    continue
                }
                builder.append(last)
            }
            held = pair
        }
        if let held { builder.append(held) }
        root = builder.finish()
    }

    /// A map of pairs in any order whose keys are all different; that they are is a precondition.
    /// O(n) where the pairs are in order, else O(n log n).
    @inlinable
    public init(uniqueKeysWithValues pairs: some Sequence<(Key, Value)>) {
        self.init(pairs) { _, _ in preconditionFailure("a key comes twice in a TreeMap") }
    }

    /// The values of a sequence by a key of each, those of one key in their order. O(n log n).
    @inlinable
    public init<S: Sequence>(
        grouping values: S, by keyForValue: (S.Element) throws -> Key
    ) rethrows where Value == [S.Element] {
        self.init()
        for value in values { self[try keyForValue(value), default: []].append(value) }
    }

    /// The pairs of a dictionary. O(n log n).
    @inlinable
    public init(_ dictionary: [Key: Value]) where Key: Hashable {
        self.init(dictionary.lazy.map { ($0.key, $0.value) })
    }

    /// The value under a key. Setting nil removes the key. A change inside a value happens in place
    /// where nobody else holds the value.
    @inlinable
    public subscript(key: Key) -> Value? {
        get { root.value(of: key) }
        set {
            if let newValue {
                updateValue(newValue, forKey: key)
            } else {
                removeValue(forKey: key)
            }
        }
        _modify {
            let (place, isFound) = root.find(key)
            // Out of the tree while it changes, and held by nothing else here.
            var known: Key?
            var value: Value?
            if isFound { (known, value) = root.takePair(at: place) }
            defer {
                switch (known, value) {
                case (let known?, let value?): root.put((known, value), at: place)
                case (nil, let value?): root.insert((key, value), at: place)
                case (.some, nil): root.settle(at: place)
                case (nil, nil): break
                }
            }
            yield &value
        }
    }

    /// The value under a key, or another one where there is none; that one is put in when the value
    /// is changed.
    @inlinable
    public subscript(key: Key, default standard: @autoclosure () -> Value) -> Value {
        get { root.value(of: key) ?? standard() }
        _modify {
            let (place, isFound) = root.find(key)
            if !isFound { root.insert((key, standard()), at: place) }
            var pair = root.take(at: place)
            defer { root.put(pair, at: place) }
            yield &pair.value
        }
    }

    /// Sets the value under a key and returns the one that was there.
    @inlinable
    @discardableResult
    public mutating func updateValue(_ value: Value, forKey key: Key) -> Value? {
        let (place, isFound) = root.find(key)
        guard isFound else {
            root.insert((key, value), at: place)
            return nil
        }
        let (known, old) = root.take(at: place)
        root.put((known, value), at: place)
        return old
    }

    /// Removes a key and returns the value that was there.
    @inlinable
    @discardableResult
    public mutating func removeValue(forKey key: Key) -> Value? {
        let (place, isFound) = root.find(key)
        guard isFound else { return nil }
        return root.remove(at: place).value
    }

    /// Removes the pair at an index. O(log n).
    @inlinable
    @discardableResult
    public mutating func remove(at index: Int) -> (key: Key, value: Value) {
        check(index)
        return root.remove(at: index)
    }

    /// Removes everything. O(1) where the nodes are shared, else O(n).
    @inlinable
    public mutating func removeAll() { root = TreeNode() }

    /// Where a key stands in the order of the keys; nil where it is absent. O(log n).
    @inlinable
    public func index(forKey key: Key) -> Int? {
        let (place, isFound) = root.find(key)
        return isFound ? place : nil
    }

    /// Whether both are the same map in the same memory: equal without a look. O(1).
    @inlinable
    public func sharesStorage(with other: TreeMap) -> Bool { root.isIdentical(to: other.root) }

    @inlinable
    func check(_ index: Int) {
        precondition(
            index >= 0 && index < root.count, "index \(index) of a TreeMap of \(root.count)")
    }
}

extension TreeMap: Sendable where Key: Sendable, Value: Sendable {}
