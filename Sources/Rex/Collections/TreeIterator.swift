/// Goes through the elements of a tree, a leaf at a time.
@usableFromInline
struct TreeIterator<Kind: TreeKind>: IteratorProtocol {
    @usableFromInline
    let root: TreeNode<Kind>
    /// Where the next leaf begins.
    @usableFromInline
    var place = 0
    @usableFromInline
    var leaf: ContiguousArray<Kind.Element> = []
    @usableFromInline
    var offset = 0

    @inlinable
    init(_ root: TreeNode<Kind>) { self.root = root }

    @inlinable
    mutating func next() -> Kind.Element? {
        if offset == leaf.count {
            guard place < root.count else { return nil }
            leaf = root.leaf(at: place).elements
            place += leaf.count
            offset = 0
        }
        let element = leaf[offset]
        offset += 1
        return element
    }
}

extension TreeIterator: Sendable where Kind.Element: Sendable, Kind.Mark: Sendable {}
