import Synchronization

/// A clock that stands still until a test moves it.
///
/// A store that is given one sleeps by it: `await clock.waitForSleepers(1)`, then
/// `clock.advance(by: .seconds(1))`. Nothing here waits for real time.
public final class TestClock: Clock, Sendable {
    /// A moment: the time since the clock was made.
    public struct Instant: InstantProtocol {
        /// How far the clock had been moved.
        public let offset: Duration

        /// The moment when the clock had been moved so far.
        public init(offset: Duration) {
            self.offset = offset
        }

        /// The moment that much later.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        /// How much later `other` is.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Whether one is earlier.
        public static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private struct Sleeper {
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Waiter {
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct Time {
        var now = Instant(offset: .zero)
        var lastNumber: UInt64 = 0
        var sleepers: [UInt64: Sleeper] = [:]
        var waiters: [UInt64: Waiter] = [:]

        mutating func number() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }

        /// Those whose deadline has come, the earliest first.
        mutating func takeDue() -> [Sleeper] {
            let due = sleepers.filter { $0.value.deadline <= now }
                .sorted { ($0.value.deadline, $0.key) < ($1.value.deadline, $1.key) }
            for (number, _) in due { sleepers[number] = nil }
            return due.map(\.value)
        }

        mutating func takeContent() -> [Waiter] {
            let content = waiters.filter { $0.value.count <= sleepers.count }
            for number in content.keys { waiters[number] = nil }
            return Array(content.values)
        }
    }

    private let time = Mutex(Time())

    /// A clock that nobody has moved.
    public init() {}

    /// Where the clock stands.
    public var now: Instant { time.withLock { $0.now } }

    /// One nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// How many tasks sleep by this clock.
    public var sleepers: Int { time.withLock { $0.sleepers.count } }

    /// Returns once the clock was moved to `deadline`; throws where the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let number = time.withLock { $0.number() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                fallAsleep(number, until: deadline, continuation)
            }
        } onCancel: {
            let sleeper = time.withLock { $0.sleepers.removeValue(forKey: number) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    private func fallAsleep(
        _ number: UInt64, until deadline: Instant,
        _ continuation: CheckedContinuation<Void, any Error>
    ) {
        // Looked at under the lock: whoever cancels after this finds the sleeper.
        let (isCancelled, content) = time.withLock { time -> (Bool?, [Waiter]) in
            if Task.isCancelled { return (true, []) }
            if deadline <= time.now { return (false, []) }
            time.sleepers[number] = Sleeper(deadline: deadline, continuation: continuation)
            return (nil, time.takeContent())
        }
        switch isCancelled {
        case true?: continuation.resume(throwing: CancellationError())
        case false?: continuation.resume()
        case nil: for waiter in content { waiter.continuation.resume() }
        }
    }

    /// Moves the clock and wakes whoever's deadline has come, the earliest first. Returns at once:
    /// what they do then takes its time. An interval that is late by several periods ticks once;
    /// to see each tick, advance by one period and wait for it to sleep again.
    public func advance(by duration: Duration = .zero) {
        precondition(duration >= .zero, "a clock does not go back, by \(duration)")
        let due = time.withLock { time in
            time.now = time.now.advanced(by: duration)
            return time.takeDue()
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Moves the clock from deadline to deadline, and after each waits until as many tasks as
    /// before sleep again: for timers that go on ticking.
    public func advance(by duration: Duration, keeping count: Int) async {
        let end = now.advanced(by: duration)
        while true {
            let next = time.withLock { $0.sleepers.values.map(\.deadline).min() }
            guard let next, next <= end else { break }
            advance(by: now.duration(to: next))
            await waitForSleepers(count)
            if Task.isCancelled { return }
        }
        advance(by: now.duration(to: end))
    }

    /// Moves the clock to the last deadline, so that everybody who sleeps now wakes.
    public func run() {
        let last = time.withLock { time in time.sleepers.values.map(\.deadline).max() ?? time.now }
        advance(by: now.duration(to: last))
    }

    /// Returns once at least `count` tasks sleep, or the calling task is cancelled.
    public func waitForSleepers(_ count: Int) async {
        let number = time.withLock { $0.number() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isContent = time.withLock { time in
                    if Task.isCancelled || time.sleepers.count >= count { return true }
                    time.waiters[number] = Waiter(count: count, continuation: continuation)
                    return false
                }
                if isContent { continuation.resume() }
            }
        } onCancel: {
            let waiter = time.withLock { $0.waiters.removeValue(forKey: number) }
            waiter?.continuation.resume()
        }
    }
}
