/// Several reducers of the same states and actions, each asked in its turn: all of them, for every
/// action. The effects of all follow in that order. Where one refuses, the action is refused, and
/// nothing of what the others did remains.
///
///     CombineReducer {
///         Counting()
///         if isLogging { Logging() }
///     }
///
/// Source: Swift-Rex.
public struct CombineReducer<State: Statable, Action: Actionable>: Reducer {
    private let parts: [AnyReducer<State, Action>]

    /// These, in this order.
    public init(_ reducers: [AnyReducer<State, Action>]) {
        parts = reducers
    }

    /// Those that the builder lists, in their order.
    public init(
        @ReducerBuilder<State, Action> _ reducers: () -> [AnyReducer<State, Action>]
    ) {
        parts = reducers()
    }

    /// Asks each, without a context of its own.
    public func reduce(state: inout State, action: Action) throws -> [Effect<Action>] {
        try _reduce(state: &state, action: action, context: ReducerContext())
    }

    /// Asks each.
    public func _reduce(
        state: inout State, action: Action, context: ReducerContext
    ) throws -> [Effect<Action>] {
        var effects: [Effect<Action>] = []
        for part in parts {
            effects += try part._reduce(state: &state, action: action, context: context)
        }
        return effects
    }
}

/// Lists reducers. Each one that is written there is asked; none takes the place of another.
@resultBuilder
public enum ReducerBuilder<State: Statable, Action: Actionable> {
    /// What a builder makes: all that were listed.
    public typealias Parts = [AnyReducer<State, Action>]

    /// One reducer.
    public static func buildExpression<R: Reducer>(_ reducer: R) -> Parts
    where R.State == State, R.Action == Action {
        [AnyReducer(reducer)]
    }

    /// Several.
    public static func buildBlock(_ parts: Parts...) -> Parts { parts.flatMap { $0 } }

    /// Those behind an `if`.
    public static func buildOptional(_ parts: Parts?) -> Parts { parts ?? [] }

    /// Those of the first way.
    public static func buildEither(first parts: Parts) -> Parts { parts }

    /// Those of the other way.
    public static func buildEither(second parts: Parts) -> Parts { parts }

    /// Those of a `for`.
    public static func buildArray(_ parts: [Parts]) -> Parts { parts.flatMap { $0 } }
}

extension Reducer {
    /// This reducer, and then the other, for every action.
    public func combine<Other: Reducer>(with other: Other) -> CombineReducer<State, Action>
    where Other.State == State, Other.Action == Action {
        CombineReducer([AnyReducer(self), AnyReducer(other)])
    }

    /// This reducer, and then the others, for every action.
    public func combine(
        with others: [AnyReducer<State, Action>]
    ) -> CombineReducer<State, Action> {
        CombineReducer([AnyReducer(self)] + others)
    }
}
