/// A state with a graph in it: where the user is.
///
/// Source: Swift-Rex.
public protocol GraphStateContainer: Statable {
    /// Which nodes are there.
    var graph: StateGraph { get set }
}

/// Does graph actions in a state that has a graph.
///
/// Source: Swift-Rex.
public struct GraphNavigationReducer<State: GraphStateContainer>: Reducer {
    /// What it reduces.
    public typealias Action = GraphAction

    /// A reducer; it keeps nothing between two actions.
    public init() {}

    /// Does what was asked; what cannot be done changes nothing. Called by a reducer around it, as
    /// Swift-Rex's users do; one that wants to refuse calls `state.graph.apply`.
    public func reduce(state: inout State, action: GraphAction) -> [Effect<GraphAction>] {
        _ = try? state.graph.apply(action)
        return []
    }

    /// Does what was asked, or refuses: in a store, or as a part of another reducer.
    public func _reduce(
        state: inout State, action: GraphAction, context: ReducerContext
    ) throws -> [Effect<GraphAction>] {
        try state.graph.apply(action)
        return []
    }
}
