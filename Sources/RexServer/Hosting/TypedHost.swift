import FoundationEssentials
import Rex
import RexLoop
import RexProtocol

/// A store of one state and action type, hosted: the core with what the wire adds to it (codec,
/// history, time travel, keys, presence).
final class TypedHost<R: Reducer>: StoreHost where R.State: Codable, R.Action: WireAction {
    typealias State = R.State
    typealias Action = R.Action
    typealias Snapshot = TypedSnapshot<R.State>

    let name: String
    let epoch: String
    weak var observer: (any StoreHostObserver)?
    var onCommit: (() -> Void)?

    let core: StoreCore<HostedReducer<R>>
    let reducer: R
    /// Says whether a client may dispatch an action; nil where nobody has to be asked.
    let authorize: (@Sendable (R.Action, ClientIdentity) async -> Bool)?
    let hot: HotPath<R>
    let limits: Limits
    var history: History
    /// Its part of the journal; nil where it lives in memory only.
    let journal: StoreJournal?
    var timeline: Timeline
    var keys: KeyTable
    /// The clients that are present, by id.
    var clients: [String: ClientIdentity] = [:]
    /// The present state; the next commit replaces it.
    var current: Snapshot
    let loop: Loop
    private let inbox: Inbox<EffectEvent<Action>>
    /// Where an encoded state comes back, with the generation that it is of.
    let journalInbox: Inbox<(snapshot: PendingSnapshot?, generation: Int)>?
    private(set) lazy var local: AnyObject = makeLocal()

    /// Compares states; nothing else encodes a whole one.
    let diff: StateDiff<State>
    let reader = ActionReader<Action>()
    /// The last two snapshots that were compared: the patch of a commit is most often asked for
    /// again, by the cut.
    var lastPatch: (old: AnyObject, new: AnyObject, patch: StatePatch)?
    /// The snapshot that was last asked for as JSON.
    var lastWritten: WrittenSnapshot<State>?
    /// What makes patches on the thread that writes the journal.
    private(set) lazy var patchMaker = PatchMaker<State>(name)
    /// What those see who may not see all of a place, as it last was.
    var parts: [ReadPlace: (snapshot: Snapshot, part: JSONValue)] = [:]

    /// - Parameter startsEffects: false for a fork.
    init(
        name: String, _ beginning: Beginning<State, Action>, reducer: R, hot: HotPath<R>,
        loop: Loop, limits: Limits, hooks: [AnyPipelineHook<State, Action>] = [],
        authorize: (@Sendable (R.Action, ClientIdentity) async -> Bool)? = nil,
        clock: any Clock<Duration> = SystemClock(), calendar: (@Sendable () -> Date)? = nil,
        startsEffects: Bool = true, idPrefix: String = ""
    ) throws {
        let state = beginning.snapshot.state
        // A state that cannot be written is found at the start and not at the first subscriber.
        _ = try RawJSON(encoding: state)
        self.name = name
        self.reducer = reducer
        self.authorize = authorize
        self.hot = hot
        self.limits = limits
        self.loop = loop
        hasHooks = !hooks.isEmpty
        epoch = beginning.epoch
        history = beginning.history
        diff = beginning.diff
        journal = beginning.journal
        timeline = beginning.timeline
        keys = beginning.keys
        heldReminders = beginning.reminders
        current = beginning.snapshot
        // The core is made with a way to an inbox that needs the core: the link closes the circle.
        let link = Link()
        let inbox = Inbox<EffectEvent<Action>>(on: loop) { link.host?.receive($0) }
        self.inbox = inbox
        journalInbox = beginning.journal.map { journal in
            Inbox(on: loop) { journal.endSnapshot($0.snapshot, of: $0.generation) }
        }
        var bounds = StoreLimits()
        bounds.runningEffects = limits.effects
        core = StoreCore(
            initialState: state,
            reducer: HostedReducer(base: reducer, startsEffects: startsEffects),
            revision: beginning.snapshot.revision, hooks: hooks, label: name, idPrefix: idPrefix,
            limits: bounds, clock: clock, now: calendar ?? { loop.date },
            inbox: { inbox.post($0) })
        link.host = self
        observeCore()
    }

    private final class Link {
        weak var host: TypedHost?
    }

    var revision: Int { core.revision }

    var holdings: StoreHoldings {
        StoreHoldings(
            historyCommits: history.size.commits, historyBytes: history.size.bytes,
            keys: keys.count, mail: inbox.count)
    }

    private func observeCore() {
        hot.observe(core) { [unowned self] in didCommit($0, $1, $2, $3, $4) }
        core.onEvent = { [unowned self] in didPublish($0) }
        core.onFault = { [unowned self] in observer?.didFail(self, $0.forTheLog) }
        core.onReminder = { [unowned self] in didRemind($0, $1) }
    }

    /// What a client has just dispatched, until its commit is made.
    var dispatched: (action: JSONNode, key: String?)?
    /// A hook may put another action in the place of the one that came.
    let hasHooks: Bool
    /// The states that were last looked up in history, the newest first: clients that come back
    /// together ask for the same one, and a difference needs two.
    var lookedUp: [Snapshot] = []
    /// How many of them are kept.
    static var lookedUpLimit: Int { 4 }
    /// What the present request needs to know of the journal, before it can be answered.
    var question: JournalReader.Question?
    /// The commits that the last request for history needed of the journal.
    var recalled: (request: HistoryRequest, commits: Result<[StoredCommit], any Error>)?
    /// The state that could not be read when it was last asked for, and why.
    var unreadable: (revision: Int, reason: String)?
    /// What effects have said while nothing can be stored.
    var delayedEvents: [EffectEvent<Action>] = []
    /// What waits for its time.
    var reminders: [EffectID: Reminder<Action>] = [:]
    /// What waited before a change that is not stored yet, with the batch of the change.
    var formerReminders: [(ticket: UInt64, id: EffectID, former: Reminder<Action>?)] = []
    /// What a journal held, to wait on when the store starts.
    private(set) var heldReminders: [Reminder<Action>]
    /// Clients that came, and that went, meanwhile.
    var arrived: [ClientIdentity] = []
    var departed: [ClientIdentity] = []
    /// Nothing can be stored: no commit is made.
    var isFrozen = false

    /// Set while a reconcile commits: it corrects the commit before and is no step of the timeline.
    var isReconciling = false

    private func didCommit(
        _ next: Snapshot, _ action: (any WireAction)?, _ travel: Travel?, _ origin: Origin,
        _ time: Date
    ) {
        // Of a small state it is made by whoever needs it, and not on the loop.
        // A travel may make a large one of it.
        let isMade = history.wantsPatch || travel != nil
        let patch = isMade ? presentPatch(from: current, to: next).raw : nil
        let former = current
        current = next
        lastWritten = nil
        var commit = History.Commit(
            revision: next.revision, time: time, origin: origin, action: action,
            actionBytes: size(of: action), travel: travel, amends: isReconciling)
        // Before it is recorded: a snapshot that is taken there has the cursor too.
        timeline.replay(commit.revision, travel, amends: isReconciling)
        if let journal {
            commit.storedBytes = record(
                commit, patch.map { .text($0) } ?? laterPatch(from: former, to: next), in: journal)
            history.needed = journal.storedRevision
        }
        dispatched = nil
        do { try history.append(commit, patch: patch, state: next) } catch { giveUp(error) }
        onCommit?()
    }

    /// The patch to the present state.
    func presentPatch(from old: Snapshot, to new: Snapshot) -> StatePatch {
        do { return try wholePatch(from: old, to: new) } catch { giveUp(error) }
    }

    /// The state type writes some values and cannot write this one: nobody could follow it.
    private func giveUp(_ error: any Error) -> Never {
        preconditionFailure("the state of \(name) cannot be written as JSON: \(error)")
    }

    /// The size of an action's text: a client's is known, another's is written for it.
    private func size(of action: (any WireAction)?) -> Int {
        guard let action else { return 0 }
        return dispatched?.action.raw.count ?? (try? ActionCodec.encode(action).bytes.count) ?? 0
    }

    private func didPublish(_ event: StoreEvent) {
        guard let value = event.value as? any Encodable, let data = try? RawJSON(encoding: value)
        else {
            observer?.didFail(
                self,
                StoreHostFault(
                    text: "an event on topic \(event.topic) cannot be written as JSON"))
            return
        }
        observer?.didPublish(event.topic, data, revision: event.revision, from: self)
    }
}

extension Loop {
    /// The calendar's time.
    fileprivate var date: Date {
        Date(timeIntervalSince1970: Double(calendarNanoseconds / 1_000_000) / 1_000)
    }
}

extension StoreFault {
    /// What went wrong, without payloads.
    fileprivate var forTheLog: StoreHostFault {
        switch self {
        case .effectFailed(let id, let error):
            StoreHostFault(text: "effect \(id.rawValue) failed: \(error.kind)")
        case .actionRefused(let origin, let error):
            StoreHostFault(text: "action of \(origin.words) refused: \(error.kind)")
        case .effectNotStarted(let reached):
            StoreHostFault(text: "effect not started: \(reached)", isAtItsEffects: true)
        }
    }
}

extension Error {
    /// For the log: its words may quote what somebody has sent, so only what it is.
    var kind: String { (self as? StoreLimitReached)?.description ?? "\(type(of: self))" }
}

extension Origin {
    fileprivate var words: String {
        switch self {
        case .local: "the program"
        case .client(let client): "client \(client.id)"
        case .effect(let id): "effect \(id.rawValue)"
        case .system: "the store"
        }
    }
}
