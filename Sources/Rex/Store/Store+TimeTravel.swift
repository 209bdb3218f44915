extension Store {
    /// Steps back, in one commit that takes its turn like an action, and returns its revision; nil
    /// where nothing is left to undo, or the store keeps no states. Starts no effect, ends none.
    @discardableResult
    public func undoTimeTravel() async -> Int? { await travel(.undo) }

    /// Takes back an undo; otherwise as `undoTimeTravel`. A new action drops what could be redone.
    @discardableResult
    public func redoTimeTravel() async -> Int? { await travel(.redo) }

    /// Goes to the state at `revision`, a step that `undoTimeTravel` takes back; nil where that
    /// state is not kept (any more, or yet).
    @discardableResult
    public func jump(to revision: Int) async -> Int? { await travel(.jump, to: revision) }

    /// The steps that are kept, the oldest first; empty without `timeTravel`.
    public var history: [TimeTravelEntry<R.State, R.Action>] { timeTravel?.history ?? [] }

    private func travel(_ op: Travel.Op, to revision: Int? = nil) async -> Int? {
        await ask { [timeTravel] desk in
            guard let timeTravel, let target = timeTravel.target(of: op, to: revision)
            else { return nil }
            // Noted first: whoever is told of the commit may look at the history.
            timeTravel.didTravel(
                target.travel, revision: desk.core.revision + 1, state: target.state)
            return desk.core.travel(to: target.state, as: target.travel)
        }
    }
}
