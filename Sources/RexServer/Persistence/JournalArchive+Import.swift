import FoundationEssentials
import Rex
import RexProtocol

extension JournalArchive {
    /// What was read in.
    public struct Imported: Sendable, Equatable {
        /// Names of the stores.
        public var stores: [String] = []
        /// Commits of all of them.
        public var commits = 0
    }

    /// Reads in what `export` wrote. The folder holds no journal yet. Every patch is applied, so
    /// that what does not fit is found here; the stores begin new epochs.
    ///
    /// - Parameter next: the next line without its line feed; nil at the end.
    /// - Throws: `JournalError`, also where there are no lines; then nothing is left in the folder.
    public func importLines(_ next: () -> [UInt8]?) throws(JournalError) -> Imported {
        let lock = try Self.lock(folder)
        defer { withExtendedLifetime(lock) {} }
        try Self.checkVacancy(path)
        let partial = path + ".partial"
        var imported = Imported()
        Self.remove(partial)
        do throws(JournalError) {
            let journal = try SQLiteJournal(path: partial)
            defer { journal.close() }
            var reading = Import(into: journal)
            while let line = next() { try reading.take(line) }
            try reading.finish()
            imported = reading.imported
        } catch {
            Self.remove(partial)
            throw error
        }
        try Self.complete(partial, as: path)
        return imported
    }

    private struct Import {
        let journal: SQLiteJournal
        var imported = Imported()
        private var line = 0
        private var store: Store?
        private var batch = JournalBatch(ticket: 0)
        /// The highest number in the name of a client.
        private var clients = 0

        /// The store whose lines come.
        private struct Store {
            let name: String
            let number: Int
            var revision: Int
            var state: JSONValue
            var timeline: Timeline
            var written = 0
            var sinceSnapshot = 0
        }

        private static let snapshotCommits = Limits().snapshotCommits

        init(into journal: SQLiteJournal) { self.journal = journal }

        private func fault(_ text: String) -> JournalError {
            JournalError(.failed, "line \(line): \(text)")
        }

        mutating func take(_ bytes: [UInt8]) throws(JournalError) {
            line += 1
            if bytes.allSatisfy({ $0 == 32 || $0 == 9 || $0 == 13 }) { return }
            guard let value = RawJSON(stored: bytes)?.value, let name = value["store"]?.string
            else { throw fault("this is no line of a journal") }
            let entry = try entry(value)
            if case .beginning = entry {
                try end()
            } else if store?.name != name {
                throw fault("store \(name) has not begun with its state")
            }
            switch entry {
            case .beginning(let revision, let time, let timeline, let state):
                try begin(name, revision, time, timeline, state)
            case .commit(let commit): try take(commit)
            case .key(let key):
                guard key.isOf(revision: store?.revision ?? 0) else {
                    throw fault("/rev is behind revision \(store?.revision ?? 0), the last one")
                }
                batch.keys.append((store?.number ?? 0, key))
            case .reminder(let reminder):
                batch.reminders.append(
                    (
                        store?.number ?? 0,
                        .set(id: reminder.id, due: reminder.due) { reminder.action }
                    ))
            }
            if batch.commits.count + batch.keys.count >= JournalArchive.page { try flush() }
        }

        private func entry(_ value: JSONValue) throws(JournalError) -> ArchiveEntry {
            do throws(ArchiveEntry.Fault) {
                return try ArchiveEntry(value)
            } catch {
                throw fault(error.description)
            }
        }

        private mutating func begin(
            _ name: String, _ revision: Int, _ time: Int, _ timeline: RawJSON, _ state: JSONValue
        ) throws(JournalError) {
            guard !imported.stores.contains(name) else { throw fault("store \(name) comes twice") }
            let saved = try? JSONCoder.decode(Timeline.Saved.self, from: timeline)
            let cursor =
                saved.flatMap { Timeline($0, limit: Limits().historyCommits) }
                ?? Timeline(at: revision, limit: Limits().historyCommits)
            let snapshot = StoredSnapshot(
                revision: revision, milliseconds: time, chain: 0, written: 0,
                timeline: try text(of: cursor), state: RawJSON(state))
            let number = try journal.addStore(name, epoch: Identifiers.fresh(), snapshot)
            imported.stores.append(name)
            store = Store(
                name: name, number: number, revision: revision, state: state, timeline: cursor)
        }

        private func text(of timeline: Timeline) throws(JournalError) -> RawJSON {
            do {
                return try RawJSON(encoding: timeline.saved)
            } catch {
                throw fault("\(error)")
            }
        }

        private mutating func take(_ commit: StoredCommit) throws(JournalError) {
            guard var now = store, commit.revision == now.revision + 1 else {
                throw fault("revision \((store?.revision ?? 0) + 1) is missing")
            }
            store = nil
            do {
                try JSONPatch(commit.patch.value).apply(to: &now.state)
            } catch {
                throw fault("the patch of revision \(commit.revision) does not fit: \(error)")
            }
            now.revision = commit.revision
            now.timeline.replay(commit.revision, commit.travel, amends: commit.amends)
            now.written += commit.bytes
            now.sinceSnapshot += 1
            batch.commits.append((now.number, PendingCommit(commit)))
            imported.commits += 1
            clients = max(clients, commit.clientNumber)
            if now.sinceSnapshot == Self.snapshotCommits { try addSnapshot(of: &now) }
            store = now
        }

        private mutating func addSnapshot(of store: inout Store) throws(JournalError) {
            store.sinceSnapshot = 0
            batch.snapshots.append(
                (
                    store.number,
                    PendingSnapshot(
                        revision: store.revision, milliseconds: Date().milliseconds,
                        written: store.written, timeline: try text(of: store.timeline),
                        state: RawJSON(store.state))
                ))
        }

        private mutating func flush() throws(JournalError) {
            if !batch.isEmpty { try journal.write(batch) }
            batch = JournalBatch(ticket: 0)
        }

        /// All lines have come.
        mutating func finish() throws(JournalError) {
            try end()
            guard !imported.stores.isEmpty else { throw fault("there are no lines of a journal") }
            try journal.setClientsNamed(clients)
        }

        private mutating func end() throws(JournalError) {
            if var now = store, now.sinceSnapshot > 0 {
                store = nil
                try addSnapshot(of: &now)
            }
            try flush()
        }
    }
}
