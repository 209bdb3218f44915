public import FoundationEssentials

/// A store whose state has a graph: it moves about in it, and ends the effects of nodes that are
/// not there any more.
///
/// Source: Swift-Rex.
public final class GraphStore<R: Reducer>: Sendable where R.State: GraphStateContainer {
    /// The store itself.
    public let store: Store<R>
    /// Ends the effects of nodes that have gone.
    public let lifecycleHook: GraphLifecyclePipelineHook<R.State, R.Action>
    private let embed: @Sendable (GraphAction) -> R.Action

    /// - Parameters:
    ///   - embedGraphAction: makes an action of the store of a move in the graph.
    ///   - pipelineHooks: see every action, in this order; the graph's own comes after them.
    ///
    /// The others are as for `Store`.
    public init(
        initialState: R.State, reducer: R,
        embedGraphAction: @escaping @Sendable (GraphAction) -> R.Action,
        middlewares: () -> [AnyMiddleware<R.State, R.Action>] = { [] },
        pipelineHooks: () -> [AnyPipelineHook<R.State, R.Action>] = { [] },
        timeTravel: TimeTravelPipelineHook<R.State, R.Action>? = nil, label: String = "Rex",
        eventBus: EventBus = EventBus(), clock: any Clock<Duration> = SystemClock(),
        now: @escaping @Sendable () -> Date = { Date() },
        onFault: @escaping @Sendable (StoreFault) -> Void = { _ in }
    ) {
        let lifecycleHook = GraphLifecyclePipelineHook<R.State, R.Action>()
        self.lifecycleHook = lifecycleHook
        embed = embedGraphAction
        store = Store(
            initialState: initialState, reducer: reducer, middlewares: middlewares,
            pipelineHooks: { pipelineHooks() + [AnyPipelineHook(lifecycleHook)] },
            timeTravel: timeTravel, label: label, eventBus: eventBus, clock: clock, now: now,
            onFault: onFault)
    }

    /// The state after the last commit.
    public var state: R.State { store.state }

    /// The graph after the last commit.
    public var graph: StateGraph { store.state.graph }

    /// Has `action` reduced, as `Store.dispatch`.
    public func dispatch(_ action: R.Action) { store.dispatch(action) }

    /// Has `action` reduced and returns its revision, as `Store.send`.
    @discardableResult
    public func send(_ action: R.Action, waitForEffects: Bool = false) async throws -> Int {
        try await store.send(action, waitForEffects: waitForEffects)
    }

    /// Makes a node the active one.
    public func push(_ id: GraphNodeID) { dispatch(embed(.push(id))) }

    /// Goes back by one.
    public func pop() { dispatch(embed(.pop)) }

    /// Goes back to a node of the path; a node that is not there is refused.
    public func popTo(_ id: GraphNodeID) { dispatch(embed(.popTo(id))) }

    /// Goes back to the root.
    public func popToRoot() { dispatch(embed(.popToRoot)) }

    /// Ends every effect with this id.
    public func cancelEffect(id: EffectID) { store.cancelEffect(id: id) }

    /// Calls `subscriber` with this state and each that follows, as `Store.subscribe`.
    @discardableResult
    public func subscribe(
        _ subscriber: @escaping @Sendable (R.State) -> Void
    ) -> SubscriptionToken {
        store.subscribe(subscriber)
    }

    /// The store's events.
    public func getEventBus() -> EventBus { store.eventBus }
}
