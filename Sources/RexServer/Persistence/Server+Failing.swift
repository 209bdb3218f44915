import Rex
import RexProtocol

/// When the disk does not take what it is given: nothing is promised that is not stored, and work
/// goes on when it does again.
///
/// Where acks wait for the disk, a write that failed is as a crash would have been, without the
/// loss of the process: the stores go back to what is stored, who was owed more is told that it
/// did not happen, and whoever followed a store comes back and resumes from what it was shown.
extension Server {
    func didFail(_ error: JournalError) {
        guard let journal else { return }
        log.event(.error, "journal_failed", ["reason": error.description])
        journal.didFail(error)
        for store in stores.values where store.host.journal != nil { store.host.freeze() }
        if journal.durability == .sync { goBackToStored(after: error) }
        awaitRecovery()
    }

    private func goBackToStored(after error: JournalError) {
        for store in stores.values where store.host.journal != nil {
            let before = store.host.revision
            store.host.goBackToStored()
            guard store.host.revision < before else { continue }
            store.lastCut = store.host.snapshot
            store.ready = []
            store.hasGoneBack = true
        }
        wakeStorageWaits(through: .max, isStored: false)
        let refusal = storageRefusal(error)
        for connection in connections.values.sorted(by: { $0.id < $1.id }) {
            let followed = connection.session.subscriptions.values.contains {
                $0.store.hasGoneBack
            }
            // Which of the events that wait came of what was not stored is not known.
            metrics.eventsDropped += connection.backlog?.loseAll() ?? 0
            if connection.outbox.isHeld || followed { turnAway(connection, refusal) }
        }
        heldConnections = []
        for store in stores.values { store.hasGoneBack = false }
    }

    /// Answers what was not stored and ends the connection.
    private func turnAway(_ connection: Connection, _ refusal: WireError) {
        let unanswered = connection.unstored
        let wasHeld = connection.outbox.isHeld
        connection.outbox.dropHeld()
        connection.isListedAsHeld = false
        connection.unstored = []
        guard connection.isServed else { return }
        if case .http = connection.wire {
            if wasHeld { answer(HTTPResponse(refusal), to: connection) } else { finish(connection) }
            return
        }
        for (_, id) in unanswered { reply(refusal, id: id, to: connection) }
        close(connection, .overloaded, refusal.message)
    }

    private func storageRefusal(_ error: JournalError) -> WireError {
        WireError(
            .overloaded, "this cannot be stored, and was not done: \(error.reason)",
            retryMilliseconds: Self.probeMilliseconds)
    }

    func awaitRecovery() {
        hasJournalDeadline = true
        add(.journal, after: Self.probeMilliseconds)
    }

    func didRecover() {
        guard let journal else { return }
        journal.didRecover()
        // Whatever was to be noted meanwhile was not.
        journal.nameClients(namedAhead)
        log.event(.notice, "journal_recovered")
        for name in storeOrder { stores[name]?.host.thaw() }
    }

    /// Whether a commit of a store can be stored; it is not made otherwise.
    func checkStorage(of store: HostedStore) throws(WireError) {
        guard let journal, store.host.journal != nil else { return }
        if let failure = journal.failure {
            throw WireError(
                .overloaded, "nothing can be stored at present: \(failure.reason)",
                retryMilliseconds: Self.probeMilliseconds)
        }
        guard journal.pendingBytes <= pendingBytesLimit else {
            throw limit(
                .journalQueueBytes,
                WireError(
                    .overloaded, "\(pendingBytesLimit) bytes wait for the disk already",
                    retryMilliseconds: Self.asyncMilliseconds))
        }
    }

    /// Memory must reach back behind what is not stored.
    private var pendingBytesLimit: Int {
        min(limits.journalQueueBytes, limits.historyBytes / 4)
    }
}
