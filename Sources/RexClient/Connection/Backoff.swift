/// How long to wait before the next try to connect: exponential with jitter, bounded.
///
/// A value: the caller brings the randomness, so a test knows every delay. The jitter is "equal":
/// half of the step is certain, half is chance, so that a thousand clients of a server that
/// restarts come back spread out and none comes back at once.
public struct Backoff: Sendable, Equatable {
    /// The step of the first try.
    public static let defaultFirst: Duration = .milliseconds(100)
    /// The longest step.
    public static let defaultLimit: Duration = .seconds(10)
    /// What each step is multiplied by to give the next.
    public static let factor = 2

    private let first: Duration
    private let limit: Duration
    private var step: Duration

    /// Tries made since the last success.
    public private(set) var attempts = 0

    /// - Parameters:
    ///   - first: the step of the first try, positive.
    ///   - limit: the longest step, at least `first`.
    public init(first: Duration = Self.defaultFirst, limit: Duration = Self.defaultLimit) {
        precondition(first > .zero && limit >= first, "a backoff from \(first) to \(limit)")
        self.first = first
        self.limit = limit
        step = first
    }

    /// The wait before the next try: from half a step to a whole one; the step then doubles.
    ///
    /// - Parameter random: a number from 0 up to 1.
    public mutating func next(random: Double) -> Duration {
        precondition((0..<1).contains(random), "a random number from 0 up to 1, not \(random)")
        let delay = step / 2 + step / 2 * random
        attempts += 1
        step = min(step * Self.factor, limit)
        return delay
    }

    /// The next wait, with chance from the system.
    public mutating func next() -> Duration { next(random: Double.random(in: 0..<1)) }

    /// A connection stood: the next failure begins with the first step again.
    public mutating func succeed() {
        step = first
        attempts = 0
    }
}
