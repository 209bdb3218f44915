import Synchronization

/// A clock that stands still until a test moves it.
///
/// A store that is given one sleeps by it: `await clock.waitForSleepers(1)`, then
/// `clock.advance(by: .seconds(1))`. Nothing here waits for real time to pass; a wait for tasks
/// that do not come fails the test.
public final class TestClock: Clock, Sendable {
    /// How long tasks have to fall asleep, in real time, where nothing else is said.
    public static var defaultTimeout: Duration { .seconds(30) }

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

    private enum WaitEnd {
        case content, cancelled, late
    }

    private struct Waiter {
        let count: Int
        let continuation: CheckedContinuation<WaitEnd, Never>
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

    /// When the first of those who sleep is to wake.
    var nextDeadline: Instant? { time.withLock { $0.sleepers.values.map(\.deadline).min() } }

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
        case nil:
            for waiter in content { waiter.continuation.resume(returning: .content) }
        }
    }

    /// Moves the clock and wakes whoever's deadline has come, the earliest first. Returns at once:
    /// what they do then takes its time. An interval that is late by several periods ticks once;
    /// `advance(by:keeping:)` lets each tick come.
    public func advance(by duration: Duration = .zero) {
        precondition(duration >= .zero, "a clock does not go back, by \(duration)")
        let due = time.withLock { time in
            time.now = time.now.advanced(by: duration)
            return time.takeDue()
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    /// Moves the clock from deadline to deadline, and before each waits until `count` tasks sleep:
    /// for timers that go on ticking. So each of their ticks comes, also where a timer was started
    /// in the line before and does not sleep yet. Fails the test as `waitForSleepers` does.
    public func advance(
        by duration: Duration, keeping count: Int, timeout: Duration = TestClock.defaultTimeout,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) async {
        let place = TestFailure("", fileID: fileID, filePath: filePath, line: line, column: column)
        let end = now.advanced(by: duration)
        while await areAsleep(count, timeout: timeout, at: place) {
            guard let next = nextDeadline, next <= end else { break }
            advance(by: now.duration(to: next))
        }
        if !Task.isCancelled { advance(by: now.duration(to: end)) }
    }

    /// Moves the clock to the last deadline, so that everybody who sleeps now wakes.
    public func run() {
        let last = time.withLock { time in time.sleepers.values.map(\.deadline).max() ?? time.now }
        advance(by: now.duration(to: last))
    }

    /// Returns once at least `count` tasks sleep, or the calling task is cancelled. Where too few
    /// sleep after `timeout`, which is real time, the test fails.
    public func waitForSleepers(
        _ count: Int, timeout: Duration = TestClock.defaultTimeout,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) async {
        let place = TestFailure("", fileID: fileID, filePath: filePath, line: line, column: column)
        _ = await areAsleep(count, timeout: timeout, at: place)
    }

    /// True once so many tasks sleep; false where the calling task was cancelled, or the test
    /// failed.
    private func areAsleep(
        _ count: Int, timeout: Duration, at place: TestFailure
    ) async -> Bool {
        let number = time.withLock { $0.number() }
        var alarm: Task<Void, any Error>?
        let end = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let end = time.withLock { time -> WaitEnd? in
                    if Task.isCancelled { return .cancelled }
                    if time.sleepers.count >= count { return .content }
                    time.waiters[number] = Waiter(count: count, continuation: continuation)
                    return nil
                }
                if let end { return continuation.resume(returning: end) }
                alarm = Task.detached {
                    try await ContinuousClock().sleep(for: timeout)
                    self.stopWaiting(number, .late)
                }
            }
        } onCancel: {
            stopWaiting(number, .cancelled)
        }
        alarm?.cancel()
        if end == .late {
            TestFailure(
                """
                Waited \(timeout) until \(count) \(count == 1 ? "task sleeps" : "tasks sleep") by \
                the clock: there \(sleepers == 1 ? "is" : "are") \(sleepers).

                Was the timer started, and does it sleep by this clock?
                """, fileID: place.fileID, filePath: place.filePath, line: place.line,
                column: place.column
            ).record()
        }
        return end == .content
    }

    private func stopWaiting(_ number: UInt64, _ end: WaitEnd) {
        let waiter = time.withLock { $0.waiters.removeValue(forKey: number) }
        waiter?.continuation.resume(returning: end)
    }
}
