import Rex
import Synchronization

@testable import RexServer

/// A journal in memory that takes nothing while it is told so, as a full disk or a broken one.
final class FailingJournal: Journal {
    let inner = MemoryJournal()
    private let reason = Mutex<String?>(nil)

    /// Every write throws from here on; nil: none does.
    func fail(_ text: String?) { reason.withLock { $0 = text } }

    private func check() throws(JournalError) {
        if let text = reason.withLock({ $0 }) { throw JournalError(.failed, text) }
    }

    func write(_ batches: [JournalBatch]) throws(JournalError) {
        try check()
        try inner.write(batches)
    }

    func tryWriting() throws(JournalError) { try check() }

    func stores() -> [StoredStore] { inner.stores() }
    func addStore(_ name: String, epoch: String, _ snapshot: StoredSnapshot) -> Int {
        inner.addStore(name, epoch: epoch, snapshot)
    }
    func beginEpoch(_ name: String, of store: Int) { inner.beginEpoch(name, of: store) }
    func snapshots(of store: Int) -> [SnapshotMark] { inner.snapshots(of: store) }
    func snapshot(of store: Int, at revision: Int) -> StoredSnapshot? {
        inner.snapshot(of: store, at: revision)
    }
    func commits(of store: Int, after revision: Int, limit: Int) -> [StoredCommit] {
        inner.commits(of: store, after: revision, limit: limit)
    }
    func lastRevision(of store: Int) -> Int? { inner.lastRevision(of: store) }
    func keys(of store: Int, since milliseconds: Int) -> [StoredKey] {
        inner.keys(of: store, since: milliseconds)
    }
    func reminders(of store: Int) -> [StoredReminder] { inner.reminders(of: store) }
    func isUncertain() -> Bool { inner.isUncertain() }
    func setUncertain(_ flag: Bool) { inner.setUncertain(flag) }
    func clientsNamed() -> Int { inner.clientsNamed() }
    func setClientsNamed(_ count: Int) { inner.setClientsNamed(count) }
    func close() {}
}
