import FoundationEssentials
import Rex
import RexLoop
import RexProtocol

/// Durable stores: opening the journal, holding back what is not stored, going on when it is.
extension Server {
    /// Makes the stores that are hosted from here on durable: what they hold is kept in a folder,
    /// and is there again when a server opens it next.
    ///
    /// Before `host`. It reads and writes on the server's loop, as `host` does then; once clients
    /// are served the loop never waits for the disk.
    ///
    /// - Parameters:
    ///   - folder: made where there is none; one server at a time has it.
    ///   - durability: when an action counts as done.
    ///   - acceptsLoss: where the journal is damaged, go on with what is good of it; the log says
    ///     what is lost, and the damaged file is kept beside the new one. Otherwise damage throws.
    /// - Throws: `JournalError`: `taken` with the number of the process that has the folder,
    ///   `newer`, `damaged`, or `failed` with the system's words.
    public func openJournal(
        in folder: String, durability: Durability = .sync, acceptsLoss: Bool = false
    ) throws(JournalError) {
        journalLock = try JournalArchive.lock(folder)
        if acceptsLoss { try rescueJournal(in: folder) }
        let path = "\(folder)/\(JournalFolder.fileName)"
        let writing = try SQLiteJournal(path: path)
        try use(writing, readingFrom: try SQLiteJournal(reading: path), durability)
    }

    private func rescueJournal(in folder: String) throws(JournalError) {
        do {
            for loss in try JournalRescue(folder).losses {
                log.event(.error, "journal_loss", ["reason": loss])
            }
        } catch {
            throw error as? JournalError ?? JournalError(.failed, "\(error)")
        }
    }

    /// As `openJournal`, with any journal.
    func use(
        _ journal: any Journal, readingFrom reader: any Journal, _ durability: Durability
    ) throws(JournalError) {
        precondition(stores.isEmpty, "a journal is opened before stores are hosted")
        if try journal.isUncertain() {
            // Acks may have been ahead of what was stored: no client may go on from where it was.
            for store in try journal.stores() {
                try journal.beginEpoch(Identifiers.fresh(), of: store.number)
            }
        }
        try journal.setUncertain(durability == .async)
        lastConnection = try journal.clientsNamed()
        namedAhead = lastConnection
        let reports = Inbox<JournalWriter.Report>(on: loop) { [weak self] report in
            self?.enter(with: report) { $0.didReport($1) }
        }
        self.journal = JournalQueue(journal, durability) { reports.post($0) }
        let answers = Inbox<JournalReader.Answer>(on: loop) { [weak self] answer in
            self?.enter(with: answer) { $0.didRecall($1) }
        }
        let readerEnd = Inbox<Bool>(on: loop) { [weak self] _ in
            self?.enter(with: true) { server, _ in server.closeJournal() }
        }
        journalReader = JournalReader(
            reader, answer: { answers.post($0) }, closed: { readerEnd.post(true) })
    }

    /// Notes, in good time, that more clients are named than was noted: nobody is given the name of
    /// another whom history knows by it, not by a later server either. Whatever a client commits is
    /// stored behind it.
    func nameAhead() {
        guard let journal, lastConnection > namedAhead - Self.clientsAhead / 2 else { return }
        namedAhead = lastConnection + Self.clientsAhead
        journal.nameClients(namedAhead)
    }

    /// How many clients' names are noted before they are given. A server that is killed leaves so
    /// many out.
    private static let clientsAhead = 10_000

    private func closeJournal() { journal?.close(clients: lastConnection) }

    func beginning<State: Statable & Codable, Action: WireAction>(
        of name: String, _ state: State
    ) throws -> Beginning<State, Action> {
        guard let journal else { return Beginning(state, limits) }
        return try Beginning(name, state, in: journal, limits, now: loop.milliseconds) {
            log.event(.warning, "journal_damaged", ["reason": $0])
        }
    }

    // MARK: Holding back

    /// What is sent to a connection from here on waits until everything committed so far is stored.
    func holdBack(_ connection: Connection) {
        guard let journal, let ticket = journal.holdTicket else { return }
        hold(connection, until: ticket)
    }

    private func hold(_ connection: Connection, until ticket: UInt64) {
        connection.outbox.hold(until: ticket)
        guard !connection.isListedAsHeld else { return }
        connection.isListedAsHeld = true
        heldConnections.append(connection)
    }

    /// Notes a dispatch whose ack is about to be held back; where acks do not wait, one that asked
    /// to does.
    func noteUnstored(_ dispatch: ClientFrame.Dispatch, for connection: Connection) {
        guard let journal, let ticket = journal.ticket else { return }
        if journal.durability == .sync {
            connection.unstored.append((ticket, dispatch.id))
        } else if dispatch.await == .durable {
            hold(connection, until: ticket)
        }
    }

    /// Hands over what the turn has committed.
    func handOverToJournal() {
        guard let journal, journal.hasWork, journal.failure == nil else { return }
        guard journal.durability == .async else {
            return journal.handOver()
        }
        guard !hasJournalDeadline else { return }
        hasJournalDeadline = true
        add(.journal, after: Self.asyncMilliseconds)
    }

    /// How long commits collect where acks do not wait for them.
    static let asyncMilliseconds = 100
    /// How often it is tried whether something can be stored again.
    static let probeMilliseconds = 500

    func didReachJournalDeadline() {
        hasJournalDeadline = false
        guard let journal else { return }
        if journal.failure != nil { journal.probe() } else { journal.handOver() }
    }

    /// After a flush: who was paused or behind for the disk's sake goes on.
    func didFlush(_ connection: Connection) {
        guard connection.isServed, !connection.socket.isDraining,
            connection.outbox.pendingBytes <= outboxLimit / 2
        else { return }
        catchUp(connection)
        releaseEvents(of: connection)
        if connection.isFull { add(.goOn(connection: connection.id), after: 0) }
    }

    // MARK: What the disk says

    private func didReport(_ report: JournalWriter.Report) {
        switch report {
        case .stored(let ticket, let nanoseconds):
            metrics.journalWriteLength.record(nanoseconds: nanoseconds)
            didStore(ticket)
        case .failed(_, let error): didFail(error)
        case .recovered: didRecover()
        case .stillFailing(let error):
            log.event(.debug, "journal_still_failing", ["reason": error.description])
            awaitRecovery()
        case .closed: endStop()
        }
    }

    private func didStore(_ ticket: UInt64) {
        guard let journal, journal.failure == nil else { return }
        journal.didStore(ticket)
        let now = Date().milliseconds
        for store in stores.values {
            store.host.journal?.didStore(ticket, revision: store.host.revision, now: now)
        }
        release(through: ticket)
        wakeStorageWaits(through: ticket, isStored: true)
    }

    private func release(through ticket: UInt64) {
        var still: [Connection] = []
        for connection in heldConnections {
            connection.outbox.release(through: ticket)
            let stored = connection.unstored.prefix { $0.ticket <= ticket }.count
            connection.unstored.removeFirst(stored)
            if connection.outbox.isHeld {
                still.append(connection)
            } else {
                connection.isListedAsHeld = false
            }
            touch(connection)
        }
        heldConnections = still
    }

    // MARK: The program

    func checkStorageForProgram(of store: HostedStore) throws {
        do throws(WireError) {
            try checkStorage(of: store)
        } catch {
            throw JournalError(.failed, error.message)
        }
    }

    /// Returns when everything that was committed so far is stored.
    func waitUntilStored(_ store: HostedStore) async throws {
        guard let journal, store.host.journal != nil, let ticket = journal.holdTicket else {
            return
        }
        let failures = journal.failures
        let isStored = await withCheckedContinuation { continuation in
            // Asked again: the loop may have turned on the way into this closure.
            if journal.stored >= ticket || journal.failures > failures {
                continuation.resume(returning: journal.failures == failures)
            } else {
                storageWaits.append((ticket, continuation))
            }
        }
        if !isStored {
            throw JournalError(.failed, journal.failure?.description ?? "the server has stopped")
        }
    }

    func wakeStorageWaits(through ticket: UInt64, isStored: Bool) {
        let count = storageWaits.prefix { $0.ticket <= ticket }.count
        guard count > 0 else { return }
        let waits = storageWaits.prefix(count)
        storageWaits.removeFirst(count)
        for wait in waits { wait.continuation.resume(returning: isStored) }
    }

    // MARK: The past

    /// Leaves a connection's request until the journal has been asked. What is behind it waits, so
    /// that answers keep the order of the requests.
    func ask(
        _ question: @escaping JournalReader.Question, of store: String, for connection: Connection,
        then request: Connection.Request
    ) {
        guard !isClosingJournal else { return }
        connection.awaitsAnswer = true
        connection.isPaused = true
        connection.askedAgain = request
        connection.socket.stopReading()
        journalReader?.ask(question, of: store, for: connection.id)
    }

    private func didRecall(_ answer: JournalReader.Answer) {
        stores[answer.store]?.host.didRecall(answer.result)
        guard let connection = connections[answer.connection], connection.awaitsAnswer else {
            return
        }
        connection.awaitsAnswer = false
        guard connection.isServed, let request = connection.askedAgain else { return }
        connection.askedAgain = nil
        serveAgain(request, from: connection)
        resume(connection)
    }
}
