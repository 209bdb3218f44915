/// How one list becomes another.
enum ArraySteps {
    /// One step; indices are those of the lists before and after. Steps are in order.
    enum Step: Equatable {
        /// The old element becomes the new one.
        case change(Int, Int)
        /// The old element goes.
        case remove(Int)
        /// The new elements come before the old element at an index.
        case insert(Range<Int>, at: Int)
    }

    /// The steps between two lists that begin and end differently.
    static func between(_ a: ArraySlice<JSONValue>, _ b: ArraySlice<JSONValue>) -> [Step] {
        if let steps = obvious(a.indices, b.indices) { return steps }
        let matches =
            matches(a.count, b.count) { a[a.startIndex + $0] == b[b.startIndex + $1] }
            ?? anchors(a, b)
        var steps: [Step] = []
        forEachRun(between: matches, a.count, b.count) {
            steps += run(
                a[a.startIndex + $0.lowerBound..<a.startIndex + $0.upperBound],
                b[b.startIndex + $1.lowerBound..<b.startIndex + $1.upperBound])
        }
        return steps
    }

    /// The steps where there is nothing to find out: one list is empty, or each has one element.
    static func obvious(_ a: Range<Int>, _ b: Range<Int>) -> [Step]? {
        if a.isEmpty { return b.isEmpty ? [] : [.insert(b, at: a.lowerBound)] }
        if b.isEmpty { return a.map { .remove($0) } }
        return a.count == 1 && b.count == 1 ? [.change(a.lowerBound, b.lowerBound)] : nil
    }

    /// What lies before, between and behind pairs of equal elements, where it is anything.
    static func forEachRun<Failure: Error>(
        between pairs: [(Int, Int)], _ oldCount: Int, _ newCount: Int,
        _ body: (Range<Int>, Range<Int>) throws(Failure) -> Void
    ) throws(Failure) {
        var i = 0
        var j = 0
        for (x, y) in pairs {
            if i < x || j < y { try body(i..<x, j..<y) }
            i = x + 1
            j = y + 1
        }
        if i < oldCount || j < newCount { try body(i..<oldCount, j..<newCount) }
    }

    /// The steps for elements of which none is in both lists in order.
    static func run(_ a: ArraySlice<JSONValue>, _ b: ArraySlice<JSONValue>) -> [Step] {
        if let steps = obvious(a.indices, b.indices) { return steps }
        guard a.count * b.count <= JSONPatch.pairLimit else { return inOrder(a.indices, b.indices) }
        return aligned(a, b)
    }

    static func inOrder(_ a: Range<Int>, _ b: Range<Int>) -> [Step] {
        let common = min(a.count, b.count)
        var steps = (0..<common).map { Step.change(a.lowerBound + $0, b.lowerBound + $0) }
        steps += a.dropFirst(common).map { .remove($0) }
        if b.count > common {
            steps.append(.insert(b.lowerBound + common..<b.upperBound, at: a.upperBound))
        }
        return steps
    }

    /// The cheapest way to pair old elements with new ones in order: which changed into which,
    /// which went, which came.
    private static func aligned(
        _ a: ArraySlice<JSONValue>, _ b: ArraySlice<JSONValue>
    ) -> [Step] {
        let width = b.count + 1
        let removal = 30
        let insertions = b.map { 30 + $0.byteEstimate(upTo: 4_096) }
        // cost[i * width + j]: the cheapest way for the elements from i and from j on.
        var cost = [Int](repeating: 0, count: (a.count + 1) * width)
        var pair = [Int](repeating: 0, count: a.count * b.count)
        for i in stride(from: a.count, through: 0, by: -1) {
            for j in stride(from: b.count, through: 0, by: -1) {
                if i == a.count && j == b.count { continue }
                var best = Int.max
                if i < a.count { best = removal + cost[(i + 1) * width + j] }
                if j < b.count { best = min(best, insertions[j] + cost[i * width + j + 1]) }
                if i < a.count, j < b.count {
                    let change = changeCost(
                        a[a.startIndex + i], b[b.startIndex + j], whole: insertions[j])
                    pair[i * b.count + j] = change
                    best = min(best, change + cost[(i + 1) * width + j + 1])
                }
                cost[i * width + j] = best
            }
        }
        var steps: [Step] = []
        var i = 0
        var j = 0
        while i < a.count || j < b.count {
            let here = cost[i * width + j]
            if i < a.count, j < b.count,
                here == pair[i * b.count + j] + cost[(i + 1) * width + j + 1]
            {
                steps.append(.change(a.startIndex + i, b.startIndex + j))
                i += 1
                j += 1
            } else if i < a.count, here == removal + cost[(i + 1) * width + j] {
                steps.append(.remove(a.startIndex + i))
                i += 1
            } else {
                let new = b.startIndex + j
                if case .insert(let range, let at) = steps.last, range.upperBound == new,
                    at == a.startIndex + i
                {
                    steps[steps.count - 1] = .insert(range.lowerBound..<new + 1, at: at)
                } else {
                    steps.append(.insert(new..<new + 1, at: a.startIndex + i))
                }
                j += 1
            }
        }
        return steps
    }

    /// About what a patch from one element to another takes, `whole` at most.
    private static func changeCost(_ old: JSONValue, _ new: JSONValue, whole: Int) -> Int {
        guard case .object(let a) = old, case .object(let b) = new else {
            if old == new { return 0 }
            if case .array = old, case .array = new { return whole / 2 + 15 }
            return whole
        }
        var cost = 0
        var i = 0
        var j = 0
        while i < a.count || j < b.count, cost < whole {
            let order =
                i == a.count ? 1 : j == b.count ? -1 : a[i].key.byteOrder(to: b[j].key)
            if order < 0 {
                cost += 30
            } else if order > 0 || a[i].value != b[j].value {
                cost += 30 + b[j].value.byteEstimate(upTo: whole)
            }
            if order <= 0 { i += 1 }
            if order >= 0 { j += 1 }
        }
        return min(cost, whole)
    }

    /// The pairs of equal elements of a shortest edit script (Myers 1986) between two lists,
    /// counted from 0; nil where it takes more than `editLimit` insertions and removals.
    /// O((old + new) × edits) comparisons, of which O(edits²) find a difference.
    static func matches<Failure: Error>(
        _ oldCount: Int, _ newCount: Int, _ isSame: (Int, Int) throws(Failure) -> Bool
    ) throws(Failure) -> [(Int, Int)]? {
        let limit = min(JSONPatch.editLimit, oldCount + newCount)
        guard abs(oldCount - newCount) <= limit else { return nil }
        // reach[limit + k]: how far in the old list the diagonal k (old index minus new) leads.
        var reach = [Int](repeating: 0, count: 2 * limit + 2)
        var trace: [[Int]] = []
        for edits in 0...limit {
            trace.append(Array(reach[(limit - edits)...(limit + edits)]))
            for k in stride(from: -edits, through: edits, by: 2) {
                var x =
                    k == -edits || (k != edits && reach[limit + k - 1] < reach[limit + k + 1])
                    ? reach[limit + k + 1] : reach[limit + k - 1] + 1
                while x < oldCount, x - k < newCount, try isSame(x, x - k) { x += 1 }
                reach[limit + k] = x
                if x >= oldCount, x - k >= newCount {
                    return backtrack(oldCount, newCount, trace)
                }
            }
        }
        return nil
    }

    /// Walks the way back: the diagonals are the equal elements.
    private static func backtrack(
        _ oldCount: Int, _ newCount: Int, _ trace: [[Int]]
    ) -> [(Int, Int)] {
        var pairs: [(Int, Int)] = []
        var x = oldCount
        var y = newCount
        for edits in stride(from: trace.count - 1, through: 0, by: -1) {
            // The state before this round: diagonals -edits ... edits.
            func before(_ k: Int) -> Int { trace[edits][k + edits] }
            let k = x - y
            var startX = 0
            var startY = 0
            if edits > 0 {
                let isDown = k == -edits || (k != edits && before(k - 1) < before(k + 1))
                let previous = isDown ? k + 1 : k - 1
                startX = before(previous)
                startY = startX - previous
            }
            let afterX = edits == 0 ? 0 : (startX - startY > k ? startX : startX + 1)
            while x > afterX {
                x -= 1
                y -= 1
                pairs.append((x, y))
            }
            x = startX
            y = startY
        }
        return pairs.reversed()
    }

    /// The longest row of pairs in order among the elements that are in each list exactly once
    /// (patience diff), counted from 0. O(n log n) and a hash of every element.
    static func anchors<Element: Hashable>(
        _ a: some Collection<Element>, _ b: some Collection<Element>
    ) -> [(Int, Int)] {
        var places: [Element: (old: Int?, new: Int?)] = [:]
        for (i, element) in a.enumerated() {
            places[element] = places[element] == nil ? (i, nil) : (nil, nil)
        }
        var seen: Set<Element> = []
        for (j, element) in b.enumerated() {
            guard let place = places[element] else { continue }
            places[element] = seen.insert(element).inserted ? (place.old, j) : (nil, nil)
        }
        let pairs = places.values.compactMap { place -> (Int, Int)? in
            guard let old = place.old, let new = place.new else { return nil }
            return (old, new)
        }.sorted { $0.0 < $1.0 }
        // ends[n]: the pair that ends a row of n + 1 pairs and stands foremost in the new list.
        var ends: [Int] = []
        var before = [Int?](repeating: nil, count: pairs.count)
        for (index, pair) in pairs.enumerated() {
            var low = 0
            var high = ends.count
            while low < high {
                let middle = (low + high) / 2
                if pairs[ends[middle]].1 < pair.1 { low = middle + 1 } else { high = middle }
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
