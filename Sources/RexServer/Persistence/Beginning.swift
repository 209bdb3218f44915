import FoundationEssentials
import Rex
import RexLoop
import RexProtocol

/// What a hosted store begins with: nothing but its first state, or what a journal holds of it.
struct Beginning<State: Statable & Codable, Action: WireAction> {
    var snapshot: TypedSnapshot<State>
    var epoch: String
    var history: History
    let diff = StateDiff<State>()
    var timeline: Timeline
    var keys: KeyTable
    var journal: StoreJournal?
    /// What waits for its time.
    var reminders: [Reminder<Action>] = []

    /// A store that lives in memory only.
    init(_ state: State, _ limits: Limits) {
        snapshot = TypedSnapshot(revision: 0, state: state)
        epoch = Identifiers.fresh()
        timeline = Timeline(at: 0, limit: max(1, limits.historyCommits))
        history = Self.history(from: snapshot, at: timeline, limits, diff)
        keys = KeyTable(limit: limits.keys, milliseconds: limits.keyMilliseconds)
    }

    /// A durable store: as it is in the journal, or added to it with its first state.
    ///
    /// - Parameter now: the loop's milliseconds.
    /// - Throws: `JournalError`; what is damaged is said, and nothing is dropped.
    init(
        _ name: String, _ first: State, in queue: JournalQueue, _ limits: Limits, now: UInt64,
        note: (String) -> Void
    ) throws {
        let journal = queue.journal
        let store = try Self.store(named: name, first, in: journal)
        let recovery = try Recovery(of: store, in: journal)
        for text in recovery.notes { note("store \(name): \(text)") }
        if let damage = recovery.damage {
            throw JournalError(.damaged, damage.description)
        }
        let base = try Self.decode(recovery.snapshot.state, name)
        self.init(base, limits)
        epoch = store.epoch
        try restoreStates(recovery, from: base, limits, name)
        try restoreKeys(of: store.number, in: journal, at: now, limits)
        for stored in try journal.reminders(of: store.number) {
            // A later program may not know the action any more.
            guard let action = try? ActionCodec.decode(Action.self, from: stored.action) else {
                note("store \(name): the reminder \(stored.id) has an action that is unknown")
                continue
            }
            reminders.append(
                Reminder(
                    id: EffectID(stored.id), date: Date(milliseconds: stored.due), action: action))
        }
        self.journal = StoreJournal(recovery, queue, limits)
    }

    private static func store(
        named name: String, _ first: State, in journal: any Journal
    ) throws -> StoredStore {
        if let known = try journal.stores().first(where: { $0.name.hasSameBytes(as: name) }) {
            return known
        }
        let timeline = try RawJSON(encoding: Timeline(at: 0).saved)
        let snapshot = StoredSnapshot(
            revision: 0, milliseconds: Date().milliseconds, chain: 0, written: 0,
            timeline: timeline, state: try RawJSON(encoding: first))
        _ = try journal.addStore(name, epoch: Identifiers.fresh(), snapshot)
        guard let added = try journal.stores().first(where: { $0.name.hasSameBytes(as: name) })
        else {
            throw JournalError(.failed, "store \(name) was added and is not there")
        }
        return added
    }

    /// What the program calls a state now may not be what was stored by an older one.
    private static func decode(_ json: RawJSON, _ name: String) throws(JournalError) -> State {
        do throws(JSONDecodingFailure) {
            return try JSONCoder.decode(State.self, from: json)
        } catch {
            throw JournalError(
                .damaged,
                "the state of \(name) does not fit its type: \(error.message) at "
                    + "'\(error.at)'")
        }
    }

    private mutating func restoreStates(
        _ recovery: Recovery, from base: State, _ limits: Limits, _ name: String
    ) throws {
        var tree = recovery.snapshot.state.value
        for commit in recovery.commits {
            do {
                try JSONPatch(commit.patch.value).apply(to: &tree)
            } catch {
                throw JournalError(
                    .damaged,
                    "the patch of revision \(commit.revision) of \(name) does not fit: "
                        + "\(error)")
            }
        }
        let last = recovery.commits.isEmpty ? base : try Self.decode(RawJSON(tree), name)
        snapshot = TypedSnapshot(revision: recovery.revision, state: last)
        let first = Self.timeline(of: recovery.snapshot, limits)
        timeline = first
        for commit in recovery.commits {
            timeline.replay(commit.revision, commit.travel, amends: commit.amends)
        }
        // More than memory is to hold is left to the journal.
        if recovery.commits.count <= max(limits.historyCommits, 1) {
            let state = TypedSnapshot(revision: recovery.snapshot.revision, state: base)
            history = Self.history(from: state, at: first, limits, diff)
            history.restore(recovery.commits.map(Self.entry), state: snapshot)
        } else {
            history = Self.history(from: snapshot, at: timeline, limits, diff)
        }
    }

    /// The cursor of undo and redo that was stored with a state.
    private static func timeline(of snapshot: StoredSnapshot, _ limits: Limits) -> Timeline {
        let limit = max(1, limits.historyCommits)
        let saved = try? JSONCoder.decode(Timeline.Saved.self, from: snapshot.timeline)
        return saved.flatMap { $0.isOfRevisions ? Timeline($0, limit: limit) : nil }
            ?? Timeline(at: snapshot.revision, limit: limit)
    }

    private static func history(
        from state: TypedSnapshot<State>, at timeline: Timeline, _ limits: Limits,
        _ diff: StateDiff<State>
    ) -> History {
        History(state, limits: limits, timeline: timeline) { old, new in
            guard let old = old as? TypedSnapshot<State>, let new = new as? TypedSnapshot<State>
            else { preconditionFailure("a state of another store is in the history") }
            return try diff.patch(from: old.state, to: new.state).raw
        }
    }

    private static func entry(_ commit: StoredCommit) -> History.Entry {
        let held = History.Commit(
            revision: commit.revision, time: Date(milliseconds: commit.milliseconds),
            origin: Origin(stored: commit.origin) ?? .system, action: nil,
            actionBytes: commit.action?.bytes.count ?? 0, travel: commit.travel,
            actionText: commit.action, storedBytes: commit.bytes, amends: commit.amends)
        return History.Entry(commit: held, patch: commit.patch)
    }

    private mutating func restoreKeys(
        of store: Int, in journal: any Journal, at now: UInt64, _ limits: Limits
    ) throws {
        let time = Date().milliseconds
        for key in try journal.keys(of: store, since: time - limits.keyMilliseconds) {
            // One of the future, by a calendar that was set back since, is as one of now.
            let left = min(key.milliseconds, time) + limits.keyMilliseconds - time
            keys.restore(
                KeyTable.Key(user: key.user, text: key.text), actionHash: key.actionHash,
                answer: key.answer, at: now, left: UInt64(max(0, left)))
        }
    }
}
