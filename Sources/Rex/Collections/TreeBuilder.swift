/// Makes a tree of elements that come in order: full nodes, save on the right edge. O(n).
@usableFromInline
struct TreeBuilder<Kind: TreeKind> {
    @usableFromInline
    typealias Node = TreeNode<Kind>

    @usableFromInline
    var leaf = ContiguousArray<Kind.Element>()
    /// For each height the nodes that have no parent yet, at most one parent's.
    @usableFromInline
    var levels: [ContiguousArray<Node.Branch>] = []

    /// How many elements came.
    @usableFromInline
    var count = 0

    @inlinable
    init() {}

    @inlinable
    mutating func append(_ element: Kind.Element) {
        if leaf.count == Node.leafLimit { endLeaf() }
        leaf.append(element)
        count += 1
    }

    @inlinable
    mutating func endLeaf() {
        guard !leaf.isEmpty else { return }
        push(Node(leaf: leaf), height: 0)
        leaf = []
        leaf.reserveCapacity(Node.leafLimit)
    }

    @inlinable
    mutating func push(_ node: Node, height: Int) {
        if height == levels.count { levels.append([]) }
        if levels[height].count == Node.branchLimit {
            push(Node(children: levels[height]), height: height + 1)
            levels[height].removeAll()
        }
        levels[height].append(Node.Branch(node))
    }

    /// The tree of all elements so far; the builder is empty after it.
    @inlinable
    mutating func finish() -> Node {
        count = 0
        if levels.isEmpty {
            defer { leaf = [] }
            return Node(leaf: leaf)
        }
        endLeaf()
        var height = 0
        while height < levels.count - 1 {
            push(Node(children: levels[height]), height: height + 1)
            height += 1
        }
        let top = levels[height]
        levels = []
        return top.count == 1 ? top[0].node : Node(children: top)
    }
}
