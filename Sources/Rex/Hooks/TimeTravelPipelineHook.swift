import Synchronization

/// One step that a store has taken.
public struct TimeTravelEntry<State: Statable, Action: Actionable>: Sendable {
    /// The number of the commit; that of the initial state comes first.
    public let revision: Int
    /// Nil for the initial state and for a travel.
    public let action: Action?
    /// How the store came here, where it travelled.
    public let travel: Travel?
    /// The state at `revision`.
    public let state: State
}

/// Keeps the states of a store, so that it can go back to them. Give it to a `Store` as
/// `timeTravel:`; `undoTimeTravel`, `redoTimeTravel` and `jump(to:)` use it.
///
/// It keeps what was committed, never a state that a hook aborted: the last `cap` steps with the
/// state before them, which is the initial one for as long as there were no more.
///
/// Source: Swift-Rex.
public final class TimeTravelPipelineHook<State: Statable, Action: Actionable>: PipelineHook {
    /// How many steps are kept when it is not told otherwise.
    public static var defaultCap: Int { Timeline.defaultLimit }

    private struct Record {
        var timeline: Timeline
        /// Without a gap, so the entry of a revision is found by counting. More than are kept: the
        /// oldest are let go of now and then.
        var entries: [TimeTravelEntry<State, Action>] = []
        /// The states at the timeline's stops, which may be older than the entries.
        var stops: [Int: State] = [:]
        /// Reduced but not committed yet.
        var pending: TimeTravelEntry<State, Action>?

        /// What is kept: the last steps, and the state before them.
        var kept: ArraySlice<TimeTravelEntry<State, Action>> {
            entries.suffix(timeline.limit + 1)
        }

        /// The state at a stop that can be undone or redone to, or at a step that is kept.
        func state(at revision: Int) -> State? {
            let kept = kept
            if let first = kept.first, let last = kept.last,
                (first.revision...last.revision).contains(revision)
            {
                return kept[kept.startIndex + revision - first.revision].state
            }
            return timeline.revisions.contains(revision) ? stops[revision] : nil
        }
    }

    private let cap: Int
    private let record: Mutex<Record>

    /// - Parameter cap: how many steps can be undone, 1 at least.
    public init(cap: Int = Timeline.defaultLimit) {
        self.cap = cap
        record = Mutex(Record(timeline: Timeline(limit: cap)))
    }

    /// Notes what was reduced, and keeps it once it was committed.
    public func handle(
        phase: PipelinePhase<Action, State>, context: PipelineContext<Action, State>
    ) -> HookResult<Action> {
        if context.isDryRun { return .continue }
        switch phase {
        case .didReduce(let action, _, let after):
            let entry = TimeTravelEntry(
                revision: context.revision, action: action, travel: nil, state: after)
            record.withLock { $0.pending = entry }
        case .willRunEffects:
            record.withLock { record in
                guard let entry = record.pending.take(), entry.revision == context.revision
                else { return }
                record.timeline.didCommit(entry.revision)
                record.stops[entry.revision] = entry.state
                append(entry, to: &record)
            }
        default:
            break
        }
        return .continue
    }

    /// The steps that are kept, the oldest first.
    public var history: [TimeTravelEntry<State, Action>] {
        record.withLock { Array($0.kept) }
    }

    /// The revision whose state is the store's.
    public var present: Int { record.withLock { $0.timeline.present } }

    @usableFromInline
    func begin(at revision: Int, state: State) {
        record.withLock { record in
            record.timeline = Timeline(at: revision, limit: cap)
            record.pending = nil
            record.stops = [revision: state]
            record.entries = [
                TimeTravelEntry(revision: revision, action: nil, travel: nil, state: state)
            ]
        }
    }

    /// Where a travel would lead; nil where nothing is left, or that state is no longer kept.
    func target(of op: Travel.Op, to revision: Int? = nil) -> (travel: Travel, state: State)? {
        record.withLock { record in
            let target =
                switch op {
                case .undo: record.timeline.undoTarget
                case .redo: record.timeline.redoTarget
                case .jump: revision
                }
            guard let target, let state = record.state(at: target) else { return nil }
            return (Travel(op: op, to: target), state)
        }
    }

    func didTravel(_ travel: Travel, revision: Int, state: State) {
        record.withLock { record in
            record.timeline.didTravel(travel)
            record.stops[travel.to] = state
            append(
                TimeTravelEntry(revision: revision, action: nil, travel: travel, state: state),
                to: &record)
        }
    }

    private func append(_ entry: TimeTravelEntry<State, Action>, to record: inout Record) {
        record.entries.append(entry)
        // Dropped by the half, so that a step costs O(1) amortized.
        if record.entries.count > 2 * (cap + 1) {
            record.entries.removeFirst(record.entries.count - (cap + 1))
        }
        if record.stops.count > 2 * (cap + 1) {
            let kept = Set(record.timeline.revisions)
            record.stops = record.stops.filter { kept.contains($0.key) }
        }
    }
}
