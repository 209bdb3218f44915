extension TreeNode {
    /// Whether both trees have equal elements in the same places. Parts that both share in the same
    /// place are not looked at. O(n) at worst.
    @inlinable
    func isEqual(to other: TreeNode, _ areEqual: (Element, Element) -> Bool) -> Bool {
        guard count == other.count else { return false }
        let heights = (height, other.height)
        var place = 0
        while place < count {
            let step = compare(with: other, at: place, heights: heights, areEqual)
            guard step > 0 else { return false }
            place += step
        }
        return true
    }

    /// How many elements from a place on are equal because both trees share them or because they
    /// were compared, to the end of a leaf at most; 0 where two differ.
    @inlinable
    func compare(
        with other: TreeNode, at place: Int, heights: (Int, Int),
        _ areEqual: (Element, Element) -> Bool
    ) -> Int {
        var (a, b) = (self, other)
        var (height, otherHeight) = heights
        var (offset, otherOffset) = (place, place)
        while true {
            if height == otherHeight && offset == otherOffset && a.isIdentical(to: b) {
                return a.count - offset
            }
            if height == 0 && otherHeight == 0 { break }
            let goesDown = height >= otherHeight
            if otherHeight >= height {
                let (slot, rest) = b.locate(otherOffset)
                (b, otherOffset) = (b.children[slot].node, rest)
                otherHeight -= 1
            }
            if goesDown {
                let (slot, rest) = a.locate(offset)
                (a, offset) = (a.children[slot].node, rest)
                height -= 1
            }
        }
        let length = min(a.elements.count - offset, b.elements.count - otherOffset)
        for step in 0..<length
        where !areEqual(a.elements[offset + step], b.elements[otherOffset + step]) {
            return 0
        }
        return length
    }
}
