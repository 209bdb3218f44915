/// Finds which nodes are in both of two rows in the same order.
struct RowComparison {
    /// Nodes of one row or both between nodes that both have.
    struct Gap {
        var old: Range<Int>
        var new: Range<Int>
        /// The elements under them, by their places in the two lists.
        var elements: RangeChange
    }

    private let a: BranchBytes
    private let b: BranchBytes
    private let counts: (Int, Int)

    init(_ a: BranchBytes, _ b: BranchBytes, counts: (Int, Int)) {
        self.a = a
        self.b = b
        self.counts = counts
    }

    /// The gaps, in order, in rows that begin at these places of the two lists.
    func gaps(at place: Int, _ other: Int) -> [Gap] {
        let shorter = min(counts.0, counts.1)
        var prefix = 0
        while prefix < shorter, a.isIdentical(prefix, to: b, prefix) { prefix += 1 }
        var suffix = 0
        while suffix < shorter - prefix,
            a.isIdentical(counts.0 - 1 - suffix, to: b, counts.1 - 1 - suffix)
        {
            suffix += 1
        }
        let ends = (counts.0 - suffix, counts.1 - suffix)
        let skipped = a.count(0..<prefix)
        var places = (place + skipped, other + skipped)
        var starts = (prefix, prefix)
        var gaps: [Gap] = []
        for pair in shared(prefix..<ends.0, prefix..<ends.1) + [ends] {
            let (old, new) = (starts.0..<pair.0, starts.1..<pair.1)
            let next = (places.0 + a.count(old), places.1 + b.count(new))
            if !old.isEmpty || !new.isEmpty {
                let elements = RangeChange(old: places.0..<next.0, new: places.1..<next.1)
                gaps.append(Gap(old: old, new: new, elements: elements))
            }
            guard pair.0 < ends.0 else { break }
            let both = a.count(pair.0)
            places = (next.0 + both, next.1 + both)
            starts = (pair.0 + 1, pair.1 + 1)
        }
        return gaps
    }

    /// The nodes that are in both parts, as many as can be kept in order.
    private func shared(_ old: Range<Int>, _ new: Range<Int>) -> [(Int, Int)] {
        guard !old.isEmpty && !new.isEmpty && old.count + new.count > 2 else { return [] }
        var places: [Int: Int] = [:]
        for index in old.reversed() { places[a.identity(index)] = index }
        var pairs: [(Int, Int)] = []
        for index in new {
            if let place = places[b.identity(index)] { pairs.append((place, index)) }
        }
        return Self.longestRow(pairs)
    }

    /// The longest part of pairs whose old places rise as the new ones do. O(n log n).
    private static func longestRow(_ pairs: [(Int, Int)]) -> [(Int, Int)] {
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
