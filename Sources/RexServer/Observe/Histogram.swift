/// How long something took, each time: how often within which bound. It is cheap to add to: a
/// comparison for each bound that is passed.
struct Histogram {
    /// Upper bounds in nanoseconds, growing.
    static let bounds: [UInt64] = [
        100_000, 500_000, 1_000_000, 5_000_000, 10_000_000, 50_000_000, 100_000_000, 500_000_000,
        1_000_000_000,
    ]

    /// How often it took as long as a bound at most and longer than the one before; at last, longer
    /// than all of them.
    private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
    private(set) var totalNanoseconds: UInt64 = 0

    mutating func record(nanoseconds: UInt64) {
        var index = 0
        while index < Self.bounds.count, nanoseconds > Self.bounds[index] { index += 1 }
        counts[index] += 1
        totalNanoseconds &+= nanoseconds
    }
}
