/// So much of something a second; what was not used is saved up, to a bound.
///
/// It counts thousandths of a token, of which a millisecond brings exactly as many as a second
/// brings tokens: nothing is rounded, and nothing drifts. It reads no clock.
struct TokenBucket {
    private let perSecond: Int
    /// The most that is saved up.
    private let most: Int
    private var held: Int
    /// The clock's milliseconds up to which `held` is counted.
    private var countedTo: UInt64

    /// A full bucket.
    ///
    /// - Parameters:
    ///   - perSecond: tokens, at least 1.
    ///   - burstMilliseconds: it saves up what comes in such a time, and one token at least.
    ///   - now: the clock's milliseconds.
    init(perSecond: Int, burstMilliseconds: Int, at now: UInt64) {
        precondition(perSecond > 0, "a bucket of \(perSecond) tokens a second")
        self.perSecond = perSecond
        let (most, isMore) = perSecond.multipliedReportingOverflow(by: burstMilliseconds)
        self.most = isMore ? Int.max / 2 : max(Self.token, most)
        held = self.most
        countedTo = now
    }

    private static let token = 1_000

    /// Takes as many as are asked for, also more than there are: what lacks has to be waited for.
    mutating func take(_ count: Int = 1, at now: UInt64) {
        fill(to: now)
        held -= count * Self.token
    }

    /// Takes one, unless there is none.
    mutating func takeIfThere(at now: UInt64) -> Bool {
        fill(to: now)
        guard held >= Self.token else { return false }
        held -= Self.token
        return true
    }

    /// The milliseconds until there is one; 0 where there is.
    mutating func wait(at now: UInt64) -> Int {
        fill(to: now)
        return milliseconds(until: Self.token)
    }

    /// The milliseconds until nothing is known of it any more than of a new one.
    mutating func waitUntilFull(at now: UInt64) -> Int {
        fill(to: now)
        return milliseconds(until: most)
    }

    private func milliseconds(until wanted: Int) -> Int {
        held >= wanted ? 0 : (wanted - held - 1) / perSecond + 1
    }

    private mutating func fill(to now: UInt64) {
        guard now > countedTo else { return }
        let (gain, isMore) = perSecond.multipliedReportingOverflow(
            by: Int(clamping: now - countedTo))
        countedTo = now
        held = isMore || gain >= most - held ? most : held + gain
    }
}
