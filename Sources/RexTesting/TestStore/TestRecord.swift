import Rex
import Synchronization

/// Sees which action comes in, to name the one that is refused.
final class TestWitness<State: Statable, Action: Actionable>: PipelineHook {
    private let last = Mutex<Action?>(nil)

    var lastReceived: Action? { last.withLock { $0 } }

    func handle(
        phase: PipelinePhase<Action, State>, context: PipelineContext<Action, State>
    ) -> HookResult<Action> {
        if case .willReceive(let action) = phase { last.withLock { $0 = action } }
        return .continue
    }
}

/// What a core under test has done, until the test looks at it.
final class TestRecord<R: Reducer> {
    /// A commit, as far as a test cares.
    struct Step {
        let action: R.Action
        let origin: Origin
        let state: R.State
    }

    /// The texts of actions are kept for so many commits at least, to name who started an effect.
    private static var textLimit: Int { 1_000 }

    var steps: [Step] = []
    var events: [StoreEvent] = []
    /// What went wrong; of what was refused, the text of the action too.
    var faults: [(fault: StoreFault, action: String?)] = []
    let witness = TestWitness<R.State, R.Action>()
    private var texts: [Int: String] = [:]

    func watch(_ core: StoreCore<R>) {
        core.onCommit = { [self] commit in
            guard let action = commit.action else { return }
            steps.append(Step(action: action, origin: commit.origin, state: commit.state))
            if texts.count > 2 * Self.textLimit {
                texts = texts.filter { $0.key > commit.revision - Self.textLimit }
            }
            texts[commit.revision] = ValueText(action).line
        }
        core.onEvent = { [self] in events.append($0) }
        core.onFault = { [self] in faults.append(($0, refusedText(of: $0))) }
    }

    /// An action that met a limit came no further than the queue: nobody has seen it.
    private func refusedText(of fault: StoreFault) -> String? {
        guard case .actionRefused(_, let error) = fault, !(error is StoreLimitReached)
        else { return nil }
        return witness.lastReceived.map { "'\(ValueText($0).line)'" }
    }

    /// Which effect it is, who started it, and what it has done.
    func text(of effect: RunningEffect) -> String {
        let starter = texts[effect.fromRevision] ?? "commit \(effect.fromRevision)"
        let scope = effect.scope == .store ? "" : ", in \(effect.scope)"
        let kind = effect.isLongLived ? ", until it is cancelled" : ""
        return "'\(effect.id)' of \(starter)\(scope) (sent \(effect.emitted))\(kind)"
    }
}
