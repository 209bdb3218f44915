extension TreeArray: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
    /// A view of a part; `TreeArray(slice)` makes it a list of its own in O(log n).
    public typealias SubSequence = Slice<TreeArray>
    /// The indices, 0 to `count`.
    public typealias Indices = Range<Int>

    /// 0.
    @inlinable
    public var startIndex: Int { 0 }
    /// The number of elements.
    @inlinable
    public var endIndex: Int { root.count }
    /// The number of elements. O(1).
    @inlinable
    public var count: Int { root.count }
    /// The first element. O(log n).
    @inlinable
    public var first: Element? { root.first }
    /// The last element. O(log n).
    @inlinable
    public var last: Element? { root.last }

    /// The element at an index. O(log n). A change inside an element happens in place where nobody
    /// else holds the element.
    @inlinable
    public subscript(index: Int) -> Element {
        get {
            check(index)
            return root.element(at: index)
        }
        set {
            check(index)
            root.replace(at: index, with: newValue)
        }
        _modify {
            check(index)
            var element = root.take(at: index)
            defer { root.put(element, at: index) }
            yield &element
        }
    }

    /// A view of a part. O(1).
    @inlinable
    public subscript(range: Range<Int>) -> Slice<TreeArray> {
        get {
            check(range)
            return Slice(base: self, bounds: range)
        }
        set { replaceSubrange(range, with: newValue) }
    }

    /// The elements in order.
    @inlinable
    public func makeIterator() -> Iterator { Iterator(base: TreeIterator(root)) }

    /// Goes through the elements of a list.
    public struct Iterator: IteratorProtocol {
        @usableFromInline
        var base: TreeIterator<ByPlace<Element>>

        @inlinable
        init(base: TreeIterator<ByPlace<Element>>) { self.base = base }

        /// The next element; nil at the end.
        @inlinable
        public mutating func next() -> Element? { base.next() }
    }
}

extension TreeArray.Iterator: Sendable where Element: Sendable {}
