import FoundationEssentials
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
    /// Nobody else writes to it.
    ///
    /// - Parameter acceptsLoss: go on with what SQLite takes of a log that is damaged.
    /// - Throws: `JournalError`; `damaged` where SQLite would drop what was acknowledged, and
    ///   nothing is changed then.
    init(path: String, acceptsLoss: Bool = false) throws(JournalError) {
        self.path = path
        if !acceptsLoss, let damage = WriteAheadLog(of: path).damage {
            throw JournalError(.damaged, "\(path): \(damage) would be lost")
        }
        if !FileManager.default.fileExists(atPath: path) { try Self.make(path) }
        Self.makeRoom(path + "-wal")
        file = try Self.open(path) { () throws(Database.Failure) in
            try SQLiteFile(Database(path, .create), acceptsLoss: acceptsLoss)
        }
    }

    /// Bytes of the log that are there before anything is written to it. Only tests that open very
    /// many journals want fewer.
    @TaskLocal static var roomBytes = 4_194_304

    /// A sync of bytes inside a file is nearly twice as fast as one that the file has grown for, so
    /// the log begins as a file of zeros, which SQLite takes for an empty one. Without it nothing
    /// but time is lost.
    private static func makeRoom(_ log: String) {
        guard WriteAheadLog.isEmpty(log) else { return }
        do {
            try Data(count: roomBytes).write(to: URL(filePath: log))
        } catch {
            // What is left of a full disk is for what has to be stored.
            try? FileManager.default.removeItem(atPath: log)
        }
    }

    /// A new file gets its name once it is whole, so that one that is empty was not always so.
    private static func make(_ path: String) throws(JournalError) {
        let partial = path + ".new"
        JournalArchive.remove(partial)
        do throws(Database.Failure) {
            try SQLiteFile.make(partial)
        } catch {
            JournalArchive.remove(partial)
            throw JournalError(error, path)
        }
        try JournalArchive.complete(partial, as: path)
    }

    /// Opens the file for reading, beside whoever writes. Where it is whole without its log it can
    /// be read in a folder, too, that may not be written to.
    init(reading path: String) throws(JournalError) {
        self.path = path
        do {
            file = try Self.open(path) { () throws(Database.Failure) in
                try SQLiteFile(reading: Database(path, .read))
            }
        } catch {
            guard error.kind == .failed, WriteAheadLog.isEmpty(path + "-wal") else { throw error }
            file = try Self.open(path) { () throws(Database.Failure) in
                try SQLiteFile(reading: Database(path, .unchanging))
            }
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

    func write(_ batches: [JournalBatch]) throws(JournalError) {
        try withFile { file throws(Database.Failure) in try file.write(batches) }
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

    /// The keys that are as they were stored, in the order of time, and how many are not; nil: of
    /// all stores.
    func checkedKeys(
        of store: Int?
    ) throws(JournalError) -> (good: [StoredKey], damaged: Int) {
        try withFile { file throws(Database.Failure) in try file.checkedKeys(of: store) }
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

    func clientsNamed() throws(JournalError) -> Int {
        let noted = try withFile { file throws(Database.Failure) in try file.fact("clients") ?? 0 }
        return min(max(0, noted), ClientName.last)
    }

    func setClientsNamed(_ count: Int) throws(JournalError) {
        try withFile { file throws(Database.Failure) in try file.setFact("clients", count) }
    }

    func tryWriting() throws(JournalError) {
        try withFile { file throws(Database.Failure) in try file.tryWriting() }
    }

    func close() { file.withLock { $0.close() } }

    /// Copies all of it into a new file while it is written to.
    func backUp(to path: String) throws(JournalError) {
        do throws(Database.Failure) {
            try file.withLock { file throws(Database.Failure) in try file.backUp(to: path) }
        } catch {
            // Either may be at fault; SQLite does not tell.
            throw JournalError(error, "\(self.path) to \(path)")
        }
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
        self.init(kind, failure.description, with: path)
    }
}
