/// The state of a composer, as its hooks see it.
///
/// A composer's state need not be `Equatable`: two of these are never equal.
public struct ComposedState<State: Sendable>: Statable, CustomStringConvertible {
    /// The state.
    public let value: State

    init(_ value: State) {
        self.value = value
    }

    /// False.
    public static func == (one: ComposedState, other: ComposedState) -> Bool { false }

    /// The state as it prints.
    public var description: String { "\(value)" }
}

/// An action of a composer, as its hooks see it.
public struct ComposedAction<Action: Sendable>: Actionable, CustomStringConvertible {
    /// The action.
    public let value: Action
    /// What the effects that follow are called, so that who waits for them can end them.
    let followUp: EffectID?

    init(_ value: Action, followUp: EffectID? = nil) {
        self.value = value
        self.followUp = followUp
    }

    /// The action as it prints.
    public var description: String { "\(value)" }
}

/// Hands what the core reduces to the composer that it belongs to.
struct ComposerReducer<C: Composer>: Reducer {
    private let subject: ComposerSubject<C>

    @MainActor
    init(_ composer: C) {
        subject = ComposerSubject(composer)
    }

    /// The composer's own `state` is the truth, so that a line that sets it is not undone.
    func reduce(
        state: inout ComposedState<C.State>, action: ComposedAction<C.Action>
    ) -> [Effect<ComposedAction<C.Action>>] {
        let subject = subject
        // The main actor owns the core.
        let result = MainActor.assumeIsolated { () -> (C.State, Effect<C.Action>)? in
            guard let composer = subject.composer else { return nil }
            var state = composer.state
            let effect = composer.reducer(&state, action.value)
            return (state, effect)
        }
        guard let (next, effect) = result else { return [] }
        state = ComposedState(next)
        let followUp = action.followUp
        let mapped = effect.map { ComposedAction($0, followUp: followUp) }
        return [followUp.map { mapped.followingUp($0) } ?? mapped]
    }
}

@MainActor
private final class ComposerSubject<C: Composer> {
    weak var composer: C?

    init(_ composer: C) {
        self.composer = composer
    }
}

extension Effect {
    /// Names what ends by itself, so that it can be ended for whoever waits for it. Of several at
    /// once each is looked at by itself.
    func followingUp(_ id: EffectID) -> Effect {
        if case .concurrent(let parts) = plan {
            return .concurrent(parts.map { $0.followingUp(id) })
        }
        return isLongLived || isInstant ? self : cancellable(id: id)
    }
}
