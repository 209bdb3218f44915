import Rex
import RexProtocol

/// A store's past as a journal has it: states and commits that memory does not hold any more.
///
/// Each commit and each snapshot is checked by its sum as it is read: what is damaged is said, with
/// its revision, and never taken for what was there.
struct JournalPast {
    let journal: any Journal
    let store: Int

    /// Commits that are read at once.
    private static let page = 1_000

    /// The state at a revision. O(state + commits behind the snapshot before it).
    func state(at revision: Int) throws -> JSONValue {
        var tree = try snapshot(before: revision)
        try forEachCommit(behind: tree.chain, after: tree.revision, through: revision) { commit in
            try JSONPatch(commit.patch.value).apply(to: &tree.value)
            return true
        }
        return tree.value
    }

    private func snapshot(
        before revision: Int
    ) throws -> (revision: Int, chain: UInt64, value: JSONValue) {
        for mark in try journal.snapshots(of: store).reversed() where mark.revision <= revision {
            if let snapshot = try journal.snapshot(of: store, at: mark.revision) {
                return (snapshot.revision, snapshot.chain, snapshot.state.value)
            }
        }
        throw JournalError(.damaged, "there is no good snapshot before revision \(revision)")
    }

    /// Commits after a revision, oldest first, at most `limit`; with a place only those that
    /// changed the value there.
    func entries(
        after revision: Int, limit: Int, changing place: JSONPointer?
    ) throws -> [StoredCommit] {
        guard limit > 0 else { return [] }
        var found: [StoredCommit] = []
        var blame: Blame?
        if let place { blame = Blame(place, try state(at: revision)) }
        // Without a place the end is known, and no more is read.
        let (end, isBeyond) = revision.addingReportingOverflow(limit)
        let last = place == nil && !isBeyond ? end : Int.max
        try forEachCommit(after: revision, through: last) { commit in
            if try blame?.isChanged(by: commit) ?? true { found.append(commit) }
            return found.count < limit
        }
        return found
    }

    /// The newest commits up to a revision, oldest first, at most `limit`; with a place only those
    /// that changed the value there: then from one snapshot to the next, backwards.
    func newestEntries(
        through revision: Int, limit: Int, changing place: JSONPointer?
    ) throws -> [StoredCommit] {
        let marks = try journal.snapshots(of: store).map(\.revision).filter { $0 < revision }
        guard let place else {
            let start = max(marks.first ?? 0, revision - limit)
            return try entries(after: start, limit: revision - start, changing: nil)
        }
        var found: [StoredCommit] = []
        var end = revision
        for mark in marks.reversed() where found.count < limit {
            var part: [StoredCommit] = []
            var blame = Blame(place, try state(at: mark))
            try forEachCommit(after: mark, through: end) { commit in
                if try blame.isChanged(by: commit) { part.append(commit) }
                return true
            }
            found = part.suffix(limit - found.count) + found
            end = mark
        }
        return found
    }

    /// In order, a page at a time, while `body` wants more.
    ///
    /// - Parameter chain: the sum up to `revision`; nil: it is looked up.
    func forEachCommit(
        behind chain: UInt64? = nil, after revision: Int, through last: Int,
        _ body: (StoredCommit) throws -> Bool
    ) throws {
        guard revision < last else { return }
        var end = revision
        var sum = try chain ?? self.chain(at: revision)
        var most = Self.page
        while end < last {
            let limit = min(most, last - end)
            guard let page = try page(after: end, limit: limit) else {
                // What stands before the damage is read in smaller steps.
                most = limit / 2
                continue
            }
            for commit in page {
                if let fault = commit.fault(after: end, sum) { throw try error(fault, behind: end) }
                guard try body(commit) else { return }
                end = commit.revision
                sum = commit.chain
            }
            if page.count == limit { continue }
            // A page of the file that rotted may hide what is behind it without a word.
            guard end >= min(last, try journal.lastRevision(of: store) ?? end) else {
                throw try error("revision \(end + 1) is missing", behind: end)
            }
            return
        }
    }

    /// Nil where one of them cannot be read, and a shorter page may do.
    private func page(after revision: Int, limit: Int) throws(JournalError) -> [StoredCommit]? {
        do throws(JournalError) {
            return try journal.commits(of: store, after: revision, limit: limit)
        } catch {
            guard error.kind == .damaged, limit > 1 else { throw error }
            return nil
        }
    }

    /// The sum over all commits up to a revision: it stands in its commit, or in a snapshot where
    /// that is not held any more.
    private func chain(at revision: Int) throws -> UInt64 {
        if revision > 0 {
            let commit = try journal.commits(of: store, after: revision - 1, limit: 1).first
            if let commit, commit.revision == revision { return commit.chain }
        }
        guard let snapshot = try journal.snapshot(of: store, at: revision) else {
            throw try error("revision \(revision) is missing", behind: revision - 1)
        }
        return snapshot.chain
    }

    /// What is too old may have been removed since it was asked for.
    private func error(_ fault: String, behind revision: Int) throws -> JournalError {
        let first = try journal.snapshots(of: store).first?.revision ?? 0
        return revision < first
            ? JournalError(.failed, "revision \(revision + 1) is not held any more")
            : JournalError(.damaged, fault)
    }
}

/// Whether commits change the value at a place, one after the other.
private struct Blame {
    private let place: JSONPointer
    private var tree: JSONValue
    private var value: JSONValue?

    init(_ place: JSONPointer, _ state: JSONValue) {
        self.place = place
        tree = state
        value = state.value(at: place)
    }

    mutating func isChanged(by commit: StoredCommit) throws -> Bool {
        try JSONPatch(commit.patch.value).apply(to: &tree)
        let next = tree.value(at: place)
        defer { value = next }
        return next != value
    }
}
