import Synchronization

/// The clock of the system, for any number of sleeps that are cancelled long before their time.
///
/// It shows the time of `ContinuousClock`, and wakes as exactly. Of a sleep by that clock that is
/// cancelled Swift's runtime keeps some 700 bytes until its deadline: a timer of an hour that is
/// started and cancelled a thousand times a second would come to two gigabytes. Here a sleeper is
/// gone once it is cancelled. All of them share a few real sleeps.
///
/// Stores, composers and reactors sleep by it where no other clock is given.
public struct SystemClock: Clock {
    /// A moment, as that of `ContinuousClock`.
    public typealias Instant = ContinuousClock.Instant

    private static let sleepers = SystemSleepers()

    /// The clock: all of them are one.
    public init() {}

    /// This moment.
    public var now: Instant { ContinuousClock().now }

    /// That of `ContinuousClock`.
    public var minimumResolution: Duration { ContinuousClock().minimumResolution }

    /// Returns at `deadline` or a little later; throws at once where the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await Self.sleepers.sleep(until: deadline)
    }

    /// How many tasks sleep by it.
    static var sleeperCount: Int { sleepers.count }
}

/// Who sleeps by the clock of the system, and the real sleeps that wake them.
private final class SystemSleepers: Sendable {
    /// What is nearer is slept for as it is. For what is further away half the time is slept, and
    /// then one looks again: so of real sleeps that turn out to be too long, as somebody else has
    /// an earlier deadline, each is half as long as the one before, and few are left at a time.
    private static let nearLimit = Duration.milliseconds(50)

    private typealias Sleep = CheckedContinuation<Void, any Error>

    /// Sleepers by deadline, those of one deadline in the order in which they came.
    private struct Key: Comparable {
        let deadline: ContinuousClock.Instant
        let number: UInt64

        static func < (one: Key, other: Key) -> Bool {
            (one.deadline, one.number) < (other.deadline, other.number)
        }
    }

    private struct Bed {
        var sleeps = TreeMap<Key, Sleep>()
        var lastNumber: UInt64 = 0
        /// When the next real sleep ends; nil where none is under way.
        var alarm: ContinuousClock.Instant?

        mutating func takeDue(at now: ContinuousClock.Instant) -> [Sleep] {
            var due: [Sleep] = []
            while let first = sleeps.first, first.key.deadline <= now {
                due.append(sleeps.remove(at: 0).value)
            }
            return due
        }

        /// Until when to sleep for the next deadline; nil where somebody will look before it.
        mutating func nextAlarm(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
            guard let deadline = sleeps.first?.key.deadline else { return nil }
            if let alarm, alarm <= deadline { return nil }
            let left = now.duration(to: deadline)
            alarm = left <= nearLimit ? deadline : now.advanced(by: left / 2)
            return alarm
        }
    }

    private let bed = Mutex(Bed())

    var count: Int { bed.withLock { $0.sleeps.count } }

    func sleep(until deadline: ContinuousClock.Instant) async throws {
        let number = bed.withLock { bed in
            bed.lastNumber += 1
            return bed.lastNumber
        }
        let key = Key(deadline: deadline, number: number)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { fallAsleep(key, $0) }
        } onCancel: {
            let sleep = bed.withLock { $0.sleeps.removeValue(forKey: key) }
            sleep?.resume(throwing: CancellationError())
        }
    }

    private func fallAsleep(_ key: Key, _ sleep: Sleep) {
        enum Entry { case cancelled, due, asleep(alarm: ContinuousClock.Instant?) }
        let now = ContinuousClock.now
        // Looked at under the lock: whoever cancels after this finds the sleeper.
        let entry = bed.withLock { bed -> Entry in
            if Task.isCancelled { return .cancelled }
            if key.deadline <= now { return .due }
            bed.sleeps[key] = sleep
            return .asleep(alarm: bed.nextAlarm(at: now))
        }
        switch entry {
        case .cancelled: sleep.resume(throwing: CancellationError())
        case .due: sleep.resume()
        case .asleep(let alarm): if let alarm { set(alarm) }
        }
    }

    private func set(_ alarm: ContinuousClock.Instant) {
        Task.detached { [self] in
            try? await ContinuousClock().sleep(until: alarm)
            ring(alarm)
        }
    }

    private func ring(_ alarm: ContinuousClock.Instant) {
        let now = ContinuousClock.now
        let (due, next) = bed.withLock { bed in
            if bed.alarm == alarm { bed.alarm = nil }
            return (bed.takeDue(at: now), bed.nextAlarm(at: now))
        }
        for sleep in due { sleep.resume() }
        if let next { set(next) }
    }
}
