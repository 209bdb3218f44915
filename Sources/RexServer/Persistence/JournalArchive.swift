import FoundationEssentials
import Rex
import RexLoop
import RexProtocol

/// The journal of a folder for those who look after it: written out, read in, copied, checked.
///
/// Writing out, copying and checking go on beside a server that has the folder.
public struct JournalArchive: Sendable {
    let folder: String
    var path: String { "\(folder)/\(JournalFolder.fileName)" }

    /// The journal in a folder.
    public init(folder: String) { self.folder = folder }

    /// Opens it beside whoever has it. Where nobody has, what SQLite would drop of it is found.
    func reader() throws(JournalError) -> SQLiteJournal {
        guard FileManager.default.fileExists(atPath: path) || WriteAheadLog(of: path).damage != nil
        else {
            throw JournalError(.failed, "there is no journal in \(folder)")
        }
        // A server may just be writing to it, so it is looked at once more while none has it.
        if WriteAheadLog(of: path).damage != nil, let lock = try? FolderLock(folder) {
            defer { withExtendedLifetime(lock) {} }
            if let damage = WriteAheadLog(of: path).damage {
                throw JournalError(.damaged, "\(path): \(damage) would be missing")
            }
        }
        return try SQLiteJournal(reading: path)
    }

    /// Copies all of it into another folder while it is written to (SQLite's online backup). A
    /// server that opens the copy begins new epochs: clients of the first do not go on with it.
    ///
    /// - Parameter target: made where there is none; it holds no journal yet.
    /// - Throws: `JournalError`.
    public func backUp(to target: String) throws(JournalError) {
        let copyPath = "\(target)/\(JournalFolder.fileName)"
        let journal = try reader()
        let lock = try Self.lock(target)
        try Self.checkVacancy(copyPath)
        // Under its name it is only once it is whole: a copy that was broken off is none.
        let partial = copyPath + ".partial"
        Self.remove(partial)
        do throws(JournalError) {
            try journal.backUp(to: partial)
            let copy = try SQLiteJournal(path: partial)
            try copy.setUncertain(true)
            copy.close()
            try Self.complete(partial, as: copyPath)
        } catch {
            Self.remove(partial)
            throw error
        }
        withExtendedLifetime(lock) {}
    }

    /// Writes the journal out as lines of JSON, each without its line feed: for each store first
    /// its oldest state (`state`), then every commit (`patch`), then its keys and its reminders.
    /// All of it is of one moment. Each line is checked by its sum before it is written.
    ///
    /// - Parameter write: takes a line; false ends the writing.
    /// - Throws: `JournalError`.
    public func export(_ write: ([UInt8]) -> Bool) throws(JournalError) {
        let journal = try reader()
        try journal.beginView()
        for store in try journal.stores() {
            guard try Self.export(store, of: journal, write) else { return }
        }
    }

    private static func export(
        _ store: StoredStore, of journal: SQLiteJournal, _ write: ([UInt8]) -> Bool
    ) throws(JournalError) -> Bool {
        guard let mark = try journal.snapshots(of: store.number).first,
            let snapshot = try journal.snapshot(of: store.number, at: mark.revision)
        else {
            throw JournalError(
                .damaged, "the oldest snapshot of \(store.name) is damaged: --accept-loss helps")
        }
        guard write(ArchiveLine(snapshot, of: store).bytes) else { return false }
        guard try exportCommits(behind: snapshot, store, journal, write) else { return false }
        for key in try journal.keys(of: store.number, since: 0) {
            guard write(ArchiveLine(key, of: store).bytes) else { return false }
        }
        for reminder in try journal.reminders(of: store.number) {
            guard write(ArchiveLine(reminder, of: store).bytes) else { return false }
        }
        return true
    }

    private static func exportCommits(
        behind snapshot: StoredSnapshot, _ store: StoredStore, _ journal: SQLiteJournal,
        _ write: ([UInt8]) -> Bool
    ) throws(JournalError) -> Bool {
        let past = JournalPast(journal: journal, store: store.number)
        var isRead = true
        do {
            try past.forEachCommit(
                behind: snapshot.chain, after: snapshot.revision, through: .max
            ) { commit in
                isRead = write(ArchiveLine(commit, of: store).bytes)
                return isRead
            }
        } catch {
            let error = error as? JournalError ?? JournalError(.failed, "\(error)")
            throw JournalError(
                error.kind, "store \(store.name): \(error.description); what is written ends there")
        }
        return isRead
    }

    /// Commits that are written at once.
    static let page = 1_000

    /// Gives a file that is whole and on the disk its name, so that it has that after any end of
    /// the machine too.
    static func complete(_ partial: String, as path: String) throws(JournalError) {
        do throws(FolderLock.Failure) {
            try FolderLock.rename(partial, to: path)
        } catch {
            throw JournalError(.failed, error.description)
        }
    }

    /// Nothing is there, nor the log of something that was: SQLite would take it for the new one's.
    static func checkVacancy(_ path: String) throws(JournalError) {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw JournalError(.failed, "\(path) is there already")
        }
        if let damage = WriteAheadLog(of: path).damage {
            throw JournalError(.damaged, "\(path): \(damage) would be lost")
        }
    }

    static func remove(_ file: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try? FileManager.default.removeItem(atPath: file + suffix)
        }
    }

    static func lock(_ folder: String) throws(JournalError) -> FolderLock {
        do throws(FolderLock.Failure) {
            return try FolderLock(folder)
        } catch {
            throw JournalError(error.isTaken ? .taken : .failed, error.description)
        }
    }
}
