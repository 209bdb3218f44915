import Rex
import RexProtocol

/// One durable store's part of the journal, on the loop: what of it is to be stored, when its whole
/// state is, and how far back the past reaches.
final class StoreJournal {
    let number: Int
    let queue: JournalQueue
    /// The oldest revision whose state can be had.
    private(set) var first: Int
    /// The newest revision that is stored.
    private(set) var storedRevision: Int
    private var newest: Int
    /// The newest revision of each batch that was handed over and brought one.
    private var handedOver: [(ticket: UInt64, revision: Int)] = []
    /// Changes when commits are taken back: a snapshot from before it is of no use.
    private(set) var generation = 0

    private let limits: Limits
    private let retention: Retention
    private var marks: [SnapshotMark]
    private var written: Int
    private var commitsSince: Int
    private var bytesSince: Int
    /// A snapshot is being encoded, or on its way to the disk with a batch.
    private var isTaking = false
    private var underWay: (ticket: UInt64, mark: SnapshotMark)?
    /// Commits up to it are removed.
    private var removedThrough: Int
    /// The removal of those up to a revision is on its way.
    private var removing: (ticket: UInt64, through: Int)?

    /// Commits that one batch removes: the others do not wait long for it.
    private static let removedAtOnce = 5_000
    /// A large state is stored only after commits of a part of its size...
    private static let partOfState = 4
    /// ...or after so many times the usual number of commits.
    private static let mostCommits = 10

    init(_ recovery: Recovery, _ queue: JournalQueue, _ limits: Limits) {
        number = recovery.store.number
        self.queue = queue
        self.limits = limits
        retention = Retention(limits)
        marks = recovery.marks
        first = marks[0].revision
        removedThrough = min(recovery.oldest, first)
        written = recovery.written
        commitsSince = recovery.commits.count
        bytesSince = recovery.written - recovery.snapshot.written
        storedRevision = recovery.revision
        newest = storedRevision
        queue.add(self)
    }

    /// All that was appended so far goes with this batch or one before it.
    func didHandOver(_ ticket: UInt64) {
        guard newest > handedOver.last?.revision ?? storedRevision else { return }
        handedOver.append((ticket, newest))
    }

    /// This batch and all before it are stored.
    func didStoreBatches(through ticket: UInt64) {
        let count = handedOver.prefix { $0.ticket <= ticket }.count
        guard count > 0 else { return }
        storedRevision = handedOver[count - 1].revision
        handedOver.removeFirst(count)
    }

    func append(_ commit: PendingCommit) {
        queue.append(commit, of: number)
        newest = commit.revision
        written += commit.bytes
        bytesSince += commit.bytes
        commitsSince += 1
    }

    func append(_ key: StoredKey) { queue.append(key, of: number) }

    func append(_ change: ReminderChange) { queue.append(change, of: number) }

    /// The batch that what is appended now is stored with.
    var openTicket: UInt64 { queue.openTicket }

    // MARK: Snapshots

    /// The whole state should be stored now.
    var wantsSnapshot: Bool {
        guard !isTaking, commitsSince > 0 else { return false }
        let last = marks[marks.count - 1].bytes
        return commitsSince >= limits.snapshotCommits && bytesSince >= last / Self.partOfState
            || commitsSince >= limits.snapshotCommits * Self.mostCommits
            || bytesSince >= max(limits.snapshotBytes, last)
    }

    /// Says that the present state is being encoded, and returns the bytes of all commits so far.
    func beginSnapshot() -> Int {
        isTaking = true
        commitsSince = 0
        bytesSince = 0
        return written
    }

    /// Takes the encoded state; nil where it could not be written.
    func endSnapshot(_ snapshot: PendingSnapshot?, of generation: Int) {
        guard generation == self.generation, queue.failure == nil, let snapshot else {
            isTaking = false
            return
        }
        queue.append(snapshot, of: number)
        let mark = SnapshotMark(
            revision: snapshot.revision, milliseconds: snapshot.milliseconds,
            written: snapshot.written, bytes: snapshot.state.bytes.count)
        underWay = (queue.openTicket, mark)
    }

    /// A batch is stored.
    ///
    /// - Parameters:
    ///   - revision: the newest one.
    ///   - now: milliseconds since 1970.
    func didStore(_ ticket: UInt64, revision: Int, now: Int) {
        if let removing, removing.ticket <= ticket {
            removedThrough = removing.through
            self.removing = nil
        }
        if let underWay, underWay.ticket <= ticket {
            marks.append(underWay.mark)
            self.underWay = nil
            isTaking = false
            forget(revision: revision, now: now)
        }
        removeCommits()
    }

    /// What was handed over will not be stored, be it commits or a snapshot and what is old.
    func didLoseBatches() {
        handedOver = []
        removing = nil
        guard underWay != nil else { return }
        underWay = nil
        isTaking = false
    }

    /// Commits behind the stored ones are taken back.
    ///
    /// - Parameter bytes: of them.
    func didGoBack(_ bytes: Int) {
        generation += 1
        written -= bytes
        newest = storedRevision
        isTaking = false
    }

    // MARK: The past

    private func forget(revision: Int, now: Int) {
        let base = retention.base(of: marks, last: revision, written: written, now: now)
        var gone = marks.filter { $0.revision < base }.map(\.revision)
        marks.removeAll { $0.revision < base }
        first = base
        let many = retention.superfluous(in: marks)
        marks.removeAll { many.contains($0.revision) }
        gone += many
        if !gone.isEmpty { queue.append(.snapshots(gone), of: number) }
        queue.append(.keys(before: now - limits.keyMilliseconds, most: limits.keys), of: number)
    }

    /// The next few that are too old, in the next batch.
    private func removeCommits() {
        guard removedThrough < first, removing == nil, queue.failure == nil else { return }
        let next = min(first, removedThrough + Self.removedAtOnce)
        queue.append(.commits(after: removedThrough, through: next), of: number)
        removing = (queue.openTicket, next)
    }
}
