import Rex

/// The reducer of a hosted store: the author's own, whose effects can be switched off for a fork.
@usableFromInline
struct HostedReducer<Base: Reducer>: Reducer {
    @usableFromInline let base: Base
    @usableFromInline let startsEffects: Bool

    init(base: Base, startsEffects: Bool) {
        self.base = base
        self.startsEffects = startsEffects
    }

    @inlinable
    func reduce(state: inout Base.State, action: Base.Action) throws -> [Effect<Base.Action>] {
        try _reduce(state: &state, action: action, context: ReducerContext())
    }

    @inlinable
    func _reduce(
        state: inout Base.State, action: Base.Action, context: ReducerContext
    ) throws -> [Effect<Base.Action>] {
        let effects = try base._reduce(state: &state, action: action, context: context)
        return startsEffects ? effects : []
    }
}
