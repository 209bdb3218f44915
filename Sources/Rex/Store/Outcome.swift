/// What became of a dispatched action.
public enum Outcome: Sendable {
    /// Reduced; the store is at this revision because of it.
    case committed(Int)
    /// The reducer threw, or a bound was met: nothing changed, no revision was taken.
    case refused(any Error)
    /// A hook stopped it: nothing changed, no revision was taken.
    case aborted
    /// Only where it was dispatched with `ifItChanges`: the state would be as it was, so nothing
    /// happened, no revision was taken, and no effect of it started.
    case unchanged
    /// Dispatched from inside a reducer, a hook or an observer: reduced behind what is queued.
    case queued

    /// The revision, where one was taken.
    public var revision: Int? {
        if case .committed(let revision) = self { revision } else { nil }
    }
}
