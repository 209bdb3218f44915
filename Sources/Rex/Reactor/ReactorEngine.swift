/// What a reactor runs on. Its lifetime holds it; it knows the reactor weakly.
@MainActor
final class ReactorEngine<R: Reactor> {
    /// As `transform(state:)` has it.
    private(set) var state: R.State
    let core: MainCore<ReactorReducer<R>>

    private let actions = FlowSource<ReactorRequest<R.Action>>()
    private let reduced: FlowSource<R.State>
    private let shown: FlowSource<R.State>
    private let turn = ReactorTurn<R>()
    private var tokens: [SubscriptionToken] = []
    private var sendCount = 0

    init(
        _ reactor: R, clock: any Clock<Duration>,
        onFault: @escaping @MainActor (StoreFault) -> Void
    ) {
        let initial = reactor.initialState
        state = initial
        reduced = FlowSource(initial)
        shown = FlowSource(initial)
        turn.reactor = reactor
        core = MainCore(
            initialState: ReactorState(initial), reducer: ReactorReducer(turn: turn),
            label: "\(R.self)", clock: clock, onFault: { fault in onFault(fault) })
        // Weak, all of them: the last who holds a reactor may let go of it on any thread.
        core.core.onCommit = { [weak self] commit in
            // An action by itself leaves the state; only a mutation makes the next one.
            if commit.state != commit.previous { self?.reduced.send(commit.state.value) }
        }
    }

    deinit {
        for token in tokens { token.cancel() }
    }

    var states: Flow<R.State> { shown.flow }

    func start(_ reactor: R) {
        let asked = actions.flow.map { [turn] request in
            turn.wait = request.wait
            return request.action
        }
        tokens.append(
            reactor.transform(action: asked).drive { [weak self, turn] action in
                self?.take(action, for: turn.wait)
            })
        tokens.append(
            reactor.transform(mutation: turn.mutations.flow).drive { [weak self] mutation in
                self?.take(mutation)
            })
        tokens.append(
            reactor.transform(state: reduced.flow).drive { [weak self] state in
                self?.state = state
                self?.shown.send(state)
            })
        reactor.transform()
    }

    func send(_ action: R.Action) {
        pass(ReactorRequest(action: action, wait: nil))
    }

    private func pass(_ request: ReactorRequest<R.Action>) {
        actions.send(request)
        // Sent from inside it waits its turn, and somebody else is still being waited for.
        if !actions.isSending { turn.wait = nil }
    }

    func send(_ action: R.Action) async throws {
        sendCount += 1
        let wait = MainWait(id: EffectID("send-\(sendCount)"), forAll: true)
        pass(ReactorRequest(action: action, wait: wait))
        if let error = wait.error { throw error }
        try await core.wait(wait)
    }

    func follow(_ effect: Effect<R.Mutation>) {
        core.core.report(core.core.dispatch(.follow(effect)), of: .local)
    }

    private func take(_ action: R.Action, for wait: MainWait?) {
        do {
            try core.dispatch(.action(action, wait?.id), group: wait?.group)
        } catch {
            if let wait {
                wait.error = error
            } else {
                core.core.onFault?(.actionRefused(origin: .local, error: error))
            }
        }
    }

    /// What `transform(mutation:)` lets through: a part of what is being reduced, or something that
    /// it adds from elsewhere.
    private func take(_ mutation: R.Mutation) {
        if turn.isCollecting {
            turn.collected.append(mutation)
        } else {
            core.core.report(core.core.dispatch(.transformed(mutation)), of: .local)
        }
    }
}

/// An action on its way through `transform(action:)`, and who waits for it.
struct ReactorRequest<Action> {
    let action: Action
    let wait: MainWait?
}

/// What the core of a reactor reduces.
enum ReactorSignal<Action: Sendable, Mutation: Sendable>: Actionable {
    case action(Action, EffectID?)
    case mutation(Mutation)
    case transformed(Mutation)
    case follow(Effect<Mutation>)
}

/// A state that is equal to itself only: whether a mutation came, not what it did.
struct ReactorState<State: Sendable>: Statable {
    private(set) var value: State
    private var number: UInt64 = 0

    init(_ value: State) {
        self.value = value
    }

    mutating func become(_ next: State) {
        value = next
        number += 1
    }

    static func == (one: ReactorState, other: ReactorState) -> Bool {
        one.number == other.number
    }
}
