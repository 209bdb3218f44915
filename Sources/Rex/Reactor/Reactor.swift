/// A view model: actions come in, each gives mutations, each mutation gives the next state; an
/// action may also give a step to a coordinator.
///
///     final class CounterReactor: Reactor {
///         struct State { var count = 0 }
///         enum Action { case increase }
///         enum Mutation { case didCount(Int) }
///
///         let initialState = State()
///         let lifetime = ReactorLifetime()
///
///         func mutate(action: Action) -> Effect<Mutation> {
///             .just(.didCount(currentState.count + 1))
///         }
///
///         func reduce(state: State, mutation: Mutation) -> State {
///             switch mutation {
///             case .didCount(let count): State(count: count)
///             }
///         }
///     }
///
/// It runs on the same core as `Store`, with the main actor as its owner: actions and mutations are
/// taken one after the other; what comes from inside waits its turn. Only `Action` is meant for
/// others: a mutation never comes from outside.
///
/// Source: GoodReactor.
@MainActor
public protocol Reactor: AnyObject, Sendable {
    /// What it holds.
    associatedtype State: Sendable
    /// What a user does.
    associatedtype Action: Sendable
    /// What becomes of the state.
    associatedtype Mutation: Sendable = Action
    /// Where an action may lead.
    associatedtype Step = Never

    /// The state before the first mutation. Asked for once.
    var initialState: State { get }
    /// `let lifetime = ReactorLifetime()`: effects and subscriptions live as long.
    var lifetime: ReactorLifetime { get }
    /// Who is told of the steps of `navigate(action:)`.
    var coordinator: Coordinator<Step>? { get }

    /// What becomes of the state through `action`, now or later: a stream of mutations, which is
    /// an effect whose actions are mutations (`.just`, `.many`, `.run`, `.stream`, …).
    func mutate(action: Action) -> Effect<Mutation>
    /// The state after `mutation`. Pure.
    func reduce(state: State, mutation: Mutation) -> State
    /// The step that `action` leads to; asked before `mutate(action:)`.
    func navigate(action: Action) -> Step?

    /// What comes of the actions that are sent: others, fewer, later ones. Called once.
    func transform(action: Flow<Action>) -> Flow<Action>
    /// What comes of the mutations, and what others come in besides. Called once.
    func transform(mutation: Flow<Mutation>) -> Flow<Mutation>
    /// What comes of the states before anybody sees them. Called once.
    func transform(state: Flow<State>) -> Flow<State>
    /// The place for `subscribe(to:map:)`: called once, when the reactor starts.
    func transform()
}

extension Reactor {
    /// Nobody.
    public var coordinator: Coordinator<Step>? { nil }

    /// No step.
    public func navigate(action: Action) -> Step? { nil }

    /// The actions as they come.
    public func transform(action: Flow<Action>) -> Flow<Action> { action }

    /// The mutations as they come.
    public func transform(mutation: Flow<Mutation>) -> Flow<Mutation> { mutation }

    /// The states as they come.
    public func transform(state: Flow<State>) -> Flow<State> { state }

    /// No subscription.
    public func transform() {}
}

extension Reactor where Mutation == Action {
    /// The action itself.
    public func mutate(action: Action) -> Effect<Mutation> { .just(action) }
}

extension Reactor {
    /// The state after the last mutation.
    public var currentState: State { engine.state }

    /// The state of this moment and those after each mutation.
    public var state: Flow<State> { engine.states }

    /// Begins: calls the transforms and follows the subscriptions. Whatever else is asked of a
    /// reactor does so too, the first time.
    public func start() {
        _ = engine
    }

    /// Takes an action: at once, unless one is being taken.
    public func send(event: Action) {
        engine.send(event)
    }

    /// Takes an action and returns when every mutation of it has come. Where the task is cancelled
    /// the rest of them is.
    ///
    /// An action whose mutations never end keeps its caller until then. What a transform holds back
    /// is not waited for.
    ///
    /// - Throws: `CancellationError`; `StoreLimitReached`.
    public func send(_ action: Action) async throws {
        try await engine.send(action)
    }

    /// The effects that run, in the order in which they started; subscriptions are effects.
    public var effects: [RunningEffect] { engine.core.core.runningEffects }

    /// Ends every effect with this id.
    public func cancelEffect(id: EffectID) {
        engine.core.core.cancelEffect(id: id)
    }

    /// Follows a stream as long as the reactor lives: each element that `map` has an answer for is
    /// a mutation.
    ///
    /// - Parameter id: by which it is listed and can be ended.
    public func subscribe<S: AsyncSequence & Sendable>(
        to stream: S, id: EffectID? = nil,
        map: @escaping @Sendable (S.Element) -> Mutation?
    ) where S.AsyncIterator: SendableMetatype, S: SendableMetatype {
        engine.follow(
            .work(
                id: id, cancelInFlight: false, isLongLived: true, isFollowing: true,
                prepare: { _ in { try await $0.send(each: stream, as: map) } },
                recover: nil))
    }

    private var engine: ReactorEngine<Self> {
        if let engine = lifetime.engine {
            guard let engine = engine as? ReactorEngine<Self> else {
                preconditionFailure(
                    "\(type(of: self)) has the lifetime of another reactor: give it its own")
            }
            return engine
        }
        let engine = ReactorEngine(self, clock: lifetime.clock, onFault: lifetime.onFault)
        // First this: a transform may ask for the state.
        lifetime.engine = engine
        engine.start(self)
        return engine
    }
}
