// How a collection with structural sharing tells what changed, so that the difference of two states
// costs what the change costs: two values of it share most of their nodes, and those are skipped.

/// A place where two sequences may differ: the elements of `old` became the elements of `new`.
public struct RangeChange: Equatable, Sendable {
    /// Indices in the earlier sequence; empty where elements were only inserted.
    public var old: Range<Int>
    /// Indices in the later sequence; empty where elements were only removed.
    public var new: Range<Int>

    /// A change of a range into another one.
    @inlinable
    public init(old: Range<Int>, new: Range<Int>) {
        self.old = old
        self.new = new
    }
}

/// A sequence that is written as a plain array and finds the ranges in which it differs from an
/// earlier value of itself without looking at the elements that both share.
public protocol DiffableSequence<Element>: Encodable {
    /// What it holds.
    associatedtype Element: Encodable

    /// How many elements there are.
    var count: Int { get }

    /// The elements in a range of indices.
    func elements(in range: Range<Int>) -> [Element]

    /// The ranges that are not known to be the same in both, from front to back.
    ///
    /// What lies before, between and behind them is the same on both sides, element by element. The
    /// ranges may be wider than the change (whole nodes, say): the elements in them are compared.
    /// O(nodes that are not shared).
    func changes(since old: Self) -> [RangeChange]
}

/// A map that is written as a plain object with one member for each entry, and finds the members in
/// which it differs from an earlier value of itself without looking at those that both share.
public protocol DiffableMap<Value>: Encodable {
    /// What it holds under each name.
    associatedtype Value: Encodable

    /// The value whose entry is written under a name; nil where there is none.
    func value(named name: String) -> Value?

    /// Calls `body` once for each member that is not known to be the same in both: the name as it
    /// is written, the value before (nil where it was added) and the value now (nil where it was
    /// removed). In an order that follows from the two values alone. O(nodes that are not shared).
    func forEachChange<Failure: Error>(
        since old: Self,
        _ body: (_ name: String, _ old: Value?, _ new: Value?) throws(Failure) -> Void
    ) throws(Failure)
}
