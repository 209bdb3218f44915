import Rex
import RexProtocol

/// A store's past as a journal has it: states and commits that memory does not hold any more.
struct JournalPast {
    let journal: any Journal
    let store: Int

    /// Commits that are read at once.
    private static let page = 1_000

    /// The state at a revision. O(state + commits behind the snapshot before it).
    func state(at revision: Int) throws -> JSONValue {
        var tree = try snapshot(before: revision)
        try forEachCommit(after: tree.revision, through: revision) { commit in
            try JSONPatch(commit.patch.value).apply(to: &tree.value)
            return true
        }
        return tree.value
    }

    private func snapshot(before revision: Int) throws -> (revision: Int, value: JSONValue) {
        for mark in try journal.snapshots(of: store).reversed() where mark.revision <= revision {
            if let snapshot = try journal.snapshot(of: store, at: mark.revision) {
                return (snapshot.revision, snapshot.state.value)
            }
        }
        throw JournalError(.damaged, "there is no good snapshot before revision \(revision)")
    }

    /// Commits after a revision, oldest first, at most `limit`; with a place only those that
    /// changed the value there.
    func entries(
        after revision: Int, limit: Int, changing place: JSONPointer?
    ) throws -> [StoredCommit] {
        guard let place else {
            return try journal.commits(of: store, after: revision, limit: limit)
        }
        var found: [StoredCommit] = []
        var blame = Blame(place, try state(at: revision))
        try forEachCommit(after: revision, through: .max) { commit in
            if try blame.isChanged(by: commit) { found.append(commit) }
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
            return try journal.commits(of: store, after: start, limit: revision - start)
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
    func forEachCommit(
        after revision: Int, through last: Int, _ body: (StoredCommit) throws -> Bool
    ) throws {
        var end = revision
        while end < last {
            let page = try journal.commits(
                of: store, after: end, limit: min(Self.page, last - end))
            for commit in page {
                guard try body(commit) else { return }
                end = commit.revision
            }
            if page.count < Self.page { return }
        }
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
