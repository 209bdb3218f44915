import Synchronization

/// What waits for its turn at a store.
@usableFromInline
enum StoreJob<R: Reducer>: Sendable {
    case dispatch(R.Action, Origin)
    case send(R.Action, Origin, CheckedContinuation<Int, any Error>)
    case event(EffectEvent<R.Action>)
    case ask(@Sendable (StoreDesk<R>) -> Void)
}

/// The core of a store and its subscribers, which only whoever is at work may touch.
@usableFromInline
struct StoreDesk<R: Reducer> {
    @usableFromInline let core: StoreCore<R>
    @usableFromInline let subscribers: StoreSubscribers<R.State>
    @usableFromInline let waits = StoreWaits()

    @inlinable
    init(core: StoreCore<R>, subscribers: StoreSubscribers<R.State>) {
        self.core = core
        self.subscribers = subscribers
    }

    @inlinable
    func perform(_ job: StoreJob<R>) {
        switch job {
        case .dispatch(let action, let origin):
            core.report(core.dispatch(action, from: origin), of: origin)
        case .send(let action, let origin, let continuation):
            send(action, from: origin, continuation)
        case .event(let event):
            core.receive(event)
        case .ask(let question):
            question(self)
        }
    }

    @usableFromInline
    func send(
        _ action: R.Action, from origin: Origin, _ continuation: CheckedContinuation<Int, any Error>
    ) {
        if let revision = revision(of: core.dispatch(action, from: origin), for: continuation) {
            continuation.resume(returning: revision)
        }
    }
}

/// The last state, for readers that do not wait for whoever is at work.
@usableFromInline
final class StoreSnapshot<State: Statable>: Sendable {
    @usableFromInline let value: Mutex<State>

    @inlinable
    init(_ state: State) {
        value = Mutex(state)
    }

    @inlinable var state: State { value.withLock { $0 } }

    @inlinable
    func replace(with state: State) {
        // The old one is let go of outside the lock: to free a large state takes its time.
        let old = value.withLock { value in
            let old = value
            value = state
            return old
        }
        _ = old
    }
}

/// Who is told of each state, in the order in which they subscribed.
@usableFromInline
final class StoreSubscribers<State: Statable> {
    @usableFromInline var all: [(token: SubscriptionToken, call: @Sendable (State) -> Void)] = []

    @inlinable init() {}

    func add(_ token: SubscriptionToken, _ call: @escaping @Sendable (State) -> Void) {
        all.append((token, call))
    }

    @inlinable
    func tell(_ state: State) {
        for subscriber in all where !subscriber.token.isCancelled { subscriber.call(state) }
    }

    /// Forgets whoever has cancelled.
    func sweep() {
        all.removeAll { $0.token.isCancelled }
    }
}

/// The way from running effects to the store, which they do not keep alive.
@usableFromInline
final class StoreInbox<R: Reducer>: Sendable {
    private struct Target {
        weak var turnstile: Turnstile<StoreJob<R>, StoreDesk<R>>?
    }

    private let target = Mutex(Target())

    @usableFromInline
    init() {}

    @usableFromInline
    func connect(to turnstile: Turnstile<StoreJob<R>, StoreDesk<R>>) {
        target.withLock { $0.turnstile = turnstile }
    }

    @usableFromInline var post: @Sendable (EffectEvent<R.Action>) -> Void {
        { [self] event in
            let turnstile = target.withLock { $0.turnstile }
            turnstile?.submit(.event(event))
        }
    }
}
