/// A parent's reducer, with a child's at work on an optional part of the state for as long as that
/// is there.
///
/// The child is asked first, then the parent, which may take the part away. When it is gone, or is
/// another by its identity, everything that the child started is cancelled, what it started with
/// the same action included. A child's action while the part is not there is refused.
///
/// Only what the wrapped parent does is seen: wrap the reducer that takes the part away.
public struct IfLetReducer<Parent: Reducer, Child: Reducer>: Reducer {
    /// The parent's states.
    public typealias State = Parent.State
    /// The parent's actions.
    public typealias Action = Parent.Action

    let parent: Parent
    let child: Child
    let path: any WritableKeyPath<Parent.State, Child.State?> & Sendable
    let embed: @Sendable (Child.Action) -> Parent.Action
    let extract: @Sendable (Parent.Action) -> Child.Action?
    let isSame: @Sendable (Child.State, Child.State) -> Bool

    /// Asks both, without a context of its own.
    public func reduce(state: inout State, action: Action) throws -> [Effect<Action>] {
        try _reduce(state: &state, action: action, context: ReducerContext())
    }

    /// Asks both.
    public func _reduce(
        state: inout State, action: Action, context: ReducerContext
    ) throws -> [Effect<Action>] {
        let before = state[keyPath: path]
        let owner = EffectOwner(ChildPlace(path: path, id: 0))
        var effects: [Effect<Action>] = []
        if let action = extract(action) {
            guard var part = state[keyPath: path] else {
                throw Refusal("\(action): there is nobody to do it, \(path) is nil")
            }
            effects = try child._reduce(state: &part, action: action, context: context)
                .map { $0.map(embed).owned(by: owner) }
            state[keyPath: path] = part
        }
        effects += try parent._reduce(state: &state, action: action, context: context)
        if let before {
            let after = state[keyPath: path]
            let isThere = after.map { isSame(before, $0) } ?? false
            if !isThere { effects.append(Effect(plan: .endOwned([owner]))) }
        }
        return effects
    }
}

extension Reducer {
    /// This reducer, with a child's for an optional part of the state; see `IfLetReducer`.
    ///
    /// - Parameters:
    ///   - path: where the child's state stands, when it is there.
    ///   - embed: makes a parent's action of a child's.
    ///   - extract: the child's action in a parent's; nil where it is none of the child's.
    public func ifLet<Child: Reducer>(
        _ path: any WritableKeyPath<State, Child.State?> & Sendable,
        action embed: @escaping @Sendable (Child.Action) -> Action,
        extract: @escaping @Sendable (Action) -> Child.Action?, then child: () -> Child
    ) -> IfLetReducer<Self, Child> {
        IfLetReducer(
            parent: self, child: child(), path: path, embed: embed, extract: extract,
            isSame: { _, _ in true })
    }

    /// This reducer, with a child's for an optional part of the state, which is another when its
    /// `id` is another; see `IfLetReducer`.
    public func ifLet<Child: Reducer>(
        _ path: any WritableKeyPath<State, Child.State?> & Sendable,
        action embed: @escaping @Sendable (Child.Action) -> Action,
        extract: @escaping @Sendable (Action) -> Child.Action?, then child: () -> Child
    ) -> IfLetReducer<Self, Child> where Child.State: Identifiable {
        IfLetReducer(
            parent: self, child: child(), path: path, embed: embed, extract: extract,
            isSame: { $0.id == $1.id })
    }
}
