/// How a running effect speaks to its store. Any thread may use it; each call is one entry in the
/// owner's inbox. After the effect has ended or was cancelled everything is dropped.
///
/// Source: Swift-Rex (`send`), RxCompose (`onNext`).
public struct EffectEmitter<Action: Sendable>: Sendable {
    let emit: @Sendable (EffectSignal<Action>) -> Void
    let lease: EffectLease
    /// What the effects of the store sleep by: in a test, a clock that the test moves.
    public let clock: any Clock<Duration>

    /// Dispatches `action`. Actions of one task arrive in the order in which they were sent.
    public func send(_ action: Action) {
        emit(.action(action))
    }

    /// The same as `send`.
    public func callAsFunction(_ action: Action) {
        emit(.action(action))
    }

    /// Has the store do `effect` as a part of this one: cancelled with it, and this effect has not
    /// ended before it. A long-lived effect becomes one of its own.
    public func run(_ effect: Effect<Action>) {
        if case .none = effect.plan { return }
        if case .send(let actions) = effect.plan, actions.count == 1 {
            emit(.action(actions[0]))
        } else {
            emit(.effect(effect))
        }
    }

    /// The same as `run`, as RxCompose calls it.
    public func onNext(_ effect: Effect<Action>) {
        run(effect)
    }

    /// Publishes a typed event on the store's event bus.
    public func publish(topic: String, event: some Sendable) {
        emit(.effect(.publish(topic: topic, event: event)))
    }

    /// Sleeps by the store's clock, from now on. Work that waits so, and not by `Task.sleep`, needs
    /// no real time in a test.
    ///
    /// - Throws: `CancellationError` where the effect is cancelled.
    public func sleep(for duration: Duration) async throws {
        try await clock.sleep(for: duration)
    }

    /// Returns when the store has taken up what this effect sent, but for a few: at once as long as
    /// fewer than `EffectEmitter.inFlightLimit` wait. A loop that could send faster than the store
    /// reduces awaits it; streams do so by themselves.
    public func room() async {
        await lease.room()
    }

    /// Sends what `transform` makes of each element, leaving out nil, no faster than the store
    /// takes it up. Done with the last one, or when nobody listens any more: a sequence need not
    /// notice that its task was cancelled.
    func send<S: AsyncSequence>(
        each elements: S, as transform: (S.Element) -> Action?
    ) async throws {
        for try await element in elements {
            if isOver { return }
            guard let action = transform(element) else { continue }
            send(action)
            await room()
        }
    }

    /// How many of one effect's signals wait in the owner's inbox before `room` makes it wait.
    public static var inFlightLimit: Int { EffectLease.inFlightLimit }

    /// True once the effect has ended or was cancelled.
    public var isOver: Bool { lease.isOver }

    /// For an operation that speaks in other actions.
    func accepting<Other: Sendable>(
        _ transform: @escaping @Sendable (Other) -> Action
    ) -> EffectEmitter<Other> {
        EffectEmitter<Other>(
            emit: { [emit] signal in
                switch signal {
                case .action(let action): emit(.action(transform(action)))
                case .effect(let effect): emit(.effect(effect.map(transform)))
                case .ended: emit(.ended)
                case .failed(let error): emit(.failed(error))
                }
            },
            lease: lease, clock: clock)
    }
}

/// What a running effect has to say, on its way through the owner's inbox to `StoreCore.receive`.
public struct EffectEvent<Action: Sendable>: Sendable {
    let number: UInt64
    let signal: EffectSignal<Action>

    /// True where nothing comes after it.
    var isLast: Bool {
        switch signal {
        case .action, .effect: false
        case .ended, .failed: true
        }
    }
}

enum EffectSignal<Action: Sendable>: Sendable {
    case action(Action)
    case effect(Effect<Action>)
    case ended
    case failed(any Error)
}
