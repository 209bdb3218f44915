/// Where two lists may differ: these elements of the old one became those of the new one.
///
/// Either side may be empty, never both. The elements of a run may be equal all the same: a run
/// says only that they do not stand in storage that both lists share.
public struct DifferingRun: Hashable, Sendable {
    /// Places in the old list.
    public let old: Range<Int>
    /// Places in the new list.
    public let new: Range<Int>

    /// A run of these places.
    public init(old: Range<Int>, new: Range<Int>) {
        self.old = old
        self.new = new
    }
}

/// A list, encoded as an array of its elements, that finds by shared storage where it differs from
/// an older value of itself.
public protocol ListDifferenceSource: RandomAccessCollection, Encodable
where Index == Int, Element: Encodable {
    /// The places where the lists may differ, in order, with at least one element that both share
    /// between any two runs. What stands before, between and after them is the same in both.
    ///
    /// O(parts that the lists do not share).
    func differingRuns(from old: Self) -> [DifferingRun]

    /// The elements of a range in contiguous storage. O(log n + elements).
    func elements(in range: Range<Int>) -> ContiguousArray<Element>
}

/// A map, encoded as an object, that finds by shared storage where it differs from an older value
/// of itself.
public protocol MapDifferenceSource: Encodable {
    /// What stands under a name.
    associatedtype Value: Encodable

    /// Calls `body` for each name under which the maps may differ, once, in the order of the keys:
    /// the old value (nil where the name was absent) and the new one (nil where it is gone). Both
    /// may be equal all the same. Under every other name the values are the same.
    ///
    /// Names are told apart by their bytes, as JSON does. O(parts that the maps do not share).
    func forEachDifference(
        from old: Self, _ body: (_ name: String, _ old: Value?, _ new: Value?) throws -> Void
    ) rethrows
}
