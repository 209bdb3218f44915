/// What Swift-Rex had before pipeline hooks: sees every action that is received, with the state
/// before it, and may add actions and effects. New code takes `PipelineHook`.
///
/// Synchronous, as hooks are.
///
/// Source: Swift-Rex.
public protocol Middleware<State, Action>: Sendable {
    associatedtype State: Statable
    associatedtype Action: Actionable

    /// Called when an action has entered the store.
    ///
    /// - Parameter emit: dispatches an action behind this one.
    /// - Returns: effects that start with those of the reducer, behind them. None where the action
    ///   is refused or a hook aborts it.
    func process(state: State, action: Action, emit: (Action) -> Void) -> [Effect<Action>]
}

/// Any middleware for a store of these states and actions.
public struct AnyMiddleware<State: Statable, Action: Actionable>: Middleware {
    private let body: @Sendable (State, Action, (Action) -> Void) -> [Effect<Action>]

    /// Wraps a middleware.
    public init<M: Middleware>(_ middleware: M) where M.State == State, M.Action == Action {
        body = { middleware.process(state: $0, action: $1, emit: $2) }
    }

    /// A middleware that is only a closure.
    public init(
        _ body: @escaping @Sendable (State, Action, (Action) -> Void) -> [Effect<Action>]
    ) {
        self.body = body
    }

    /// Asks the middleware inside.
    public func process(state: State, action: Action, emit: (Action) -> Void) -> [Effect<Action>] {
        body(state, action, emit)
    }
}

/// A middleware at work as a hook, at `willReceive`.
public struct MiddlewarePipelineHook<State: Statable, Action: Actionable>: PipelineHook {
    private let middleware: AnyMiddleware<State, Action>

    /// Has `middleware` see every action that is received, but for dry runs.
    public init(_ middleware: AnyMiddleware<State, Action>) {
        self.middleware = middleware
    }

    /// Asks the middleware when an action was received.
    public func handle(
        phase: PipelinePhase<Action, State>, context: PipelineContext<Action, State>
    ) -> HookResult<Action> {
        guard case .willReceive(let action) = phase, let state = context.state,
            !context.isDryRun
        else { return .continue }
        var emitted: [Action] = []
        let effects = middleware.process(state: state, action: action) { emitted.append($0) }
        if emitted.isEmpty { return effects.isEmpty ? .continue : .appendEffects(effects) }
        return .appendEffects([.many(emitted)] + effects)
    }
}
