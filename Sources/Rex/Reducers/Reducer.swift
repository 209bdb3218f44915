/// Decides what an action does to the state, and which effects follow.
///
/// A reducer is a pure function of its arguments. To throw is to refuse: whatever was changed in
/// `state` is dropped, no revision is taken. For who asked, the time and fresh ids see
/// `ContextReducer`.
///
/// Source: Swift-Rex, RxCompose.
public protocol Reducer<State, Action>: Sendable {
    associatedtype State: Statable
    associatedtype Action: Actionable

    /// Changes `state` as `action` says and returns the effects that follow, in order.
    func reduce(state: inout State, action: Action) throws -> [Effect<Action>]

    /// What a store calls. Leave it alone: it reaches `reduce(state:action:)`, or the version with
    /// a context where the reducer is a `ContextReducer`. A reducer that is made of others
    /// implements this one, so that the context reaches them.
    func _reduce(
        state: inout State, action: Action, context: ReducerContext
    ) throws -> [Effect<Action>]
}

extension Reducer {
    /// Leaves the context out: this reducer wants none.
    @inlinable
    public func _reduce(
        state: inout State, action: Action, context: ReducerContext
    ) throws -> [Effect<Action>] {
        try reduce(state: &state, action: action)
    }
}

/// A reducer that wants to know who asked, the time, the revision, or needs fresh ids.
///
/// With time and ids from the context it is deterministic: the same actions with the same contexts
/// give the same states, so a journal can replay it.
public protocol ContextReducer<State, Action>: Reducer {
    // Said again so that both are inferred from the version below.
    override associatedtype State
    override associatedtype Action

    /// As `Reducer.reduce(state:action:)`, with the context of this action.
    func reduce(
        state: inout State, action: Action, context: ReducerContext
    ) throws -> [Effect<Action>]
}

extension ContextReducer {
    /// Hands the context on.
    @inlinable
    public func _reduce(
        state: inout State, action: Action, context: ReducerContext
    ) throws -> [Effect<Action>] {
        try reduce(state: &state, action: action, context: context)
    }

    /// Reduces as local code at the present time, outside any store.
    public func reduce(state: inout State, action: Action) throws -> [Effect<Action>] {
        try reduce(state: &state, action: action, context: ReducerContext())
    }
}
