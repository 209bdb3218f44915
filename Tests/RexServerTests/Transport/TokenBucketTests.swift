import RexTesting
import Testing

@testable import RexServer

/// So that what changes it can stand in an expectation.
private final class Bucket {
    private var bucket: TokenBucket

    init(perSecond: Int, burstMilliseconds: Int, at now: UInt64) {
        bucket = TokenBucket(perSecond: perSecond, burstMilliseconds: burstMilliseconds, at: now)
    }

    func take(_ count: Int, at now: UInt64) { bucket.take(count, at: now) }
    func takeIfThere(at now: UInt64) -> Bool { bucket.takeIfThere(at: now) }
    func wait(at now: UInt64) -> Int { bucket.wait(at: now) }
    func waitUntilFull(at now: UInt64) -> Int { bucket.waitUntilFull(at: now) }
}

@Suite struct TokenBucketTests {
    @Test func whatWasSavedUpGoesAtOnceAndThenOneAtATime() {
        let bucket = Bucket(perSecond: 10, burstMilliseconds: 300, at: 1_000)
        #expect((0..<4).map { _ in bucket.takeIfThere(at: 1_000) } == [true, true, true, false])
        #expect(bucket.wait(at: 1_000) == 100)
        #expect(!bucket.takeIfThere(at: 1_099) && bucket.wait(at: 1_099) == 1)
        #expect(bucket.takeIfThere(at: 1_100) && !bucket.takeIfThere(at: 1_100))
    }

    @Test func whatIsTakenBeyondWhatThereIsHasToBeWaitedFor() {
        let bucket = Bucket(perSecond: 1_000, burstMilliseconds: 100, at: 0)
        bucket.take(1_100, at: 0)
        // A thousand are owed, and one has to be there.
        #expect(bucket.wait(at: 0) == 1_001)
        #expect(bucket.wait(at: 1_000) == 1)
        #expect(bucket.wait(at: 1_001) == 0 && bucket.takeIfThere(at: 1_001))
    }

    @Test func aRefusalTakesNothing() {
        let bucket = Bucket(perSecond: 2, burstMilliseconds: 1, at: 0)
        #expect(bucket.takeIfThere(at: 0))
        for now in UInt64(1)..<500 { #expect(!bucket.takeIfThere(at: now)) }
        #expect(bucket.takeIfThere(at: 500))
    }

    @Test func howeverLongTheSilenceTheBurstIsItsBound() {
        let bucket = Bucket(perSecond: 5, burstMilliseconds: 1_000, at: 0)
        for now in [0, 1_000_000_000, UInt64.max / 2, .max] {
            #expect((0..<6).count { _ in bucket.takeIfThere(at: now) } == 5)
        }
        // A clock that stands, or goes back, brings nothing.
        #expect(!bucket.takeIfThere(at: 0) && !bucket.takeIfThere(at: .max))
    }

    @Test func itIsFullWhenNothingIsKnownOfItAnyMore() {
        let bucket = Bucket(perSecond: 4, burstMilliseconds: 1_000, at: 10)
        #expect(bucket.waitUntilFull(at: 10) == 0)
        bucket.take(3, at: 10)
        #expect(bucket.waitUntilFull(at: 10) == 750 && bucket.waitUntilFull(at: 759) == 1)
        #expect(bucket.waitUntilFull(at: 760) == 0)
    }

    @Test func theLargestBoundsDoNotOverflow() {
        for (rate, burst) in [(1 << 40, 60_000), (Int.max, Int.max), (1, 1)] {
            let bucket = Bucket(perSecond: rate, burstMilliseconds: burst, at: 0)
            bucket.take(1 << 40, at: 1)
            #expect(bucket.takeIfThere(at: .max))
        }
    }

    /// Whoever asks as soon as it may gets the rate and not more, over any time: nothing drifts.
    @Test(arguments: [1, 3, 7, 333, 1_000, 12_345])
    func theRateIsKeptExactly(rate: Int) {
        let bucket = Bucket(perSecond: rate, burstMilliseconds: 1, at: 0)
        var random = SeededRandom(seed: UInt64(rate))
        var taken = 0
        var now: UInt64 = 0
        while now < 60_000 {
            while bucket.takeIfThere(at: now) { taken += 1 }
            now += UInt64(max(1, min(bucket.wait(at: now), Int.random(in: 1...50, using: &random))))
        }
        let full = 60 * rate
        // What it saves up is one millisecond's, so where tokens come faster than it is asked, some
        // are lost; never is there one too many.
        #expect(taken <= full + max(1, rate / 1_000))
        if rate < 20 { #expect(taken >= full - 1) }
    }
}
