import FoundationEssentials
import Rex
import RexLoop
import RexProtocol

/// A store of one state and action type, hosted: the core with what the wire adds to it (codec,
/// history, time travel, keys, presence).
final class TypedHost<R: Reducer>: StoreHost where R.State: Codable, R.Action: WireAction {
    typealias State = R.State
    typealias Action = R.Action

    let name: String
    let epoch: String
    weak var observer: (any StoreHostObserver)?

    let core: StoreCore<HostedReducer<R>>
    let reducer: R
    /// Says whether a client may dispatch an action; nil where nobody has to be asked.
    let authorize: (@Sendable (R.Action, ClientIdentity) async -> Bool)?
    let limits: Limits
    var history: History<State, Action>
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
    let diff = StateDiff<State>()
    /// The last two snapshots that were compared: the patch of a commit is most often asked for
    /// again, by the cut.
    var lastPatch: (old: Snapshot, new: Snapshot, patch: StatePatch)?

    /// One state and, once somebody asked, its text.
    final class Snapshot: StateSnapshot {
        let revision: Int
        let state: State
        private var text: RawJSON?
        private var digest: String?
        /// The parts that were asked for by those who may not see all of it.
        var parts: [ReadPlace: JSONValue] = [:]

        init(revision: Int, state: State) {
            self.revision = revision
            self.state = state
        }

        /// The whole state as JSON; made once. O(state).
        func json() throws -> RawJSON {
            if let text { return text }
            let made = try RawJSON(encoding: state)
            text = made
            return made
        }

        /// SHA-256 of its canonical form; made once. O(state).
        func hash() throws -> String {
            if let digest { return digest }
            let made = "sha256:" + Digest.hexadecimal(Digest.sha256(try json().value.canonical))
            digest = made
            return made
        }
    }

    /// - Parameter startsEffects: false for a fork.
    init(
        name: String, _ beginning: Beginning<State, Action>, reducer: R, loop: Loop,
        limits: Limits, hooks: [AnyPipelineHook<State, Action>] = [],
        authorize: (@Sendable (R.Action, ClientIdentity) async -> Bool)? = nil,
        clock: any Clock<Duration> = SystemClock(),
        startsEffects: Bool = true, idPrefix: String = ""
    ) throws {
        let state = beginning.state
        // A state that cannot be written is found at the start and not at the first subscriber.
        _ = try RawJSON(encoding: state)
        self.name = name
        self.reducer = reducer
        self.authorize = authorize
        self.limits = limits
        self.loop = loop
        epoch = beginning.epoch
        history = beginning.history
        journal = beginning.journal
        timeline = beginning.timeline
        keys = beginning.keys
        heldReminders = beginning.reminders
        current = Snapshot(revision: beginning.revision, state: state)
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
            revision: beginning.revision, hooks: hooks, label: name, idPrefix: idPrefix,
            limits: bounds, clock: clock,
            inbox: { inbox.post($0) })
        link.host = self
        observeCore()
    }

    private final class Link {
        weak var host: TypedHost?
    }

    var revision: Int { core.revision }

    private func observeCore() {
        core.onCommit = { [unowned self] in didCommit($0) }
        core.onEvent = { [unowned self] in didPublish($0) }
        core.onFault = { [unowned self] in observer?.didFail(self, $0.words) }
        core.onReminder = { [unowned self] in didRemind($0, $1) }
    }

    /// The size of the action that a client has just dispatched.
    var clientActionBytes: Int?
    /// The states that were last looked up in history, the newest first: clients that come back
    /// together ask for the same one, and a difference needs two.
    var lookedUp: [(revision: Int, state: State)] = []
    /// How many of them are kept.
    static var lookedUpLimit: Int { 4 }
    /// The key under which the present dispatch came.
    var keyOfAction: String?
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

    /// Set while a travel or a reconcile commits: neither is a new step for the cursor.
    var isSteering = false

    private func didCommit(_ commit: borrowing Commit<State, Action>) {
        let next = Snapshot(revision: commit.revision, state: commit.state)
        let patch: RawJSON
        do {
            patch = try wholePatch(from: current, to: next).raw
        } catch {
            // The state type writes some values and cannot write this one: nobody could follow it.
            preconditionFailure("the state of \(name) cannot be written as JSON: \(error)")
        }
        current = next
        let actionBytes = size(of: commit.action)
        let entry = History<State, Action>.Entry(
            revision: commit.revision, time: commit.time, origin: commit.origin,
            action: commit.action, actionBytes: actionBytes, travel: commit.travel,
            patch: patch, amends: isSteering ? commit.travel == nil : false)
        history.append(entry, state: commit.state)
        if !isSteering { timeline.didCommit(commit.revision) }
        if let journal { record(entry, in: journal) }
        observer?.didCommit(self)
    }

    /// The size of an action's text: a client's is known, another's is written for it.
    private func size(of action: Action?) -> Int {
        guard let action else { return 0 }
        defer { clientActionBytes = nil }
        return clientActionBytes ?? (try? ActionCodec.encode(action).bytes.count) ?? 0
    }

    private func didPublish(_ event: StoreEvent) {
        guard let value = event.value as? any Encodable, let data = try? RawJSON(encoding: value)
        else {
            observer?.didFail(self, "an event on topic \(event.topic) cannot be written as JSON")
            return
        }
        observer?.didPublish(event.topic, data, revision: event.revision, from: self)
    }
}

extension StoreFault {
    /// For the log: what went wrong, without payloads.
    var words: String {
        switch self {
        case .effectFailed(let id, let error): "effect \(id.rawValue) failed: \(error)"
        case .actionRefused(let origin, let error): "action of \(origin.words) refused: \(error)"
        case .effectNotStarted(let reached): "effect not started: \(reached)"
        }
    }
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
