// One element goes. O(log n).
extension TreeNode {
    /// Removes from a whole tree, which loses a level where its root has one child left.
    @inlinable
    mutating func remove(at place: Int) -> Element {
        let element = take(at: place)
        settle(at: place)
        return element
    }

    /// Forgets the place of an element that was taken from a whole tree.
    @inlinable
    mutating func settle(at place: Int) {
        settle(at: place, isFirst: true, isLast: true)
        flatten()
    }

    @inlinable
    mutating func settle(at place: Int, isFirst: Bool, isLast: Bool) {
        if !isLeaf {
            let (slot, offset) = locate(place)
            let isFirst = isFirst && slot == 0
            let isLast = isLast && slot == children.count - 1
            children[slot].node.settle(at: offset, isFirst: isFirst, isLast: isLast)
            mend(slot, isOnEdge: isFirst || isLast)
        }
        count -= 1
    }

    /// After a child lost something: it goes where it is empty, and is filled from a neighbour
    /// where it is less than half full, save on an edge.
    @inlinable
    mutating func mend(_ slot: Int, isOnEdge: Bool) {
        let child = children[slot].node
        if child.count == 0 {
            children.remove(at: slot)
            return
        }
        guard !isOnEdge && child.size < child.minimum && children.count > 1 else {
            children[slot].refreshMark()
            return
        }
        let left = max(slot - 1, 0)
        let (first, second) = Self.evened(children[left].node, children[left + 1].node)
        children[left] = Branch(first)
        if let second {
            children[left + 1] = Branch(second)
        } else {
            children.remove(at: left + 1)
        }
    }

    /// Two neighbours as one node where they fit into one, else as two of the same size.
    @inlinable
    static func evened(_ a: TreeNode, _ b: TreeNode) -> (TreeNode, TreeNode?) {
        let total = a.size + b.size
        if a.isLeaf {
            let all = a.elements + b.elements
            guard total > leafLimit else { return (TreeNode(leaf: all), nil) }
            return (
                TreeNode(leaf: ContiguousArray(all[..<(total / 2)])),
                TreeNode(leaf: ContiguousArray(all[(total / 2)...]))
            )
        }
        let all = a.children + b.children
        guard total > branchLimit else { return (TreeNode(children: all), nil) }
        return (
            TreeNode(children: ContiguousArray(all[..<(total / 2)])),
            TreeNode(children: ContiguousArray(all[(total / 2)...]))
        )
    }

    /// Drops levels that a whole tree does not need: a root with one child, and one with two that
    /// would fit into one. With this the height stays within O(log n), though edges may be thin.
    @inlinable
    mutating func flatten() {
        while !isLeaf && children.count <= 2 {
            if children.count == 2 {
                let (a, b) = (children[0].node, children[1].node)
                let limit = a.isLeaf ? Self.leafLimit : Self.branchLimit
                guard a.size + b.size <= limit else { return }
                self = Self.evened(a, b).0
            } else {
                self = children[0].node
            }
        }
    }
}
