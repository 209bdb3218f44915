public import FoundationEssentials

/// A store that any thread may use: the Sendable face of a `StoreCore`.
///
/// Actions are reduced in a total order, those of one sender first in, first out. Whoever
/// dispatches when nobody is at work reduces at once, on its own thread; what comes meanwhile is
/// reduced behind it. A dispatch from inside a reducer, a hook or a subscriber queues. An effect
/// never delays the next action. When the store goes away its effects are cancelled.
///
/// Source: Swift-Rex.
public final class Store<R: Reducer>: Sendable {
    /// What it holds.
    public typealias State = R.State
    /// What it reduces.
    public typealias Action = R.Action

    /// How many actions wait before whoever dispatches has to wait for the store.
    public static var queueLimit: Int { 65_536 }
    /// How many states `states` keeps for a slow reader before it loses the oldest.
    public static var defaultBufferLimit: Int { 64 }

    /// Events that reducers publish with `.publish(topic:event)`, and anything else.
    public let eventBus: EventBus
    @usableFromInline let turnstile: Turnstile<StoreJob<R>, StoreDesk<R>>
    @usableFromInline let timeTravel: TimeTravelPipelineHook<R.State, R.Action>?
    @usableFromInline let snapshot: StoreSnapshot<R.State>

    /// - Parameters:
    ///   - middlewares: see every action that is received, before the hooks.
    ///   - pipelineHooks: see every action, in this order.
    ///   - timeTravel: keeps the states, so that `undoTimeTravel` and its like can go back to them.
    ///   - label: names the store to hooks.
    ///   - clock: what timers and delays sleep by.
    ///   - now: the time that reducers see, cut to whole milliseconds.
    ///   - onFault: hears what went wrong where nobody waits for an answer: an effect that threw
    ///     without a `catch`, a dispatched action that was refused. Called on the thread that
    ///     reduces.
    @inlinable
    public init(
        initialState: R.State, reducer: R,
        middlewares: () -> [AnyMiddleware<R.State, R.Action>] = { [] },
        pipelineHooks: () -> [AnyPipelineHook<R.State, R.Action>] = { [] },
        timeTravel: TimeTravelPipelineHook<R.State, R.Action>? = nil, label: String = "Rex",
        eventBus: EventBus = EventBus(), clock: any Clock<Duration> = SystemClock(),
        now: @escaping @Sendable () -> Date = { Date() },
        onFault: @escaping @Sendable (StoreFault) -> Void = { _ in }
    ) {
        self.eventBus = eventBus
        self.timeTravel = timeTravel
        let snapshot = StoreSnapshot(initialState)
        self.snapshot = snapshot
        timeTravel?.begin(at: 0, state: initialState)
        // It comes first, so that no hook's abort keeps a commit from it.
        let hooks =
            (timeTravel.map { [AnyPipelineHook($0)] } ?? [])
            + middlewares().map { AnyPipelineHook(MiddlewarePipelineHook($0)) } + pipelineHooks()
        let inbox = StoreInbox<R>()
        let core = StoreCore(
            initialState: initialState, reducer: reducer, hooks: hooks, label: label, clock: clock,
            now: now, inbox: inbox.post)
        let subscribers = StoreSubscribers<R.State>()
        core.onCommit = { commit in
            let state = commit.state
            snapshot.replace(with: state)
            subscribers.tell(state)
        }
        core.onEvent = { event in eventBus.publish(event.value, topic: event.topic) }
        core.onFault = onFault
        turnstile = Turnstile(
            limit: Self.queueLimit, worker: StoreDesk(core: core, subscribers: subscribers)
        ) { job, desk in
            desk.perform(job)
        }
        inbox.connect(to: turnstile)
    }

    /// The state after the last commit. Never waits for an action that is being reduced.
    @inlinable public var state: R.State { snapshot.state }

    /// Has `action` reduced: at once, unless somebody is at work. A refusal goes to `onFault`.
    @inlinable
    public func dispatch(_ action: R.Action, from origin: Origin = .local) {
        turnstile.submit(.dispatch(action, origin))
    }

    /// Has `action` reduced and returns its revision.
    ///
    /// - Parameter waitForEffects: return only when the effects that end by themselves have ended,
    ///   those of the actions that they dispatch included. Where the task is cancelled they are.
    /// - Throws: what the reducer threw; `ActionAborted` where a hook stopped it; who waits for
    ///   effects also `CancellationError`.
    @discardableResult
    public func send(
        _ action: R.Action, from origin: Origin = .local, waitForEffects: Bool = false
    ) async throws -> Int {
        if waitForEffects { return try await sendAndWait(action, from: origin) }
        return try await withCheckedThrowingContinuation { continuation in
            turnstile.submit(.send(action, origin, continuation))
        }
    }

    /// Calls `subscriber` with the state of this moment and then with the state after each commit,
    /// every one once and in order, on the thread that reduces. Dispatching from inside is allowed.
    /// Keeping the token is only needed to end it.
    @discardableResult
    public func subscribe(
        _ subscriber: @escaping @Sendable (R.State) -> Void
    ) -> SubscriptionToken {
        let token = SubscriptionToken { [weak turnstile] in
            turnstile?.submit(.ask { $0.subscribers.sweep() })
        }
        turnstile.submit(
            .ask { desk in
                if token.isCancelled { return }
                subscriber(desk.core.state)
                desk.subscribers.add(token, subscriber)
            })
        return token
    }

    /// The state of this moment and those after each commit, in order. A reader that is behind by
    /// more than `defaultBufferLimit` loses the oldest. Ending the loop ends the subscription; the
    /// end of the store ends the loop.
    public var states: AsyncStream<R.State> { states(bufferLimit: Self.defaultBufferLimit) }

    /// As `states`, with a buffer of another size.
    public func states(bufferLimit: Int) -> AsyncStream<R.State> {
        StreamOrigin.stream(bufferLimit: bufferLimit) { subscribe($0) }
    }

    /// The same as `eventBus`, as Swift-Rex calls it.
    public func getEventBus() -> EventBus { eventBus }
}
