/// A store that is a class: it holds its state, takes actions in and has a method that reduces.
///
///     class CounterComposer: Composer {
///         enum Action { case increment, reset }
///         struct State { var count = 0 }
///
///         @ComposableState var state = State()
///         var action = ActionInlet<Action>()
///
///         func reducer(_ state: inout State, _ action: Action) -> Effect<Action> {
///             switch action {
///             case .increment:
///                 state.count += 1
///                 return state.count == 10 ? .send(.reset) : .none
///             case .reset:
///                 state.count = 0
///                 return .none
///             }
///         }
///     }
///
/// It does something once it is connected: by `@Compose` where somebody owns it, or by `connect()`.
/// It runs on the same core as `Store`, with the main actor as its owner: actions are reduced where
/// they are sent, one after the other; what a reducer or an observer sends waits its turn. When it
/// goes away its effects are cancelled.
///
/// Source: RxCompose.
@MainActor
public protocol Composer: AnyObject, Sendable {
    /// What happens to it.
    associatedtype Action: Sendable
    /// What it holds.
    associatedtype State: Sendable

    /// Declared with `@ComposableState`, so that it can be observed.
    var state: State { get set }
    /// Where actions come in.
    var action: ActionInlet<Action> { get }

    /// Changes `state` as `action` says and returns what follows.
    func reducer(_ state: inout State, _ action: Action) -> Effect<Action>
}

extension Composer {
    /// Lets actions reach the reducer. Connected once more, it goes on with its state; the effects
    /// of the time before end.
    ///
    /// - Parameters:
    ///   - pipelineHooks: see every action, in this order.
    ///   - clock: what timers sleep by.
    ///   - onFault: hears of effects that threw without a `catch`, and of limits that were met.
    public func connect(
        pipelineHooks: [AnyPipelineHook<ComposedState<State>, ComposedAction<Action>>] = [],
        clock: any Clock<Duration> = SystemClock(),
        onFault: @escaping @MainActor (StoreFault) -> Void = { _ in }
    ) {
        let core = MainCore(
            initialState: ComposedState(state), reducer: ComposerReducer(self),
            hooks: pipelineHooks, label: "\(Self.self)", clock: clock,
            onFault: { fault in onFault(fault) })
        core.core.onCommit = { [weak self] commit in self?.state = commit.state.value }
        // Whoever waits for an effect of the time before holds the core that it runs on.
        action.connection?.end()
        action.connection = ComposerConnection(core)
    }

    /// Has `action` reduced: at once, unless something is being reduced.
    public func send(_ action: Action) {
        self.action.accept(action)
    }

    /// Has `action` reduced and returns then, or when what follows has ended.
    ///
    /// - Parameter waitForEffects: wait for the effects that end by themselves and, transitively,
    ///   those of the actions that they dispatch. Where the task is cancelled they are.
    /// - Throws: what a hook or a limit refused it with; `CancellationError`.
    public func send(_ action: Action, waitForEffects: Bool) async throws {
        try await self.action.connected.send(action, waitForEffects: waitForEffects)
    }

    /// The effects that run, in the order in which they started.
    public var effects: [RunningEffect] { action.connected.effects }
}
