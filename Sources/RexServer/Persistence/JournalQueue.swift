import Rex
import RexLoop
import RexProtocol

/// The loop's end of a journal: what a turn has committed collects here, and goes at its end to the
/// thread that writes. All that has come there while the disk was busy is one transaction: that is
/// why many clients share the price of one write.
final class JournalQueue {
    let journal: any Journal
    let durability: Durability
    private let writer: JournalWriter

    /// What the present turn collects.
    private var open = JournalBatch(ticket: 1)
    /// What was handed over and is not known to be stored, in order.
    private var underWay: [(ticket: UInt64, bytes: Int)] = []
    /// The same whole, where nobody waits for it: it is written again when that goes.
    private var kept: [JournalBatch] = []
    /// The last batch that is stored.
    private(set) var stored: UInt64 = 0
    /// How often something was written: each time one batch or several.
    private(set) var writes = 0
    /// Of actions and patches that are not stored.
    private(set) var pendingBytes = 0
    /// Batches that were handed over and are not known to be stored.
    var pendingBatches: Int { underWay.count }
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
        open.isSilent ? underWay.last?.ticket : open.ticket
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

    /// Nothing is written any more.
    private var isClosed = false

    private static let expectedCommits = 1_024

    /// Hands over what has collected. It is bounded by what may wait for the disk.
    func handOver() {
        guard failure == nil, !isClosed, !open.isEmpty else { return }
        let batch = open
        open = JournalBatch(ticket: batch.ticket + 1)
        // The next turn brings about as many.
        open.commits.reserveCapacity(min(batch.commits.count, Self.expectedCommits))
        underWay.append((batch.ticket, batch.bytes))
        if durability == .async { kept.append(batch) }
        for part in parts { part.didHandOver(batch.ticket) }
        writer.write(batch)
    }

    /// The batch with this number, and all before it, is stored.
    func didStore(_ ticket: UInt64) {
        stored = ticket
        writes += 1
        let count = underWay.prefix { $0.ticket <= ticket }.count
        pendingBytes -= underWay[..<count].reduce(0) { $0 + $1.bytes }
        underWay.removeFirst(count)
        kept.removeFirst(kept.prefix { $0.ticket <= ticket }.count)
        for part in parts { part.didStoreBatches(through: ticket) }
    }

    /// What was handed over is not stored. Where acks wait for that, it is dropped with all that
    /// has collected behind it; otherwise it is kept, and written when that goes again.
    func didFail(_ error: JournalError) {
        failure = error
        failures += 1
        underWay = []
        if durability == .sync {
            open = JournalBatch(ticket: open.ticket + 1)
            pendingBytes = 0
            for part in parts { part.didLoseBatches() }
        } else {
            kept.append(open)
            open = kept[0]
            for batch in kept.dropFirst() { open.append(batch) }
            kept = []
        }
    }

    func probe() { writer.probe() }

    func didRecover() { failure = nil }

    /// Notes how many clients may be named, behind what was handed over.
    func nameClients(_ count: Int) {
        if !isClosed { writer.nameClients(count) }
    }

    /// Stores the rest and closes the journal; the report is the last.
    ///
    /// - Parameter clients: how many were named.
    func close(clients: Int) {
        if failure == nil, !open.isEmpty { writer.write(open) }
        isClosed = true
        writer.close(isCertain: failure == nil, clients: clients)
        forgetParts()
    }

    /// Each part holds the queue: without this neither would ever go.
    func forgetParts() { parts = [] }
}
