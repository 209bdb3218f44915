/// Finds where two trees differ by the nodes that both share. O(nodes that they do not share).
///
/// Height by height, from the top: nodes that are in both trees in the same order are kept, what
/// lies between them is looked into. So a node is found again also where elements before it came or
/// went.
struct TreeDifference<Kind: TreeKind> {
    typealias Node = TreeNode<Kind>
    /// Neighbours of one height.
    private typealias Row = ArraySlice<Node.Branch>

    /// Where the trees differ, in order; between two runs there is something that both share.
    private(set) var runs: [RangeChange] = []

    init(from old: Node, to new: Node) {
        if old.isIdentical(to: new) { return }
        guard old.count > 0 && new.count > 0 else {
            runs = [RangeChange(old: 0..<old.count, new: 0..<new.count)]
            return
        }
        var (a, b): (Row, Row) = ([Node.Branch(old)], [Node.Branch(new)])
        var (height, newHeight) = (old.height, new.height)
        while newHeight > height {
            b = children(of: b)
            newHeight -= 1
        }
        while height > newHeight {
            a = children(of: a)
            height -= 1
        }
        compare(a, b, height: height, at: 0, 0)
    }

    private func children(of row: Row) -> Row {
        if row.count == 1 { return row[row.startIndex].node.children[...] }
        var all = ContiguousArray<Node.Branch>()
        all.reserveCapacity(row.reduce(0) { $0 + $1.node.children.count })
        for branch in row { all += branch.node.children }
        return Row(all)
    }

    /// Compares two rows that begin at places of the two lists.
    private mutating func compare(_ old: Row, _ new: Row, height: Int, at place: Int, _ other: Int)
    {
        var (a, b) = (old, new)
        var (place, other) = (place, other)
        while let x = a.first?.node, let y = b.first?.node, x.isIdentical(to: y) {
            place += x.count
            other += y.count
            a.removeFirst()
            b.removeFirst()
        }
        while let x = a.last?.node, let y = b.last?.node, x.isIdentical(to: y) {
            a.removeLast()
            b.removeLast()
        }
        for pair in shared(a, b) + [(a.endIndex, b.endIndex)] {
            let (x, y) = (a[a.startIndex..<pair.0], b[b.startIndex..<pair.1])
            let (length, newLength) = (count(x), count(y))
            if height == 0 || x.isEmpty || y.isEmpty {
                emit(place..<place + length, other..<other + newLength)
            } else {
                compare(children(of: x), children(of: y), height: height - 1, at: place, other)
            }
            guard pair.0 < a.endIndex else { return }
            place += length + a[pair.0].node.count
            other += newLength + b[pair.1].node.count
            a = a[(pair.0 + 1)...]
            b = b[(pair.1 + 1)...]
        }
    }

    private func count(_ row: Row) -> Int { row.reduce(0) { $0 + $1.node.count } }

    private mutating func emit(_ old: Range<Int>, _ new: Range<Int>) {
        if old.isEmpty && new.isEmpty { return }
        if let last = runs.last, last.old.upperBound == old.lowerBound,
            last.new.upperBound == new.lowerBound
        {
            runs[runs.count - 1] = RangeChange(
                old: last.old.lowerBound..<old.upperBound,
                new: last.new.lowerBound..<new.upperBound)
        } else {
            runs.append(RangeChange(old: old, new: new))
        }
    }

    /// The nodes that are in both rows, as many as can be kept in order.
    private func shared(_ old: Row, _ new: Row) -> [(Int, Int)] {
        guard !old.isEmpty && !new.isEmpty && old.count + new.count > 2 else { return [] }
        var places: [UnsafeRawPointer?: Int] = [:]
        for index in old.indices.reversed() { places[old[index].node.identity] = index }
        var pairs: [(Int, Int)] = []
        for index in new.indices {
            if let place = places[new[index].node.identity] { pairs.append((place, index)) }
        }
        return longestRow(pairs)
    }

    /// The longest part of pairs whose old places rise as the new ones do. O(n log n).
    private func longestRow(_ pairs: [(Int, Int)]) -> [(Int, Int)] {
        if zip(pairs, pairs.dropFirst()).allSatisfy({ $0.0 < $1.0 }) { return pairs }
        // ends[n]: the pair that ends a row of n + 1 pairs with the smallest old place.
        var ends: [Int] = []
        var before = [Int?](repeating: nil, count: pairs.count)
        for (index, pair) in pairs.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if pairs[ends[middle]].0 < pair.0 { low = middle + 1 } else { high = middle }
            }
            if low > 0 { before[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var row: [(Int, Int)] = []
        var index = ends.last
        while let here = index {
            row.append(pairs[here])
            index = before[here]
        }
        return row.reversed()
    }
}
