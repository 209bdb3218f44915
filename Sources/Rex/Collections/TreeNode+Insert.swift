// One element comes. O(log n).
extension TreeNode {
    /// Inserts into a whole tree, which grows by a level where its root is full.
    @inlinable
    mutating func insert(_ element: Element, at place: Int) {
        guard let right = insert(element, at: place, isFirst: true, isLast: true) else { return }
        let left = self
        self = TreeNode(children: [Branch(left), right])
    }

    /// Inserts; gives back what did not fit, to stand right of this node. `isFirst` and `isLast`
    /// say whether the node is on the left and on the right edge of the tree.
    @inlinable
    mutating func insert(
        _ element: Element, at place: Int, isFirst: Bool, isLast: Bool
    ) -> Branch? {
        guard !isLeaf else {
            return insertInLeaf(element, at: place, isFirst: isFirst, isLast: isLast)
        }
        count += 1
        // Between two children: at the end of the left one.
        var offset = place
        var slot = 0
        while offset > children[slot].node.count {
            offset -= children[slot].node.count
            slot += 1
        }
        let right = children[slot].node.insert(
            element, at: offset, isFirst: isFirst && slot == 0,
            isLast: isLast && slot == children.count - 1)
        children[slot].refreshMark()
        guard let right else { return nil }
        return insert(right, at: slot + 1, isFirst: isFirst, isLast: isLast)
    }

    @inlinable
    mutating func insertInLeaf(
        _ element: Element, at place: Int, isFirst: Bool, isLast: Bool
    ) -> Branch? {
        if elements.count < Self.leafLimit {
            count += 1
            if place == elements.count {
                elements.append(element)
            } else {
                elements.insert(element, at: place)
            }
            return nil
        }
        if isLast && place == elements.count { return Branch(TreeNode(leaf: [element])) }
        var left: ContiguousArray<Element>
        var right: ContiguousArray<Element>
        if isFirst && place == 0 {
            left = [element]
            right = elements
        } else {
            let middle = elements.count / 2
            left = ContiguousArray(elements[..<middle])
            right = ContiguousArray(elements[middle...])
            if place <= middle {
                left.insert(element, at: place)
            } else {
                right.insert(element, at: place - middle)
            }
        }
        self = TreeNode(leaf: left)
        return Branch(TreeNode(leaf: right))
    }

    /// Inserts a child whose elements are counted already.
    @inlinable
    mutating func insert(
        _ child: Branch, at slot: Int, isFirst: Bool, isLast: Bool
    ) -> Branch? {
        if children.count < Self.branchLimit {
            children.insert(child, at: slot)
            return nil
        }
        if isLast && slot == children.count {
            count -= child.node.count
            return Branch(TreeNode(children: [child]))
        }
        var all = children
        all.insert(child, at: slot)
        // Growing in front, only the first child is left behind.
        let middle = isFirst && slot == 1 ? 1 : all.count / 2
        self = TreeNode(children: ContiguousArray(all[..<middle]))
        return Branch(TreeNode(children: ContiguousArray(all[middle...])))
    }
}
