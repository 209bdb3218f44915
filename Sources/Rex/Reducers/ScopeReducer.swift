/// A child's reducer at work on a part of a parent's state.
///
/// The child's effects belong to that part: an id that the child cancels is looked for among its
/// own. The parent, and whoever holds the store, reaches them by the same id.
///
/// Delegate actions, by which a child tells its parent something, need no machinery: the child has
/// an action for them that it sends (`.send(.delegate(.dismiss))`) and does nothing about, and the
/// parent's reducer, combined with this one, does.
///
/// Source: Swift-Rex.
public struct ScopeReducer<ParentState: Statable, ParentAction: Actionable, Child: Reducer>:
    Reducer
{
    /// The parent's states.
    public typealias State = ParentState
    /// The parent's actions.
    public typealias Action = ParentAction

    private let child: Child
    private let path: any WritableKeyPath<ParentState, Child.State> & Sendable
    private let embed: @Sendable (Child.Action) -> ParentAction
    private let extract: @Sendable (ParentAction) -> Child.Action?
    private let owner: EffectOwner

    /// - Parameters:
    ///   - path: where the child's state stands.
    ///   - embed: makes a parent's action of a child's.
    ///   - extract: the child's action in a parent's; nil where it is none of the child's.
    public init(
        _ child: Child, state path: any WritableKeyPath<ParentState, Child.State> & Sendable,
        action embed: @escaping @Sendable (Child.Action) -> ParentAction,
        extract: @escaping @Sendable (ParentAction) -> Child.Action?
    ) {
        self.child = child
        self.path = path
        self.embed = embed
        self.extract = extract
        owner = EffectOwner(ChildPlace(path: path, id: 0))
    }

    /// Asks the child about its own actions, without a context of its own.
    public func reduce(state: inout State, action: Action) throws -> [Effect<Action>] {
        try _reduce(state: &state, action: action, context: ReducerContext())
    }

    /// Asks the child about its own actions; all others change nothing.
    public func _reduce(
        state: inout State, action: Action, context: ReducerContext
    ) throws -> [Effect<Action>] {
        guard let action = extract(action) else { return [] }
        return try child._reduce(state: &state[keyPath: path], action: action, context: context)
            .map { $0.map(embed).owned(by: owner) }
    }
}

extension Reducer {
    /// This reducer at work on a part of a parent's state; see `ScopeReducer`.
    public func scope<ParentState: Statable, ParentAction: Actionable>(
        state path: any WritableKeyPath<ParentState, State> & Sendable,
        action embed: @escaping @Sendable (Action) -> ParentAction,
        extract: @escaping @Sendable (ParentAction) -> Action?
    ) -> ScopeReducer<ParentState, ParentAction, Self> {
        ScopeReducer(self, state: path, action: embed, extract: extract)
    }
}
