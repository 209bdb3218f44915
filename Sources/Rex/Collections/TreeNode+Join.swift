// Trees are cut and joined; what is away from the cuts is shared. O(log n).
extension TreeNode {
    /// The tree of the first elements.
    @inlinable
    func prefix(_ length: Int) -> TreeNode {
        var tree = cut(before: length)
        tree.flatten()
        return tree
    }

    /// The tree of the elements from one on.
    @inlinable
    func suffix(from place: Int) -> TreeNode {
        var tree = cut(from: place)
        tree.flatten()
        return tree
    }

    @inlinable
    func cut(before length: Int) -> TreeNode {
        if length == count { return self }
        if length == 0 { return TreeNode() }
        if isLeaf { return TreeNode(leaf: ContiguousArray(elements[..<length])) }
        let (slot, offset) = locate(length)
        var kept = ContiguousArray(children[..<slot])
        if offset > 0 { kept.append(Branch(children[slot].node.cut(before: offset))) }
        return TreeNode(children: kept)
    }

    @inlinable
    func cut(from place: Int) -> TreeNode {
        if place == 0 { return self }
        if place == count { return TreeNode() }
        if isLeaf { return TreeNode(leaf: ContiguousArray(elements[place...])) }
        let (slot, offset) = locate(place)
        if offset == 0 { return TreeNode(children: ContiguousArray(children[slot...])) }
        var kept = ContiguousArray<Branch>()
        kept.reserveCapacity(children.count - slot)
        kept.append(Branch(children[slot].node.cut(from: offset)))
        kept.append(contentsOf: children[(slot + 1)...])
        return TreeNode(children: kept)
    }

    /// Both trees, one behind the other.
    @inlinable
    static func joined(_ a: TreeNode, _ b: TreeNode) -> TreeNode {
        if a.count == 0 { return b }
        if b.count == 0 { return a }
        let (low, high) = (a.height, b.height)
        let (left, right) = seam(
            a.lifted(by: high - low), b.lifted(by: low - high), isFirst: true, isLast: true)
        var tree = right.map { TreeNode(children: [Branch(left), Branch($0)]) } ?? left
        tree.flatten()
        return tree
    }

    /// The same under inner nodes with one child each, which an edge may have.
    @inlinable
    func lifted(by levels: Int) -> TreeNode {
        levels <= 0 ? self : TreeNode(children: [Branch(self)]).lifted(by: levels - 1)
    }

    /// Two nodes of one height, of which the left one's right edge and the right one's left edge
    /// come to stand inside the tree: one node or two that are as full as is due there. `isFirst`
    /// and `isLast`: the left one is on the left edge of the tree, the right one on the right edge.
    @inlinable
    static func seam(
        _ a: TreeNode, _ b: TreeNode, isFirst: Bool, isLast: Bool
    ) -> (TreeNode, TreeNode?) {
        let aIsDue = isFirst || a.size >= a.minimum
        let bIsDue = isLast || b.size >= b.minimum
        if a.isLeaf {
            return aIsDue && bIsDue && a.size + b.size > leafLimit ? (a, b) : evened(a, b)
        }
        let (aLast, bFirst) = (a.children[a.children.count - 1].node, b.children[0].node)
        let (x, y) = seam(
            aLast, bFirst, isFirst: isFirst && a.children.count == 1,
            isLast: isLast && b.children.count == 1)
        if let y, x.isIdentical(to: aLast), y.isIdentical(to: bFirst), aIsDue && bIsDue,
            a.size + b.size > branchLimit
        {
            return (a, b)
        }
        var all = ContiguousArray(a.children.dropLast())
        all.append(Branch(x))
        if let y { all.append(Branch(y)) }
        all.append(contentsOf: b.children.dropFirst())
        mend(&all, at: a.children.count - 1, isFirst: isFirst, isLast: isLast)
        return parted(all, near: a.children.count, isFirst: isFirst, isLast: isLast)
    }

    /// Joins a child that is less than half full to a neighbour, where it has one and is not on an
    /// edge. A child alone is left to the level above, which sees a node with one child.
    @inlinable
    static func mend(
        _ all: inout ContiguousArray<Branch>, at slot: Int, isFirst: Bool, isLast: Bool
    ) {
        let node = all[slot].node
        let isOnEdge = isFirst && slot == 0 || isLast && slot == all.count - 1
        guard node.size < node.minimum && all.count > 1 && !isOnEdge else { return }
        let left = max(slot - 1, 0)
        let (x, y) = seam(
            all[left].node, all[left + 1].node, isFirst: isFirst && left == 0,
            isLast: isLast && left + 2 == all.count)
        all[left] = Branch(x)
        if let y {
            all[left + 1] = Branch(y)
        } else {
            all.remove(at: left + 1)
        }
    }

    /// Children as one node where they fit into one, else as two: parted near a place where both
    /// are as full as is due, else in the middle.
    @inlinable
    static func parted(
        _ all: ContiguousArray<Branch>, near place: Int, isFirst: Bool, isLast: Bool
    ) -> (TreeNode, TreeNode?) {
        if all.count <= branchLimit { return (TreeNode(children: all), nil) }
        let least = branchLimit / 2
        let range =
            max(
                isFirst ? 1 : least, all.count - branchLimit)...min(
                all.count - (isLast ? 1 : least), branchLimit)
        let middle = range.contains(place) ? place : all.count / 2
        return (
            TreeNode(children: ContiguousArray(all[..<middle])),
            TreeNode(children: ContiguousArray(all[middle...]))
        )
    }
}
