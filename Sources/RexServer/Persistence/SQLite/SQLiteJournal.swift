import Rex
import RexProtocol
import Synchronization

/// A journal in one SQLite file.
///
/// WAL and `synchronous=FULL`: a transaction is on the disk when its COMMIT returns, and one that
/// the end of the machine tore is as if it had never begun. Others may read the file meanwhile.
final class SQLiteJournal: Journal {
    private let file: Mutex<SQLiteFile>
    let path: String

    /// Opens the file for writing and brings it to the present version; made where there is none.
    init(path: String) throws(JournalError) {
        self.path = path
        file = try Self.open(path) { () throws(Database.Failure) in
            try SQLiteFile(Database(path, .create))
        }
    }

    /// Opens the file for reading, beside whoever writes.
    init(reading path: String) throws(JournalError) {
        self.path = path
        file = try Self.open(path) { () throws(Database.Failure) in
            try SQLiteFile(reading: Database(path, .read))
        }
    }

    private static func open(
        _ path: String, _ body: () throws(Database.Failure) -> sending SQLiteFile
    ) throws(JournalError) -> Mutex<SQLiteFile> {
        do throws(Database.Failure) {
            return Mutex(try body())
        } catch {
            throw JournalError(error, path)
        }
    }

    private func withFile<T: Sendable>(
        _ body: (SQLiteFile) throws(Database.Failure) -> T
    ) throws(JournalError) -> T {
        do throws(Database.Failure) {
            return try file.withLock { file throws(Database.Failure) in try body(file) }
        } catch {
            throw JournalError(error, path)
        }
    }

    func stores() throws(JournalError) -> [StoredStore] {
        try withFile { file throws(Database.Failure) in try file.stores() }
    }

    func addStore(
        _ name: String, epoch: String, _ snapshot: StoredSnapshot
    ) throws(JournalError) -> Int {
        try withFile { file throws(Database.Failure) in
            try file.addStore(name, epoch: epoch, snapshot)
        }
    }

    func beginEpoch(_ name: String, of store: Int) throws(JournalError) {
        try withFile { file throws(Database.Failure) in
            try file.beginEpoch(name, of: store)
        }
    }

    func write(_ batch: JournalBatch) throws(JournalError) {
        try withFile { file throws(Database.Failure) in try file.write(batch) }
    }

    func snapshots(of store: Int) throws(JournalError) -> [SnapshotMark] {
        try withFile { file throws(Database.Failure) in try file.snapshots(of: store) }
    }

    func snapshot(of store: Int, at revision: Int) throws(JournalError) -> StoredSnapshot? {
        try withFile { file throws(Database.Failure) in
            try file.snapshot(of: store, at: revision)
        }
    }

    func commits(
        of store: Int, after revision: Int, limit: Int
    ) throws(JournalError) -> [StoredCommit] {
        try withFile { file throws(Database.Failure) in
            try file.commits(of: store, after: revision, limit: limit)
        }
    }

    func lastRevision(of store: Int) throws(JournalError) -> Int? {
        try withFile { file throws(Database.Failure) in try file.lastRevision(of: store) }
    }

    func keys(of store: Int, since milliseconds: Int) throws(JournalError) -> [StoredKey] {
        try withFile { file throws(Database.Failure) in
            try file.keys(of: store, since: milliseconds)
        }
    }

    func reminders(of store: Int) throws(JournalError) -> [StoredReminder] {
        try withFile { file throws(Database.Failure) in try file.reminders(of: store) }
    }

    func isUncertain() throws(JournalError) -> Bool {
        try withFile { file throws(Database.Failure) in try file.fact("uncertain") == 1 }
    }

    func setUncertain(_ flag: Bool) throws(JournalError) {
        try withFile { file throws(Database.Failure) in
            try file.setFact("uncertain", flag ? 1 : 0)
        }
    }

    func tryWriting() throws(JournalError) {
        try withFile { file throws(Database.Failure) in try file.tryWriting() }
    }

    func close() { file.withLock { $0.close() } }

    /// Copies all of it into a new file while it is written to.
    func backUp(to path: String) throws(JournalError) {
        try withFile { file throws(Database.Failure) in try file.backUp(to: path) }
    }

    /// From here on it sees the journal as it is now, whatever is written to it.
    func beginView() throws(JournalError) {
        try withFile { file throws(Database.Failure) in try file.database.run("BEGIN") }
    }

    /// Asks SQLite whether the file is whole: its complaints, none where it is. O(file).
    func complaints() throws(JournalError) -> [String] {
        try withFile { file throws(Database.Failure) in try file.complaints() }
    }
}

extension JournalError {
    init(_ failure: Database.Failure, _ path: String) {
        let kind: Kind =
            failure.isDamage ? .damaged : failure.code == SQLiteFile.newerVersion ? .newer : .failed
        self.init(kind, "\(path): \(failure.description)")
    }
}
