extension Effect {
    /// The longest that a timer, a period, a delay or a window lasts, 100 years: what is longer is
    /// cut to it. A clock of the system traps, or wakes at once, where a deadline does not fit its
    /// numbers.
    public static var waitLimit: Duration { longestWait }

    /// Dispatches `action` once, `delay` after the commit. Ends by itself.
    public static func delayed(
        _ action: Action, delay: Duration, id: EffectID? = nil, cancelInFlight: Bool = false
    ) -> Effect {
        timer(
            .send(action), id: id, dueTime: delay, period: nil, cancelInFlight: cancelInFlight)
    }

    /// Dispatches `action` once, `delay` seconds after the commit. Ends by itself.
    ///
    /// Source: Swift-Rex.
    public static func delayed(
        _ action: Action, delay: Double, id: EffectID? = nil, cancelInFlight: Bool = false
    ) -> Effect {
        delayed(action, delay: .seconds(delay), id: id, cancelInFlight: cancelInFlight)
    }

    /// Does `effect` once `dueTime` after the commit and then every `period`, until cancelled;
    /// without a period once, and then it ends by itself.
    ///
    /// Keeps to absolute deadlines: tick k is due at `dueTime + k × period`, however long the ticks
    /// before took. Ticks that were missed are skipped, not made up. A due time that is past is
    /// now; a period that is not above 0 is a precondition failure.
    ///
    /// Source: RxCompose, `.timer(.send(.tick), dueTime:period:)`.
    public static func timer(
        _ effect: Effect, id: EffectID? = nil, dueTime: Duration, period: Duration? = nil,
        cancelInFlight: Bool = false
    ) -> Effect {
        if let period {
            precondition(period > .zero, "a timer's period must be positive, not \(period)")
        }
        return .work(
            id: id, cancelInFlight: cancelInFlight, isLongLived: period != nil,
            prepare: { clock in ticking(effect, on: clock, after: dueTime, every: period) },
            recover: nil)
    }

    /// Dispatches `action` once `dueTime` after the commit and then every `period`.
    public static func timer(
        _ action: Action, id: EffectID? = nil, dueTime: Duration, period: Duration? = nil,
        cancelInFlight: Bool = false
    ) -> Effect {
        timer(
            .send(action), id: id, dueTime: dueTime, period: period, cancelInFlight: cancelInFlight)
    }

    /// Does `effect` every `period`, the first time one period after the commit, until cancelled.
    ///
    /// Source: RxCompose.
    public static func interval(
        _ effect: Effect, id: EffectID? = nil, period: Duration, cancelInFlight: Bool = false
    ) -> Effect {
        timer(effect, id: id, dueTime: period, period: period, cancelInFlight: cancelInFlight)
    }

    /// Dispatches `action` every `period`, the first time one period after the commit.
    public static func interval(
        _ action: Action, id: EffectID? = nil, period: Duration, cancelInFlight: Bool = false
    ) -> Effect {
        interval(.send(action), id: id, period: period, cancelInFlight: cancelInFlight)
    }

    /// Fixes the first deadline now and returns what waits for it.
    private static func ticking<C: Clock>(
        _ effect: Effect, on clock: C, after dueTime: Duration, every period: Duration?
    ) -> EffectWork<Action>.Operation where C.Duration == Duration {
        let first = clock.deadline(after: dueTime)
        let period = period.map { min($0, longestWait) }
        return { emitter in
            var deadline = first
            while true {
                try await clock.sleep(until: deadline, tolerance: nil)
                emitter.run(effect)
                guard let period else { return }
                deadline = deadline.advanced(by: period)
                let late = deadline.duration(to: clock.now)
                if late >= .zero {
                    deadline = deadline.advanced(by: period.firstMultiple(above: late))
                }
            }
        }
    }
}

/// See `Effect.waitLimit`.
let longestWait = Duration.seconds(100 * 365 * 86_400)

extension Clock where Duration == Swift.Duration {
    /// The moment that much later than now, at most `longestWait`; now where that is past.
    func deadline(after wait: Duration) -> Instant {
        now.advanced(by: min(max(wait, .zero), longestWait))
    }
}

extension Duration {
    /// The least whole number of times this, which is above 0, that is longer than `other`, which
    /// is not below it. Counted exactly: a Double would sometimes be one short.
    fileprivate func firstMultiple(above other: Duration) -> Duration {
        Duration(attoseconds: (other.attoseconds / attoseconds + 1) * attoseconds)
    }
}
