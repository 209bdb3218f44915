import Rex

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
    var faults: [StoreFault] = []
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
        core.onFault = { [self] in faults.append($0) }
    }

    /// Which effect it is, who started it, and what it has done.
    func text(of effect: RunningEffect) -> String {
        let starter = texts[effect.fromRevision] ?? "commit \(effect.fromRevision)"
        let scope = effect.scope == .store ? "" : ", in \(effect.scope)"
        let kind = effect.isLongLived ? ", until it is cancelled" : ""
        return "'\(effect.id)' of \(starter)\(scope) (sent \(effect.emitted))\(kind)"
    }
}
