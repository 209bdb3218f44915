import FoundationEssentials
import Rex
import RexProtocol

extension JournalArchive {
    /// What checking a store came to.
    public struct Verdict: Sendable, Equatable {
        /// The store.
        public let store: String
        /// Commits that were checked.
        public var commits = 0
        /// What is not as it should be, the first thing found; nil where all is.
        public var fault: String?
    }

    /// Complaints of SQLite about the file, and what the sums of the keys say; none where it is
    /// whole. O(file).
    public func complaints() throws(JournalError) -> [String] {
        let journal = try reader()
        let found = try journal.complaints()
        guard found.isEmpty else { return found }
        let damaged = try journal.checkedKeys(of: nil).damaged
        return damaged == 0 ? [] : ["\(damaged) keys are not as they were stored"]
    }

    /// Names of the stores in the journal.
    public func storeNames() throws(JournalError) -> [String] {
        try reader().stores().map(\.name)
    }

    /// Checks a store from its oldest state on: that no commit is missing or changed, and that its
    /// actions, reduced again with the time, the origin and the revision that they had, give the
    /// patches that are stored. Only for reducers that take time and ids from their context.
    ///
    /// - Throws: `JournalError` where the journal cannot be read, or has no such store.
    public func verify<R: Reducer>(
        _ name: String, _ reducer: R
    ) throws(JournalError) -> Verdict where R.State: Codable, R.Action: WireAction {
        let journal = try reader()
        try journal.beginView()
        guard let store = try journal.stores().first(where: { $0.name.hasSameBytes(as: name) })
        else {
            throw JournalError(.failed, "there is no store \(name) in \(path)")
        }
        var verdict = Verdict(store: name)
        let marks = try journal.snapshots(of: store.number)
        guard let first = marks.first,
            let snapshot = try journal.snapshot(of: store.number, at: first.revision)
        else {
            verdict.fault = "the oldest snapshot is damaged"
            return verdict
        }
        do {
            var replay = try Replay(reducer, snapshot, store)
            let past = JournalPast(journal: journal, store: store.number)
            var marks = marks.dropFirst()
            try past.forEachCommit(
                behind: snapshot.chain, after: snapshot.revision, through: .max
            ) { commit in
                verdict.fault = try replay.fault(of: commit)
                if verdict.fault == nil, marks.first?.revision == commit.revision {
                    marks.removeFirst()
                    verdict.fault = try Self.snapshotFault(at: commit, store, journal)
                }
                if verdict.fault == nil { verdict.commits += 1 }
                return verdict.fault == nil
            }
            if verdict.fault == nil, let mark = marks.first {
                verdict.fault = "revision \(mark.revision) is missing"
            }
        } catch {
            verdict.fault = "\(error)"
        }
        return verdict
    }

    private static func snapshotFault(
        at commit: StoredCommit, _ store: StoredStore, _ journal: SQLiteJournal
    ) throws(JournalError) -> String? {
        let snapshot = try journal.snapshot(of: store.number, at: commit.revision)
        return snapshot?.chain == commit.chain
            ? nil : "the snapshot at revision \(commit.revision) is damaged"
    }

    private struct Replay<R: Reducer> where R.State: Codable, R.Action: WireAction {
        let reducer: R
        let store: StoredStore
        var state: R.State
        var revision: Int
        var chain: UInt64
        let diff = StateDiff<R.State>()

        init(_ reducer: R, _ snapshot: StoredSnapshot, _ store: StoredStore) throws {
            self.reducer = reducer
            self.store = store
            state = try JSONCoder.decode(R.State.self, from: snapshot.state)
            revision = snapshot.revision
            chain = snapshot.chain
        }

        mutating func fault(of commit: StoredCommit) throws -> String? {
            if let fault = commit.fault(after: revision, chain, in: store) { return fault }
            revision = commit.revision
            chain = commit.chain
            guard let json = commit.action else {
                state = try patched(commit.patch)
                return nil
            }
            let action = try ActionCodec.decode(R.Action.self, from: json)
            let context = ReducerContext(
                origin: Origin(stored: commit.origin) ?? .system,
                now: Date(milliseconds: commit.milliseconds), revision: commit.revision)
            var next = state
            do {
                _ = try reducer._reduce(state: &next, action: action, context: context)
            } catch {
                return difference(commit, "the reducer refuses it: \(error)")
            }
            let patch = try diff.patch(from: state, to: next).raw
            guard patch == commit.patch || patch.value == commit.patch.value else {
                return difference(commit, "\(patch)")
            }
            state = next
            return nil
        }

        private func patched(_ patch: RawJSON) throws -> R.State {
            var tree = try JSONCoder.value(of: state)
            try JSONPatch(patch.value).apply(to: &tree)
            return try JSONCoder.decode(R.State.self, from: tree)
        }

        private func difference(_ commit: StoredCommit, _ found: String) -> String {
            """
            revision \(commit.revision) differs
              action  \(commit.action?.description ?? "none")
              stored  \(commit.patch)
              reduced \(found)
            """
        }
    }
}
