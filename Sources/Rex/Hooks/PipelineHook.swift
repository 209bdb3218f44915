/// Looks at every action on its way through the store: logging, analytics, checks.
///
/// Synchronous by design: a hook that waited would stall every client. Slow work is an effect that
/// the hook appends. Hooks see an action in the order in which they were given to the store.
///
/// Source: Swift-Rex, Pipeline Hooks 2.0.
public protocol PipelineHook<State, Action>: Sendable {
    associatedtype State: Statable
    associatedtype Action: Actionable

    /// Called at each phase, on the thread that reduces.
    func handle(
        phase: PipelinePhase<Action, State>, context: PipelineContext<Action, State>
    ) -> HookResult<Action>
}

/// The six moments in the life of an action. An action that is aborted or refused gets no further
/// phase.
public enum PipelinePhase<Action: Actionable, State: Statable>: Sendable {
    /// It entered the store.
    case willReceive(Action)
    /// It is about to be reduced; the state is the one before.
    case willReduce(Action, State)
    /// It was reduced, and nothing is committed yet: `.abort` drops the new state and the effects.
    case didReduce(Action, before: State, after: State)
    /// It was committed, and its effects are about to start: `.abort` drops them, but for those
    /// that end what belonged to a part of the state that has gone.
    case willRunEffects(Action, [Effect<Action>])
    /// Those of its effects that end by themselves have ended.
    case didRunEffects(Action)
    /// Nothing more comes of it.
    case didComplete(Action)

    /// The action, transformed or not.
    public var action: Action {
        switch self {
        case .willReceive(let action), .willReduce(let action, _), .didReduce(let action, _, _),
            .willRunEffects(let action, _), .didRunEffects(let action), .didComplete(let action):
            action
        }
    }
}

/// What a hook may know besides the phase.
public struct PipelineContext<Action: Actionable, State: Statable>: Sendable {
    /// The store's label.
    public let label: String
    /// The revision that the action gets when nothing stops it.
    public let revision: Int
    /// Who asked.
    public let origin: Origin
    /// True where nothing is stored, nobody is told, and no effect starts.
    public let isDryRun: Bool
    /// The state before the action; nil at `didRunEffects` and `didComplete`, which may come long
    /// after.
    public let state: State?

    /// What a hook is shown.
    @inlinable
    public init(
        label: String, revision: Int, origin: Origin, isDryRun: Bool, state: State? = nil
    ) {
        self.state = state
        self.label = label
        self.revision = revision
        self.origin = origin
        self.isDryRun = isDryRun
    }

    /// For phases that may come long after: no effect keeps an old state alive.
    @inlinable var withoutState: PipelineContext {
        PipelineContext(label: label, revision: revision, origin: origin, isDryRun: isDryRun)
    }
}

/// What a hook answers.
public enum HookResult<Action: Actionable>: Sendable {
    /// Go on.
    case `continue`
    /// Go on with another action. Only before the reducer; later phases ignore it.
    case transform(Action)
    /// Stop. Before the commit nothing has happened; at `willRunEffects` no effect starts;
    /// afterwards it only keeps the phase from the hooks behind.
    case abort
    /// Go on, and start these as well, behind the reducer's own.
    case appendEffects([Effect<Action>])
}

/// Any hook for a store of these states and actions.
public struct AnyPipelineHook<State: Statable, Action: Actionable>: PipelineHook {
    @usableFromInline typealias Body =
        @Sendable (
            PipelinePhase<Action, State>, PipelineContext<Action, State>
        ) -> HookResult<Action>

    @usableFromInline let body: Body

    /// Wraps a hook.
    @inlinable
    public init<H: PipelineHook>(_ hook: H) where H.State == State, H.Action == Action {
        body = { phase, context in hook.handle(phase: phase, context: context) }
    }

    /// A hook that is only a closure.
    @inlinable
    public init(
        _ body:
            @escaping @Sendable (
                PipelinePhase<Action, State>, PipelineContext<Action, State>
            ) -> HookResult<Action>
    ) {
        self.body = body
    }

    /// Asks the hook inside.
    @inlinable
    public func handle(
        phase: PipelinePhase<Action, State>, context: PipelineContext<Action, State>
    ) -> HookResult<Action> {
        body(phase, context)
    }
}
