/// Finds where two trees differ by the nodes that both share. O(nodes that they do not share).
///
/// Height by height, from the top: nodes that are in both trees in the same order are kept, what
/// lies between them is looked into, down to elements that are not the same bit by bit. So a node
/// is found again also where elements before it came or went.
struct TreeDifference<Kind: TreeKind> {
    typealias Node = TreeNode<Kind>

    /// Where the trees differ, in order; between two runs there is something that both share.
    private(set) var runs: [RangeChange] = []

    init(from old: Node, to new: Node) {
        if old.isIdentical(to: new) { return }
        guard old.count > 0 && new.count > 0 else {
            emit(0..<old.count, 0..<new.count)
            return
        }
        var (height, newHeight) = (old.height, new.height)
        if height == newHeight && height > 0 {
            compare(Row(old.children), Row(new.children), height: height - 1, at: 0, 0)
            return
        }
        var (a, b) = (Row([Node.Branch(old)]), Row([Node.Branch(new)]))
        while newHeight > height {
            b = b.children(in: 0..<b.branches.count)
            newHeight -= 1
        }
        while height > newHeight {
            a = a.children(in: 0..<a.branches.count)
            height -= 1
        }
        compare(a, b, height: height, at: 0, 0)
    }

    /// Neighbours of one height.
    private struct Row {
        let branches: ContiguousArray<Node.Branch>

        init(_ branches: ContiguousArray<Node.Branch>) { self.branches = branches }

        /// What is below a part of the row. One node's children are taken as they are.
        func children(in range: Range<Int>) -> Row {
            if range.count == 1 { return Row(branches[range.lowerBound].node.children) }
            var all = ContiguousArray<Node.Branch>()
            for index in range { all.append(contentsOf: branches[index].node.children) }
            return Row(all)
        }
    }

    /// Compares two rows that begin at these places of the two lists.
    private mutating func compare(_ old: Row, _ new: Row, height: Int, at place: Int, _ other: Int)
    {
        let gaps = old.branches.withUnsafeBytes { a in
            new.branches.withUnsafeBytes { b in
                RowComparison(
                    BranchBytes(a, stride: MemoryLayout<Node.Branch>.stride),
                    BranchBytes(b, stride: MemoryLayout<Node.Branch>.stride),
                    counts: (old.branches.count, new.branches.count)
                ).gaps(at: place, other)
            }
        }
        for gap in gaps {
            if gap.old.isEmpty || gap.new.isEmpty {
                emit(gap.elements.old, gap.elements.new)
            } else if height == 0 {
                let leaves = LeafComparison<Kind>(old.branches, new.branches)
                let change = leaves.trimmed(gap.elements, old: gap.old, new: gap.new)
                emit(change.old, change.new)
            } else {
                compare(
                    old.children(in: gap.old), new.children(in: gap.new), height: height - 1,
                    at: gap.elements.old.lowerBound, gap.elements.new.lowerBound)
            }
        }
    }

    private mutating func emit(_ old: Range<Int>, _ new: Range<Int>) {
        if old.isEmpty && new.isEmpty { return }
        if let last = runs.last, last.old.upperBound == old.lowerBound,
            last.new.upperBound == new.lowerBound
        {
            runs[runs.count - 1].old = last.old.lowerBound..<old.upperBound
            runs[runs.count - 1].new = last.new.lowerBound..<new.upperBound
        } else {
            runs.append(RangeChange(old: old, new: new))
        }
    }
}
