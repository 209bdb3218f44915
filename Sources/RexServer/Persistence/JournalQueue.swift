import Rex
import RexLoop
import RexProtocol

/// The loop's end of a journal: what was committed collects here while the disk is busy, and goes
/// to it in one transaction when it is not. That is why many clients share the price of one write.
final class JournalQueue {
    let journal: any Journal
    let durability: Durability
    private let writer: JournalWriter

    /// What collects for the next write.
    private var open = JournalBatch(ticket: 1)
    /// The batch that is being written.
    private(set) var inFlight: UInt64?
    /// The last batch that is stored.
    private(set) var stored: UInt64 = 0
    /// Of actions and patches that are not stored.
    private(set) var pendingBytes = 0
    /// What is being written, to be written again where that fails and nobody was to wait for it.
    private var flying: JournalBatch?
    /// The stores' parts, which are told what was handed over.
    private var parts: [StoreJournal] = []
    /// Why nothing can be stored at present.
    private(set) var failure: JournalError?
    /// How often that began.
    private(set) var failures = 0

    /// - Parameter report: called on the thread that writes.
    init(
        _ journal: any Journal, _ durability: Durability,
        report: @escaping @Sendable (JournalWriter.Report) -> Void
    ) {
        self.journal = journal
        self.durability = durability
        writer = JournalWriter(journal, report: report)
    }

    /// The batch with which everything committed so far is stored; nil where it is already.
    var ticket: UInt64? {
        open.isSilent ? inFlight : open.ticket
    }

    /// The batch that every frame has to wait for; nil where frames wait for none.
    var holdTicket: UInt64? { durability == .sync && failure == nil ? ticket : nil }

    /// The number of the batch that collects.
    var openTicket: UInt64 { open.ticket }

    var hasWork: Bool { !open.isEmpty }

    func add(_ part: StoreJournal) { parts.append(part) }

    // MARK: Collecting

    func append(_ commit: PendingCommit, of store: Int) {
        open.commits.append((store, commit))
        open.bytes += commit.bytes
        pendingBytes += commit.bytes
    }

    func append(_ key: StoredKey, of store: Int) { open.keys.append((store, key)) }

    func append(_ change: ReminderChange, of store: Int) { open.reminders.append((store, change)) }

    func append(_ snapshot: PendingSnapshot, of store: Int) {
        open.snapshots.append((store, snapshot))
    }

    func append(_ removal: JournalRemoval, of store: Int) {
        open.removals.append((store, removal))
    }

    // MARK: Writing

    /// Hands over what has collected, if nothing is being written.
    func handOver() {
        guard inFlight == nil, failure == nil, !open.isEmpty else { return }
        inFlight = open.ticket
        let batch = open
        open = JournalBatch(ticket: batch.ticket + 1)
        flying = batch
        for part in parts { part.didHandOver() }
        writer.write(batch)
    }

    func didStore(_ ticket: UInt64) {
        stored = ticket
        inFlight = nil
        pendingBytes -= flying?.bytes ?? 0
        flying = nil
        for part in parts { part.didStoreHandedOver() }
    }

    /// What was being written is not stored. Where acks wait for that, it is dropped with all that
    /// has collected behind it; otherwise it is kept, and written when that goes again.
    func didFail(_ error: JournalError) {
        failure = error
        failures += 1
        inFlight = nil
        if durability == .sync {
            open = JournalBatch(ticket: open.ticket + 1)
            pendingBytes = 0
        } else if let flying {
            open.takeBefore(flying)
        }
        flying = nil
    }

    func probe() { writer.probe() }

    func didRecover() { failure = nil }

    /// Stores the rest and closes the journal; the report is the last.
    func close() {
        if failure == nil, !open.isEmpty { writer.write(open) }
        writer.close(isCertain: failure == nil)
    }
}
