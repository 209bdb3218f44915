/// How the elements of a tree are found: by their place alone, or by a key too.
@usableFromInline
protocol TreeKind {
    associatedtype Element
    /// What a node keeps of the first element under each child, to be searched by.
    associatedtype Mark

    static func mark(of element: Element) -> Mark
}

/// Elements that are found by their place.
@usableFromInline
enum ByPlace<Element>: TreeKind {
    @inlinable
    static func mark(of element: Element) -> NoMark { NoMark() }
}

/// No bytes.
@usableFromInline
struct NoMark: Sendable {
    @inlinable
    init() {}
}

/// Elements in the order of their keys, each key once.
@usableFromInline
enum ByKey<Key: Comparable, Value>: TreeKind {
    @usableFromInline
    typealias Element = (key: Key, value: Value)

    @inlinable
    static func mark(of element: Element) -> Key { element.key }
}

/// A node of a counted B+ tree: the elements stand in the leaves, in order, all leaves at one
/// depth.
///
/// A node is two arrays, of which one is empty, so it is a value like any other: copies share the
/// arrays, and a change copies those on the way to its place that somebody else holds too, at most
/// one a level. An array's address is what two trees are seen to share a node by.
///
/// Every node is at least half full, save those on the left and the right edge of the tree, which
/// hold at least one: a queue that grows at one end and shrinks at the other moves no element from
/// leaf to leaf, and a list that was built by appending has full leaves.
@usableFromInline
struct TreeNode<Kind: TreeKind> {
    @usableFromInline
    typealias Element = Kind.Element

    // The order of what is stored is what `BranchBytes` reads.

    /// A child in its parent.
    @usableFromInline
    struct Branch {
        @usableFromInline
        var node: TreeNode
        /// Of the first element under the child.
        @usableFromInline
        var mark: Kind.Mark

        @inlinable
        init(_ node: TreeNode) {
            self.node = node
            mark = node.firstMark
        }

        /// After a change of the child.
        @inlinable
        mutating func refreshMark() { mark = node.firstMark }
    }

    /// The elements under the node.
    @usableFromInline
    var count: Int
    /// A leaf's; empty in an inner node.
    @usableFromInline
    var elements: ContiguousArray<Element>
    /// An inner node's; empty in a leaf.
    @usableFromInline
    var children: ContiguousArray<Branch>
    /// How many levels are below; 0 in a leaf.
    @usableFromInline
    let height: Int

    /// The most elements of a leaf: small enough to be copied at every edit, large enough that the
    /// header of its storage (32 bytes) hardly counts.
    @inlinable
    static var leafLimit: Int {
        switch MemoryLayout<Element>.stride {
        case ...16: 64
        case ...128: 32
        default: 16
        }
    }
    /// The most children of an inner node. An edit retains as many at each level.
    @inlinable
    static var branchLimit: Int { 16 }

    /// A tree without elements.
    @inlinable
    init() {
        elements = []
        children = []
        count = 0
        height = 0
    }

    @inlinable
    init(leaf: ContiguousArray<Element>) {
        elements = leaf
        children = []
        count = leaf.count
        height = 0
    }

    @inlinable
    init(children: ContiguousArray<Branch>) {
        elements = []
        self.children = children
        count = 0
        height = children[0].node.height + 1
        for child in children { count += child.node.count }
    }

    @inlinable
    var isLeaf: Bool { height == 0 }

    /// Elements of a leaf, children of an inner node.
    @inlinable
    var size: Int { isLeaf ? elements.count : children.count }

    /// The size below which a node is mended, save on an edge.
    @inlinable
    var minimum: Int { (isLeaf ? Self.leafLimit : Self.branchLimit) / 2 }

    /// The node must not be empty.
    @inlinable
    var firstMark: Kind.Mark { isLeaf ? Kind.mark(of: elements[0]) : children[0].mark }

    /// Whether both are one and the same node in memory, hence equal. O(1).
    @inlinable
    func isIdentical(to other: TreeNode) -> Bool {
        count == other.count && identity == other.identity
    }

    /// The address of what the node holds.
    @inlinable
    var identity: UnsafeRawPointer? {
        isLeaf
            ? elements.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) }
            : children.withUnsafeBufferPointer { UnsafeRawPointer($0.baseAddress) }
    }
}

extension TreeNode: Sendable where Kind.Element: Sendable, Kind.Mark: Sendable {}
extension TreeNode.Branch: Sendable where Kind.Element: Sendable, Kind.Mark: Sendable {}

// Reading and changing what is there. O(log n) each.
extension TreeNode {
    /// The child under which an element stands, and its place there.
    @inlinable
    func locate(_ place: Int) -> (slot: Int, offset: Int) {
        children.withUnsafeBufferPointer { children in
            var offset = place
            var slot = 0
            while offset >= children[slot].node.count {
                offset &-= children[slot].node.count
                slot &+= 1
            }
            return (slot, offset)
        }
    }

    @inlinable
    func element(at place: Int) -> Element {
        if isLeaf { return elements[place] }
        let (slot, offset) = locate(place)
        return children[slot].node.element(at: offset)
    }

    /// The leaf in which an element stands, and its place there.
    @inlinable
    func leaf(at place: Int) -> (elements: ContiguousArray<Element>, offset: Int) {
        if isLeaf { return (elements, place) }
        let (slot, offset) = locate(place)
        return children[slot].node.leaf(at: offset)
    }

    /// The elements of a range as an Array. O(log n + elements).
    @inlinable
    func elements(in range: Range<Int>) -> [Element] {
        var all: [Element] = []
        all.reserveCapacity(range.count)
        var place = range.lowerBound
        while place < range.upperBound {
            let (leaf, offset) = leaf(at: place)
            let end = min(leaf.count, offset + range.upperBound - place)
            all += leaf[offset..<end]
            place += end - offset
        }
        return all
    }

    /// Calls `body` for each leaf, in order. O(n / leaf).
    @inlinable
    func forEachLeaf(_ body: (ContiguousArray<Element>) throws -> Void) rethrows {
        if isLeaf { return try body(elements) }
        for child in children { try child.node.forEachLeaf(body) }
    }

    @inlinable
    var first: Element? { isLeaf ? elements.first : children.first?.node.first }

    @inlinable
    var last: Element? { isLeaf ? elements.last : children.last?.node.last }

    /// Puts an element in the place of another one, whose mark is equal.
    @inlinable
    mutating func replace(at place: Int, with element: Element) {
        if isLeaf {
            elements[place] = element
        } else {
            let (slot, offset) = locate(place)
            children[slot].node.replace(at: offset, with: element)
        }
    }

    /// Takes an element out so that nobody else holds it while it is changed. Its place stays
    /// counted: `put` or `settle` must follow before anything else.
    @inlinable
    mutating func take(at place: Int) -> Element {
        if isLeaf { return elements.remove(at: place) }
        let (slot, offset) = locate(place)
        return children[slot].node.take(at: offset)
    }

    /// Puts a taken element back.
    @inlinable
    mutating func put(_ element: Element, at place: Int) {
        if isLeaf {
            elements.insert(element, at: place)
        } else {
            let (slot, offset) = locate(place)
            children[slot].node.put(element, at: offset)
        }
    }
}
