import Synchronization

/// A store, or the part of one that somebody needs to know: a state, and actions.
///
/// Lives on the main actor, for those who show something. Who sends an action sees the state that
/// it made in the next line; what other threads and effects dispatch is seen a hop later, and of
/// several states that came meanwhile only the last.
///
/// Source: what `Store` and `ViewStore` are to ComposableUIKit.
@MainActor
public final class ScopedStore<State: Equatable, Action> {
    /// The state of this moment. Of a part that is not there any more, the last that it had.
    public var state: State { read() }
    /// The state of this moment and those after it, each another than the one before.
    public let states: Flow<State>

    private let read: @MainActor () -> State
    private let perform: @MainActor (Action) -> Void
    /// What `states` comes from.
    private let origin: AnyObject?

    init(
        origin: AnyObject?, read: @escaping @MainActor () -> State, states: Flow<State>,
        perform: @escaping @MainActor (Action) -> Void
    ) {
        self.origin = origin
        self.read = read
        self.states = states
        self.perform = perform
    }

    /// Has the store reduce `action`.
    public func send(_ action: Action) {
        perform(action)
    }

    /// A part of it: what `toLocalState` finds in the state; what is sent to the part becomes an
    /// action of the whole.
    public func scope<LocalState: Equatable & SendableMetatype, LocalAction>(
        state toLocalState: @escaping @MainActor (State) -> LocalState,
        action fromLocalAction: @escaping @MainActor (LocalAction) -> Action
    ) -> ScopedStore<LocalState, LocalAction> {
        ScopedStore<LocalState, LocalAction>(
            origin: self, read: { [self] in toLocalState(state) },
            states: states.map(toLocalState).distinctUntilChanged(by: ==),
            perform: { [self] in send(fromLocalAction($0)) })
    }

    /// A part that is there only now and then; nil where it is not there now.
    public func scopeIfPresent<LocalState: Equatable & SendableMetatype, LocalAction>(
        state toLocalState: @escaping @MainActor (State) -> LocalState?,
        action fromLocalAction: @escaping @MainActor (LocalAction) -> Action
    ) -> ScopedStore<LocalState, LocalAction>? {
        guard let first = toLocalState(state) else { return nil }
        let last = LastState(first)
        return ScopedStore<LocalState, LocalAction>(
            origin: self,
            read: { [self] in
                if let local = toLocalState(state) { last.state = local }
                return last.state
            },
            states: states.compactMap(toLocalState).distinctUntilChanged(by: ==),
            perform: { [self] in send(fromLocalAction($0)) })
    }
}

extension ScopedStore where State: Statable {
    /// All of `store`, which this keeps.
    public convenience init<R: Reducer>(_ store: Store<R>)
    where R.State == State, R.Action == Action {
        let mirror = StoreMirror(store)
        self.init(
            origin: mirror, read: { mirror.state }, states: mirror.source.flow,
            perform: { action in
                store.dispatch(action)
                mirror.refresh()
            })
    }
}

extension ScopedStore where State: Sendable, Action: Sendable {
    /// All of `composer`, which this keeps.
    public convenience init<C: Composer>(
        _ composer: C, states: Flow<State>
    ) where C.State == State, C.Action == Action {
        self.init(
            origin: composer, read: { composer.state }, states: states.distinctUntilChanged(by: ==),
            perform: { composer.send($0) })
    }
}

/// The last state of a part.
@MainActor
private final class LastState<State> {
    var state: State

    init(_ state: State) {
        self.state = state
    }
}

/// What the main actor knows of a store that any thread uses.
@MainActor
private final class StoreMirror<R: Reducer> {
    private(set) var state: R.State
    let source: FlowSource<R.State>
    private let store: Store<R>
    private var token: SubscriptionToken?

    init(_ store: Store<R>) {
        self.store = store
        state = store.state
        source = FlowSource(state)
        let bell = Bell { [weak self] in self?.refresh() }
        token = store.subscribe { _ in bell.ring() }
    }

    deinit {
        token?.cancel()
    }

    func refresh() {
        let next = store.state
        if next == state { return }
        state = next
        source.send(next)
    }
}

/// Has the main actor do something soon: once for any number of rings before it does.
private final class Bell: Sendable {
    private let hasRung = Atomic<Bool>(false)
    private let answer: @MainActor @Sendable () -> Void

    init(_ answer: @escaping @MainActor @Sendable () -> Void) {
        self.answer = answer
    }

    func ring() {
        if hasRung.exchange(true, ordering: .acquiringAndReleasing) { return }
        Task { @MainActor in
            hasRung.store(false, ordering: .releasing)
            answer()
        }
    }
}
