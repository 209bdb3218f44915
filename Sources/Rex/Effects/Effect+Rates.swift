import Synchronization

extension Effect {
    /// Does `effect`, and again one `interval` after it has ended, until it is cancelled or was
    /// done `count` times. Ends by itself only with a `count`. A time that fails ends it.
    ///
    /// Source: Swift-Rex.
    public static func repeating(
        _ effect: Effect, interval: Duration, count: Int? = nil
    ) -> Effect {
        precondition(
            interval > .zero || count != nil,
            "an effect that repeats for ever needs an interval, not \(interval)")
        return Effect(plan: .repeating(effect, Repetition(interval: interval, count: count)))
    }

    /// As `repeating`, with the interval in seconds.
    public static func repeating(
        _ effect: Effect, interval: Double, count: Int? = nil
    ) -> Effect {
        repeating(effect, interval: .seconds(interval), count: count)
    }

    /// Does the effect once nothing more came under this id for `duration`: each one that comes
    /// takes the place of the one that waits or runs.
    public func debounce(id: EffectID, for duration: Duration) -> Effect {
        Effect.sequence(.pause(duration), self).cancellable(id: id, cancelInFlight: true)
    }

    /// Does the effect at once, and lets no more through under this id for `duration`.
    ///
    /// - Parameter latest: what came meanwhile is done at the end, the last of it, and the time
    ///   begins again; otherwise it is dropped.
    public func throttle(id: EffectID, for duration: Duration, latest: Bool = true) -> Effect {
        precondition(duration > .zero, "nothing can be throttled for \(duration)")
        return Effect(
            plan: .throttle(self, Throttling(id: id, duration: duration, latest: latest)))
    }

    /// Dispatches `action` where `condition` holds. Asked in the effect's task.
    ///
    /// Source: Swift-Rex.
    public static func conditional(
        _ condition: @escaping @Sendable () -> Bool, action: Action
    ) -> Effect {
        conditional(condition, then: .send(action))
    }

    /// Does one of two effects. Asked in the effect's task.
    public static func conditional(
        _ condition: @escaping @Sendable () -> Bool, then effect: Effect, else other: Effect = .none
    ) -> Effect {
        Effect { $0.run(condition() ? effect : other) }
    }

    /// Dispatches what `transform` makes of each element of a sequence, leaving out nil; ends with
    /// it. Long-lived: nobody waits for its end.
    ///
    /// Source: Swift-Rex.
    public static func fromSequence<S: AsyncSequence & Sendable>(
        _ elements: S, id: EffectID? = nil, cancelInFlight: Bool = false,
        map transform: @escaping @Sendable (S.Element) -> Action?
    ) -> Effect where S.AsyncIterator: SendableMetatype {
        .work(
            id: id, cancelInFlight: cancelInFlight, isLongLived: true, isFollowing: true,
            prepare: { _ in { try await $0.send(each: elements, as: transform) } },
            recover: nil)
    }

    /// Nothing, for a while that counts from now.
    static func pause(_ duration: Duration) -> Effect {
        timer(Effect.none, dueTime: duration)
    }
}

/// How an effect is done again.
struct Repetition: Sendable {
    let interval: Duration
    /// How often in all; nil for ever.
    let count: Int?
}

/// What one id may do in a time.
struct Throttling: Sendable {
    let id: EffectID
    let duration: Duration
    let latest: Bool
}

/// The time during which a throttled id lets nothing through, and what came meanwhile.
final class ThrottleWindow<Action: Sendable>: Sendable {
    private struct Gate {
        var isOpen = true
        var waiting: Effect<Action>?
    }

    private let gate = Mutex(Gate())

    /// False where the window is over: then `effect` begins another.
    func hold(_ effect: Effect<Action>, latest: Bool) -> Bool {
        gate.withLock { gate in
            if gate.isOpen && latest { gate.waiting = effect }
            return gate.isOpen
        }
    }

    /// What came meanwhile; where nothing did the window is over.
    func next() -> Effect<Action>? {
        gate.withLock { gate in
            gate.isOpen = gate.waiting != nil
            return gate.waiting.take()
        }
    }

    /// Waits for the end of each window, and lets through what came meanwhile.
    func work(_ duration: Duration) -> EffectWork<Action> {
        EffectWork(
            isLongLived: false, prepare: { clock in self.waiting(on: clock, for: duration) },
            recover: nil)
    }

    private func waiting<C: Clock>(
        on clock: C, for duration: Duration
    ) -> EffectWork<Action>.Operation where C.Duration == Duration {
        let first = clock.deadline(after: duration)
        return { [self] emitter in
            var deadline = first
            while true {
                try await clock.sleep(until: deadline, tolerance: nil)
                guard let effect = next() else { return }
                emitter.run(effect)
                deadline = clock.deadline(after: duration)
            }
        }
    }
}
