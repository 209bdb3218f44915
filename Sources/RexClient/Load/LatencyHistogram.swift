/// How often a latency occurred, in steps of about 3 %: bounded memory, whatever is measured.
public struct LatencyHistogram: Sendable {
    private var counts = [Int](repeating: 0, count: 64 * 64)
    /// How many latencies were added.
    public private(set) var count = 0

    /// Without any latency.
    public init() {}

    /// Adds one latency.
    public mutating func add(nanoseconds: UInt64) {
        counts[Self.index(nanoseconds)] += 1
        count += 1
    }

    /// The latency that a part of all is below, in microseconds: 0.5 is the median. 0 when there is
    /// none.
    public func microseconds(at part: Double) -> Double {
        guard count > 0 else { return 0 }
        var left = Int((Double(count) * part).rounded(.up))
        for (index, n) in counts.enumerated() where n > 0 {
            left -= n
            if left <= 0 { return Double(Self.value(index)) / 1_000 }
        }
        return 0
    }

    /// The six highest bits choose the step within a power of two.
    private static func index(_ value: UInt64) -> Int {
        guard value >= 64 else { return Int(value) }
        let power = 63 - value.leadingZeroBitCount
        return min(64 * 64 - 1, (power - 5) * 64 + Int(value >> UInt64(power - 5)))
    }

    /// The least latency of a step.
    private static func value(_ index: Int) -> UInt64 {
        guard index >= 64 else { return UInt64(index) }
        let power = index / 64 + 5
        return UInt64(index - (power - 5) * 64) << UInt64(power - 5)
    }
}
