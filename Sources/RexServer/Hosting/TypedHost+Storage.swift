import FoundationEssentials
import Rex
import RexLoop
import RexProtocol

/// What a durable store adds: each commit goes to the journal, and what memory does not hold any
/// more comes from it.
extension TypedHost {
    /// After a start: the state is made to agree with who and what is there, then the store's own
    /// first action.
    func didStart() {
        for reminder in heldReminders { core.resume(reminder) }
        if journal != nil { reconcile() }
        dispatchOwn(Action.onStart)
    }

    // MARK: To the journal

    /// Returns about how many bytes that takes.
    func record(
        _ commit: History.Commit, _ patch: PendingPatch, in journal: StoreJournal
    ) -> Int {
        var action = PendingAction.none
        if let value = commit.action {
            action = writtenAction.map { .text($0) } ?? .value { try ActionCodec.encode(value) }
        }
        let bytes = StoredCommit.bytes(commit.actionBytes, patch.bytes)
        journal.append(
            PendingCommit(
                revision: commit.revision, time: commit.time, origin: commit.origin,
                key: dispatched?.key, action: action, travel: commit.travel,
                amends: commit.amends, patch: patch,
                bytes: bytes))
        if journal.wantsSnapshot { takeSnapshot(for: journal) }
        return bytes
    }

    /// The patch between two small states, made where it is written.
    func laterPatch(from old: Snapshot, to new: Snapshot) -> PendingPatch {
        let maker = patchMaker
        return .later { maker.patch(from: old, to: new) }
    }

    /// The action of the present commit as its client wrote it, without white space: nil where it
    /// is another one, or stands in a frame among members that are not its own.
    private var writtenAction: RawJSON? {
        guard let node = dispatched?.action, !hasHooks else { return nil }
        for (name, _) in node.members
        where !name.isEqual(to: "type") && !name.isEqual(to: "payload") { return nil }
        return node.compact
    }

    /// Encodes the state elsewhere: it is shared until the next commit changes it.
    private func takeSnapshot(for journal: StoreJournal) {
        let written = journal.beginSnapshot()
        let generation = journal.generation
        let (state, revision, saved) = (current.state, current.revision, timeline)
        let now = Date().milliseconds
        Task.detached(priority: .utility) { [journalInbox] in
            let snapshot = try? PendingSnapshot(
                revision: revision, milliseconds: now, written: written,
                timeline: RawJSON(encoding: saved.saved), state: RawJSON(encoding: state))
            journalInbox?.post((snapshot, generation))
        }
    }

    /// Remembers a key's answer, and stores it with what it is the answer to.
    func remember(
        _ key: KeyTable.Key, _ hash: [UInt8], _ answer: KeyTable.Answer, at now: UInt64
    ) {
        keys.remember(key, actionHash: hash, answer: answer, at: now)
        journal?.append(
            StoredKey(
                user: key.user, text: key.text, actionHash: hash, answer: answer,
                milliseconds: Date().milliseconds))
    }

    func didRemind(_ id: EffectID, _ reminder: Reminder<Action>?) {
        guard let journal else { return }
        formerReminders.removeAll { $0.ticket <= journal.queue.stored }
        formerReminders.append((journal.openTicket, id, reminders[id]))
        reminders[id] = reminder
        if let reminder {
            let action = reminder.action
            journal.append(
                .set(id: id.rawValue, due: reminder.date.milliseconds) {
                    try ActionCodec.encode(action)
                })
        } else {
            journal.append(.removed(id: id.rawValue))
        }
    }

    // MARK: From the journal

    func takeQuestion() -> JournalReader.Question? {
        defer { question = nil }
        return question
    }

    func keep(_ state: Snapshot) {
        lookedUp.insert(state, at: 0)
        if lookedUp.count > Self.lookedUpLimit { lookedUp.removeLast() }
    }

    /// A state that memory does not hold: it is gone, or the journal has it and is to be asked.
    func notInMemory(_ revision: Int) -> WireError {
        if let unreadable, unreadable.revision == revision {
            self.unreadable = nil
            return WireError(
                .gone, "revision \(revision) cannot be read: \(unreadable.reason)")
        }
        let first = journal?.first ?? history.firstRevision
        if let journal, revision >= first {
            let store = journal.number
            question = { journal in
                Recollection(
                    revision: revision,
                    state: Result {
                        let past = JournalPast(journal: journal, store: store)
                        return try JSONCoder.decode(State.self, from: past.state(at: revision))
                    })
            }
        }
        return WireError(
            .gone, "revision \(revision) is not held any more; the first is \(first)")
    }

    /// A state that the journal was asked for.
    private struct Recollection: Sendable {
        let revision: Int
        let state: Result<State, any Error>
    }

    /// Commits that the journal was asked for.
    private struct Recital: Sendable {
        let request: HistoryRequest
        let commits: Result<[StoredCommit], any Error>
    }

    func didRecall(_ result: Result<any Sendable, any Error>) {
        switch result {
        case .success(let found as Recollection):
            switch found.state {
            case .success(let state): keep(Snapshot(revision: found.revision, state: state))
            case .failure(let error): unreadable = (found.revision, "\(error)")
            }
        case .success(let found as Recital): recalled = (found.request, found.commits)
        case .success: break
        case .failure(let error):
            observer?.didFail(
                self, StoreHostFault(text: "the journal cannot be read: \(error)"))
        }
    }

    /// The answer to a request for history where the journal is needed for it, nil where memory has
    /// it all. Throws while the journal has to be asked.
    func storedHistory(
        _ request: HistoryRequest, _ limit: Int
    ) throws(WireError) -> [ServerFrame.Entry]? {
        guard let journal, journal.first < history.firstRevision else { return nil }
        let memory = history.firstRevision
        if let after = request.after {
            guard after < memory, after >= journal.first else { return nil }
            let stored = try recall(request) { past in
                try past.entries(after: after, limit: limit, changing: request.path)
            }
            return stored.map(storedEntry)
        }
        let newest = try newestInMemory(limit, request.path)
        guard newest.count < limit else { return nil }
        let older = try recall(request) { past in
            try past.newestEntries(
                through: memory, limit: limit - newest.count, changing: request.path)
        }
        let recent = try newest.map { (entry) throws(WireError) in try wireEntry(entry) }
        return older.map(storedEntry) + recent
    }

    private func newestInMemory(
        _ limit: Int, _ path: JSONPointer?
    ) throws(WireError) -> [History.Entry] {
        do {
            return try history.newestEntries(limit: limit, changing: path)
        } catch {
            throw WireError(.internal, "the history of \(name) cannot be read: \(error)")
        }
    }

    private func recall(
        _ request: HistoryRequest,
        _ ask: @escaping @Sendable (JournalPast) throws -> [StoredCommit]
    ) throws(WireError) -> [StoredCommit] {
        if let recalled, recalled.request == request {
            self.recalled = nil
            do {
                return try recalled.commits.get()
            } catch {
                throw WireError(.gone, "these commits cannot be read: \(error)")
            }
        }
        let store = journal?.number ?? 0
        question = { journal in
            Recital(
                request: request,
                commits: Result { try ask(JournalPast(journal: journal, store: store)) })
        }
        throw WireError(.gone, "these commits are not held any more")
    }

    private func storedEntry(_ commit: StoredCommit) -> ServerFrame.Entry {
        ServerFrame.Entry(
            rev: commit.revision, at: Date(milliseconds: commit.milliseconds),
            action: commit.action,
            travel: commit.travel.map { .init(op: $0.op.rawValue, to: $0.to) },
            from: Origin(stored: commit.origin)?.sender, patch: commit.patch)
    }

    // MARK: When nothing can be stored

    func receive(_ event: EffectEvent<Action>) {
        guard isFrozen else { return core.receive(event) }
        // What does not fit is lost, as if its effect had come too late.
        if delayedEvents.count < limits.effects { delayedEvents.append(event) }
    }

    func freeze() { isFrozen = true }

    func goBackToStored() {
        guard let journal, journal.storedRevision < revision else { return }
        let target = journal.storedRevision
        guard target >= history.firstRevision, let state = try? history.state(at: target) else {
            preconditionFailure(
                "\(name) cannot go back from \(revision) to \(target), which is stored")
        }
        journal.didGoBack(history.storedBytes(after: target))
        history.dropAll(after: state)
        let snapshot = own(state)
        core.goBack(to: snapshot.state, revision: target)
        current = snapshot
        lastPatch = nil
        lookedUp = []
        keys.forget(commitsAfter: target)
        timeline = history.timeline
        restoreReminders(journal)
    }

    /// What had its time, or was removed, with commits that are no more, waits again.
    private func restoreReminders(_ journal: StoreJournal) {
        let changes = formerReminders.filter { $0.ticket > journal.queue.stored }
        formerReminders = []
        for (_, id, former) in changes.reversed() where reminders[id]?.date != former?.date {
            if let former { core.resume(former) } else { core.cancelEffect(id: id) }
        }
    }

    func thaw() {
        isFrozen = false
        let events = delayedEvents
        delayedEvents = []
        for event in events { core.receive(event) }
        for client in departed { dispatchOwn(Action.disconnected(client)) }
        departed = []
        for client in arrived { dispatchOwn(Action.connected(client)) }
        arrived = []
        reconcile()
    }
}
