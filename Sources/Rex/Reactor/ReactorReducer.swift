/// What the engine and its reducer share while something is taken.
@MainActor
final class ReactorTurn<R: Reactor> {
    weak var reactor: R?
    /// What goes through `transform(mutation:)`.
    let mutations = FlowSource<R.Mutation>()
    /// Who waits for the action that goes through `transform(action:)`.
    var wait: MainWait?
    var isCollecting = false
    var collected: [R.Mutation] = []

    /// What comes out of `transform(mutation:)` at once for one mutation.
    func transformed(_ mutation: R.Mutation) -> [R.Mutation] {
        isCollecting = true
        mutations.send(mutation)
        isCollecting = false
        defer { collected = [] }
        return collected
    }
}

/// Asks the reactor what an action and a mutation do.
struct ReactorReducer<R: Reactor>: Reducer {
    let turn: ReactorTurn<R>

    func reduce(
        state: inout ReactorState<R.State>, action: ReactorSignal<R.Action, R.Mutation>
    ) -> [Effect<ReactorSignal<R.Action, R.Mutation>>] {
        let turn = turn
        let before = state
        // The main actor owns the core.
        let (after, effect) = MainActor.assumeIsolated {
            guard let reactor = turn.reactor else { return (before, Effect<R.Mutation>.none) }
            return Self.reduce(before, action, by: reactor, in: turn)
        }
        state = after
        let signals = effect.map { ReactorSignal<R.Action, R.Mutation>.mutation($0) }
        if case .action(_, let id?) = action, !signals.isInstant {
            return [signals.cancellable(id: id)]
        }
        return [signals]
    }

    @MainActor
    private static func reduce(
        _ before: ReactorState<R.State>, _ signal: ReactorSignal<R.Action, R.Mutation>,
        by reactor: R, in turn: ReactorTurn<R>
    ) -> (ReactorState<R.State>, Effect<R.Mutation>) {
        var state = before
        switch signal {
        case .action(let action, _):
            if let step = reactor.navigate(action: action) {
                reactor.coordinator?.perform(step: step)
            }
            return (state, reactor.mutate(action: action))
        case .mutation(let mutation):
            for mutation in turn.transformed(mutation) {
                state.become(reactor.reduce(state: state.value, mutation: mutation))
            }
        case .transformed(let mutation):
            state.become(reactor.reduce(state: state.value, mutation: mutation))
        case .follow(let effect):
            return (state, effect)
        }
        return (state, .none)
    }
}
