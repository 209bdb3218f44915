import Foundation
import Synchronization

@testable import RexServer

/// A journal in a file whose process can be killed: from that moment on nothing is written, and
/// the files as they stood then are what the next one finds.
final class KilledJournal: Journal {
    private let inner: SQLiteJournal
    private let isKilled = Mutex(false)

    init(path: String) throws(JournalError) { inner = try SQLiteJournal(path: path) }

    /// Ends all writing, between two transactions, and copies the files, log and all.
    func kill(copyingTo folder: String) throws {
        try isKilled.withLock { isKilled in
            isKilled = true
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(
                    atPath: inner.path + suffix,
                    toPath: "\(folder)/\(JournalFolder.fileName)\(suffix)")
            }
        }
    }

    private func writing(
        _ body: () throws(JournalError) -> Void
    ) throws(JournalError) {
        var failure: JournalError?
        isKilled.withLock { isKilled in
            do throws(JournalError) {
                if isKilled { throw JournalError(.failed, "killed") }
                try body()
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    func write(_ batches: [JournalBatch]) throws(JournalError) {
        try writing { () throws(JournalError) in try inner.write(batches) }
    }
    func addStore(
        _ name: String, epoch: String, _ snapshot: StoredSnapshot
    ) throws(JournalError) -> Int {
        var number = 0
        try writing { () throws(JournalError) in
            number = try inner.addStore(name, epoch: epoch, snapshot)
        }
        return number
    }
    func beginEpoch(_ name: String, of store: Int) throws(JournalError) {
        try writing { () throws(JournalError) in try inner.beginEpoch(name, of: store) }
    }
    func setUncertain(_ flag: Bool) throws(JournalError) {
        try writing { () throws(JournalError) in try inner.setUncertain(flag) }
    }
    func setClientsNamed(_ count: Int) throws(JournalError) {
        try writing { () throws(JournalError) in try inner.setClientsNamed(count) }
    }
    func tryWriting() throws(JournalError) {
        try writing { () throws(JournalError) in try inner.tryWriting() }
    }
    func stores() throws(JournalError) -> [StoredStore] { try inner.stores() }
    func snapshots(of store: Int) throws(JournalError) -> [SnapshotMark] {
        try inner.snapshots(of: store)
    }
    func snapshot(of store: Int, at revision: Int) throws(JournalError) -> StoredSnapshot? {
        try inner.snapshot(of: store, at: revision)
    }
    func commits(
        of store: Int, after revision: Int, limit: Int
    ) throws(JournalError) -> [StoredCommit] {
        try inner.commits(of: store, after: revision, limit: limit)
    }
    func lastRevision(of store: Int) throws(JournalError) -> Int? {
        try inner.lastRevision(of: store)
    }
    func keys(of store: Int, since milliseconds: Int) throws(JournalError) -> [StoredKey] {
        try inner.keys(of: store, since: milliseconds)
    }
    func reminders(of store: Int) throws(JournalError) -> [StoredReminder] {
        try inner.reminders(of: store)
    }
    func isUncertain() throws(JournalError) -> Bool { try inner.isUncertain() }
    func clientsNamed() throws(JournalError) -> Int { try inner.clientsNamed() }
    func close() { inner.close() }
}
