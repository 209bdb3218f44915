import Rex
import RexProtocol

/// A store as it is found in a journal: a good snapshot and the good commits behind it.
struct Recovery: Sendable {
    let store: StoredStore
    let snapshot: StoredSnapshot
    /// Behind the snapshot, without gaps, each as it was stored.
    let commits: [StoredCommit]
    /// The snapshots that there are, the oldest first.
    let marks: [SnapshotMark]
    /// The revision behind which the oldest commit is that is still there.
    let oldest: Int
    /// What a person should know, and nothing is lost by.
    let notes: [String]
    /// What is not there as it was stored.
    let damage: JournalDamage?

    /// The newest revision.
    var revision: Int { commits.last?.revision ?? snapshot.revision }
    /// The bytes of all commits ever.
    var written: Int { commits.reduce(snapshot.written) { $0 + $1.bytes } }

    /// Commits that are read at once.
    private static let page = 1_000

    /// Finds what is good of a store. O(newest state + commits behind its snapshot).
    ///
    /// A snapshot that is not as it was stored is passed over for an older one, which loses
    /// nothing. A commit that is not, or is missing, ends what is good: `damage` then says what is
    /// behind it.
    init(of store: StoredStore, in journal: any Journal) throws(JournalError) {
        let marks = try journal.snapshots(of: store.number)
        var notes: [String] = []
        var best: (snapshot: StoredSnapshot, chain: Chain)?
        for mark in marks.reversed() {
            guard let snapshot = try Self.snapshot(at: mark, of: store, in: journal) else {
                notes.append("the snapshot at revision \(mark.revision) is damaged")
                continue
            }
            let chain = try Chain(
                behind: snapshot, to: marks[marks.count - 1].revision, of: store, in: journal)
            if best.map({ $0.chain.end < chain.end }) ?? true { best = (snapshot, chain) }
            if chain.damage == nil { break }
        }
        guard let best else {
            throw JournalError(
                .damaged,
                "store \(store.name): no snapshot is good, so nothing of it can be restored")
        }
        self.store = store
        self.marks = marks.filter { $0.revision <= best.snapshot.revision }
        self.notes = notes
        let first = try journal.commits(of: store.number, after: 0, limit: 1).first
        oldest = (first?.revision ?? best.snapshot.revision + 1) - 1
        snapshot = best.snapshot
        commits = best.chain.commits
        damage = best.chain.damage
    }

    private static func snapshot(
        at mark: SnapshotMark, of store: StoredStore, in journal: any Journal
    ) throws(JournalError) -> StoredSnapshot? {
        do throws(JournalError) {
            return try journal.snapshot(of: store.number, at: mark.revision)
        } catch {
            if error.kind == .damaged { return nil }
            throw error
        }
    }

    /// The commits behind a snapshot, as far as each follows the one before it.
    private struct Chain {
        var commits: [StoredCommit] = []
        var end: Int
        var damage: JournalDamage?

        /// - Parameter least: a revision that there was, whatever else is found.
        init(
            behind snapshot: StoredSnapshot, to least: Int, of store: StoredStore,
            in journal: any Journal
        ) throws(JournalError) {
            end = snapshot.revision
            var sum = snapshot.chain
            var limit = Recovery.page
            var complaint: String?
            while true {
                do throws(JournalError) {
                    let page = try journal.commits(of: store.number, after: end, limit: limit)
                    for commit in page {
                        if let fault = commit.fault(after: end, sum, in: store) {
                            damage = JournalDamage(fault, behind: end, of: store, in: journal)
                            return
                        }
                        commits.append(commit)
                        end = commit.revision
                        sum = commit.chain
                    }
                    if page.count == limit { continue }
                    // A page of the file that rotted may hide what is behind it without a word.
                    if end < max(least, try journal.lastRevision(of: store.number) ?? 0) {
                        damage = JournalDamage(
                            "revision \(end + 1) is missing", behind: end, of: store, in: journal)
                    } else if let complaint {
                        damage = JournalDamage(complaint, behind: end, of: store, in: journal)
                    }
                    return
                } catch {
                    guard error.kind == .damaged else { throw error }
                    // What stands before the damage is read in smaller steps.
                    guard limit > 1 else {
                        damage = JournalDamage(
                            error.description, behind: end, of: store, in: journal)
                        return
                    }
                    limit /= 2
                    complaint = error.description
                }
            }
        }
    }
}

/// What is not there as it was stored, and what goes with it.
struct JournalDamage: Sendable, Equatable, CustomStringConvertible {
    let store: String
    /// What was found.
    let fault: String
    /// The last revision that is good.
    let good: Int
    /// The newest revision that there is a trace of; nil where even that cannot be read.
    let last: Int?

    init(_ fault: String, behind good: Int, of store: StoredStore, in journal: any Journal) {
        self.store = store.name
        self.fault = fault
        self.good = good
        last = try? journal.lastRevision(of: store.number)
    }

    var description: String {
        let loss =
            if last == good {
                "nothing of it"
            } else if let last, last > good {
                last == good + 1
                    ? "revision \(last)"
                    : "revisions \(good + 1) to \(last), which are \(last - good) commits,"
            } else {
                "all commits after revision \(good)"
            }
        return "store \(store): \(fault); \(loss) would be lost"
    }
}

extension StoredCommit {
    /// Why it does not follow a commit, in words; nil where it does.
    func fault(after previous: Int, _ sum: UInt64, in store: StoredStore) -> String? {
        if let fault = fault(after: previous, sum) { return fault }
        guard revision <= store.epochBase || epoch == store.epochNumber else {
            return "revision \(revision) is of another epoch"
        }
        return nil
    }

    /// As `fault(after:_:in:)`, whatever epoch it is of.
    func fault(after previous: Int, _ sum: UInt64) -> String? {
        guard revision == previous + 1 else { return "revision \(previous + 1) is missing" }
        guard chain == self.sum(after: sum) else { return "revision \(revision) is damaged" }
        if let travel, !(0..<revision).contains(travel.to) {
            return "revision \(revision) travels to \(travel.to), where nothing was"
        }
        return nil
    }
}
