/// Finds how far the elements of two rows of leaves are the same bit by bit, from both ends.
///
/// What is the same bit by bit is the same value, held by both lists, as in a node that both share.
/// Bytes between the fields of an element may differ all the same: then it counts as different.
struct LeafComparison<Kind: TreeKind> {
    typealias Row = ContiguousArray<TreeNode<Kind>.Branch>

    private let a: Row
    private let b: Row

    init(_ a: Row, _ b: Row) {
        self.a = a
        self.b = b
    }

    /// A change between leaves of the rows without what is the same at its beginning and its end.
    func trimmed(_ change: RangeChange, old: Range<Int>, new: Range<Int>) -> RangeChange {
        var change = change
        let shorter = min(change.old.count, change.new.count)
        let prefix = length(old, new, upTo: shorter, fromEnd: false)
        let suffix = length(old, new, upTo: shorter - prefix, fromEnd: true)
        change.old = change.old.lowerBound + prefix..<change.old.upperBound - suffix
        change.new = change.new.lowerBound + prefix..<change.new.upperBound - suffix
        return change
    }

    /// How many elements at one end of these leaves are the same.
    private func length(
        _ old: Range<Int>, _ new: Range<Int>, upTo limit: Int, fromEnd: Bool
    ) -> Int {
        var (i, j) =
            fromEnd ? (old.upperBound - 1, new.upperBound - 1) : (old.lowerBound, new.lowerBound)
        var (x, y) = (0, 0)
        var length = 0
        while length < limit {
            let same = a[i].node.elements.withUnsafeBytes { a in
                b[j].node.elements.withUnsafeBytes { b in
                    Self.same(a, x, b, y, upTo: limit - length, fromEnd: fromEnd)
                }
            }
            length += same.count
            guard same.isWhole else { break }
            (x, y) = (x + same.count, y + same.count)
            if x == a[i].node.count { (i, x) = (fromEnd ? i - 1 : i + 1, 0) }
            if y == b[j].node.count { (j, y) = (fromEnd ? j - 1 : j + 1, 0) }
        }
        return length
    }

    /// How many elements of two leaves are the same from an end on, of which so many are done with;
    /// whether these are all of one leaf.
    private static func same(
        _ a: UnsafeRawBufferPointer, _ x: Int, _ b: UnsafeRawBufferPointer, _ y: Int,
        upTo limit: Int, fromEnd: Bool
    ) -> (count: Int, isWhole: Bool) {
        let stride = MemoryLayout<Kind.Element>.stride
        let (doneA, doneB) = (x * stride, y * stride)
        let bytes = min(a.count - doneA, b.count - doneB, limit * stride)
        let same =
            fromEnd
            ? sameBytes(
                atTheEndOf: a[(a.count - doneA - bytes)..<(a.count - doneA)],
                b[(b.count - doneB - bytes)..<(b.count - doneB)])
            : sameBytes(
                atTheBeginningOf: a[doneA..<(doneA + bytes)], b[doneB..<(doneB + bytes)])
        return (same / stride, same == bytes)
    }
}

/// How many bytes are the same from the beginning on, eight at a step. Both are equally long.
private func sameBytes(
    atTheBeginningOf a: Slice<UnsafeRawBufferPointer>, _ b: Slice<UnsafeRawBufferPointer>
) -> Int {
    let (a, b) = (UnsafeRawBufferPointer(rebasing: a), UnsafeRawBufferPointer(rebasing: b))
    var done = 0
    while done + 8 <= a.count,
        a.loadUnaligned(fromByteOffset: done, as: UInt64.self)
            == b.loadUnaligned(fromByteOffset: done, as: UInt64.self)
    {
        done += 8
    }
    while done < a.count, a[done] == b[done] { done += 1 }
    return done
}

/// How many bytes are the same from the end back, eight at a step. Both are equally long.
private func sameBytes(
    atTheEndOf a: Slice<UnsafeRawBufferPointer>, _ b: Slice<UnsafeRawBufferPointer>
) -> Int {
    let (a, b) = (UnsafeRawBufferPointer(rebasing: a), UnsafeRawBufferPointer(rebasing: b))
    var left = a.count
    while left >= 8,
        a.loadUnaligned(fromByteOffset: left - 8, as: UInt64.self)
            == b.loadUnaligned(fromByteOffset: left - 8, as: UInt64.self)
    {
        left -= 8
    }
    while left > 0, a[left - 1] == b[left - 1] { left -= 1 }
    return a.count - left
}
