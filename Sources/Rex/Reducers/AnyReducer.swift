/// Any reducer of these states and actions.
///
/// Source: Swift-Rex.
public struct AnyReducer<State: Statable, Action: Actionable>: Reducer {
    private let body: @Sendable (inout State, Action, ReducerContext) throws -> [Effect<Action>]

    /// Wraps a reducer.
    public init<R: Reducer>(_ reducer: R) where R.State == State, R.Action == Action {
        body = { state, action, context in
            try reducer._reduce(state: &state, action: action, context: context)
        }
    }

    /// A reducer that is only a closure.
    public init(_ reduce: @escaping @Sendable (inout State, Action) throws -> [Effect<Action>]) {
        body = { state, action, _ in try reduce(&state, action) }
    }

    /// Asks the reducer inside, without a context of its own.
    public func reduce(state: inout State, action: Action) throws -> [Effect<Action>] {
        try body(&state, action, ReducerContext())
    }

    /// Asks the reducer inside.
    public func _reduce(
        state: inout State, action: Action, context: ReducerContext
    ) throws -> [Effect<Action>] {
        try body(&state, action, context)
    }
}
