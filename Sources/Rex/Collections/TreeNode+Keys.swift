// Finding by key. O(log n) comparisons.
extension TreeNode {
    /// Where a key stands, or where it would be inserted.
    @inlinable
    func find<Key: Comparable, Value>(_ key: Key) -> (place: Int, isFound: Bool)
    where Kind == ByKey<Key, Value> {
        if isLeaf {
            let index = lowerBound(key)
            return (index, index < elements.count && elements[index].key == key)
        }
        let slot = slot(of: key)
        let (place, isFound) = children[slot].node.find(key)
        return children.withUnsafeBufferPointer { children in
            var place = place
            for before in 0..<slot { place &+= children[before].node.count }
            return (place, isFound)
        }
    }

    @inlinable
    func value<Key: Comparable, Value>(of key: Key) -> Value? where Kind == ByKey<Key, Value> {
        if isLeaf {
            let index = lowerBound(key)
            guard index < elements.count && elements[index].key == key else { return nil }
            return elements[index].value
        }
        return children[slot(of: key)].node.value(of: key)
    }

    /// Takes a pair out, as `take` does.
    @inlinable
    mutating func takePair<Key: Comparable, Value>(at place: Int) -> (Key?, Value?)
    where Kind == ByKey<Key, Value> {
        let (key, value) = take(at: place)
        return (key, value)
    }

    /// The first element of a leaf whose key is not less.
    @inlinable
    func lowerBound<Key: Comparable, Value>(_ key: Key) -> Int where Kind == ByKey<Key, Value> {
        elements.withUnsafeBufferPointer { elements in
            var (low, high) = (0, elements.count)
            while low < high {
                let middle = (low &+ high) / 2
                if elements[middle].key < key { low = middle &+ 1 } else { high = middle }
            }
            return low
        }
    }

    /// The child under which a key belongs: the last one that does not begin behind it.
    @inlinable
    func slot<Key: Comparable, Value>(of key: Key) -> Int where Kind == ByKey<Key, Value> {
        children.withUnsafeBufferPointer { children in
            var (low, high) = (1, children.count)
            while low < high {
                let middle = (low &+ high) / 2
                if key < children[middle].mark { high = middle } else { low = middle &+ 1 }
            }
            return low &- 1
        }
    }
}
