/// A list whose copies share their parts: what an edit costs does not grow with the list, also
/// while the list before the edit is kept.
///
/// It is used like an `Array` and behaves like one: a value, indices from 0, the same protocols,
/// the same JSON. It is a counted B+ tree. An edit anywhere, the front too, copies one node per
/// level, and none that nobody else holds, where an Array copies itself. So a state with a list of
/// 100,000 messages can be kept, compared and sent as a difference at every message.
///
///     var messages: TreeArray = ["a", "b"]
///     let before = messages
///     messages.append("c")
///     messages.changes(since: before)  // old 2..<2, new 2..<3
///
/// `n` is the number of elements. Reading, setting, inserting, removing, appending, cutting and
/// joining are O(log n); `count` and a copy O(1); iterating is O(n) and nearly as fast as an Array.
/// A leaf of 16 to 64 elements takes 80 bytes besides them; leaves are full after appending and at
/// least half full after inserting everywhere. An index out of bounds is a precondition failure.
public struct TreeArray<Element> {
    @usableFromInline
    var root: TreeNode<ByPlace<Element>>

    /// A list without elements.
    @inlinable
    public init() { root = TreeNode() }

    @inlinable
    init(root: TreeNode<ByPlace<Element>>) { self.root = root }

    /// The elements of a sequence. O(n); O(1) for a `TreeArray`, O(log n) for a slice of one.
    @inlinable
    public init(_ elements: some Sequence<Element>) {
        if let list = elements as? TreeArray {
            self = list
        } else if let slice = elements as? Slice<TreeArray> {
            self = slice.base.part(slice.startIndex..<slice.endIndex)
        } else {
            var builder = TreeBuilder<ByPlace<Element>>()
            for element in elements { builder.append(element) }
            root = builder.finish()
        }
    }

    /// The same value a number of times.
    @inlinable
    public init(repeating value: Element, count: Int) {
        precondition(count >= 0, "a TreeArray of \(count) elements")
        var builder = TreeBuilder<ByPlace<Element>>()
        for _ in 0..<count { builder.append(value) }
        root = builder.finish()
    }

    /// The elements of a range as a list that shares them. O(log n).
    @inlinable
    public func part(_ range: Range<Int>) -> TreeArray {
        check(range)
        return TreeArray(root: root.prefix(range.upperBound).suffix(from: range.lowerBound))
    }

    /// The elements of a range as an Array. O(log n + elements).
    @inlinable
    public func elements(in range: Range<Int>) -> [Element] {
        check(range)
        return root.elements(in: range)
    }

    /// Whether both are the same list in the same memory: equal without a look. O(1).
    @inlinable
    public func sharesStorage(with other: TreeArray) -> Bool { root.isIdentical(to: other.root) }

    @inlinable
    func check(_ index: Int) {
        precondition(
            index >= 0 && index < root.count, "index \(index) of a TreeArray of \(root.count)")
    }

    @inlinable
    func check(_ range: Range<Int>) {
        precondition(
            range.lowerBound >= 0 && range.upperBound <= root.count,
            "range \(range) of a TreeArray of \(root.count)")
    }
}

extension TreeArray: Sendable where Element: Sendable {}

// Changing it.
extension TreeArray {
    /// Adds an element at the end. O(log n).
    @inlinable
    public mutating func append(_ element: Element) { root.insert(element, at: root.count) }

    /// Adds the elements of another list, which is shared. O(log n).
    @inlinable
    public mutating func append(contentsOf list: TreeArray) {
        root = TreeNode.joined(root, list.root)
    }

    /// Adds the elements of a sequence. O(elements + log n).
    @inlinable
    public mutating func append(contentsOf elements: some Sequence<Element>) {
        if elements is TreeArray || elements is Slice<TreeArray> {
            append(contentsOf: TreeArray(elements))
            return
        }
        // One by one while that is cheaper than a join, which also fills the last leaf first.
        var rest = elements.makeIterator()
        for _ in 0..<TreeNode<ByPlace<Element>>.leafLimit {
            guard let element = rest.next() else { return }
            append(element)
        }
        append(contentsOf: TreeArray(IteratorSequence(rest)))
    }

    /// Inserts an element before the one at an index, or at the end. O(log n), the front too.
    @inlinable
    public mutating func insert(_ element: Element, at index: Int) {
        precondition(
            index >= 0 && index <= root.count, "index \(index) of a TreeArray of \(root.count)")
        root.insert(element, at: index)
    }

    /// Removes an element. O(log n), the first too.
    @inlinable
    @discardableResult
    public mutating func remove(at index: Int) -> Element {
        check(index)
        return root.remove(at: index)
    }

    /// Puts the elements of a sequence in the place of a range. O(elements + log n); a `TreeArray`
    /// is shared.
    @inlinable
    public mutating func replaceSubrange(
        _ range: Range<Int>, with elements: some Collection<Element>
    ) {
        check(range)
        let head = TreeNode.joined(root.prefix(range.lowerBound), TreeArray(elements).root)
        root = TreeNode.joined(head, root.suffix(from: range.upperBound))
    }

    /// Removes the elements for which something is so. O(n); what stays is shared as long as few
    /// go.
    @inlinable
    public mutating func removeAll(where isGone: (Element) throws -> Bool) rethrows {
        var gone: [Range<Int>] = []
        var place = 0
        for element in self {
            if try isGone(element) {
                if let last = gone.last, last.upperBound == place {
                    gone[gone.count - 1] = last.lowerBound..<place + 1
                } else {
                    gone.append(place..<place + 1)
                }
            }
            place += 1
        }
        // Each removal costs O(log n) and touches a leaf or two: with more, all is made anew.
        if gone.count > count / TreeNode<ByPlace<Element>>.leafLimit + 1 {
            root = rest(without: gone)
        } else {
            for range in gone.reversed() { removeSubrange(range) }
        }
    }

    /// What is left without ranges that rise. O(n).
    @inlinable
    func rest(without gone: [Range<Int>]) -> TreeNode<ByPlace<Element>> {
        var builder = TreeBuilder<ByPlace<Element>>()
        var ranges = gone.makeIterator()
        var range = ranges.next()
        var place = 0
        for element in self {
            if let next = range, place >= next.upperBound { range = ranges.next() }
            if range?.contains(place) != true { builder.append(element) }
            place += 1
        }
        return builder.finish()
    }

    /// Two lists, one behind the other; both are shared. O(log n).
    @inlinable
    public static func + (a: TreeArray, b: TreeArray) -> TreeArray {
        TreeArray(root: TreeNode.joined(a.root, b.root))
    }

    /// Adds another list, which is shared. O(log n).
    @inlinable
    public static func += (a: inout TreeArray, b: TreeArray) { a.append(contentsOf: b) }
}
