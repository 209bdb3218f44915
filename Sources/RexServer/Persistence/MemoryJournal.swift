import Rex
import RexProtocol
import Synchronization

/// A journal that lives as long as the object: the twin of the one on disk, for tests and for what
/// is to be tried out.
final class MemoryJournal: Journal {
    private struct Kept {
        var store: StoredStore
        var commits: [StoredCommit] = []
        var snapshots: [StoredSnapshot]
        var keys: [StoredKey] = []
        var reminders: [StoredReminder] = []
        var end: (revision: Int, chain: UInt64)
    }

    private struct Content {
        var stores: [Kept] = []
        var epochs = 0
        var isUncertain = false
        var clientsNamed = 0
    }

    private let content = Mutex(Content())

    /// Holds nothing yet.
    init() {}

    func stores() -> [StoredStore] { content.withLock { $0.stores.map(\.store) } }

    func addStore(_ name: String, epoch: String, _ snapshot: StoredSnapshot) -> Int {
        content.withLock { content in
            content.epochs += 1
            let number = content.stores.count + 1
            content.stores.append(
                Kept(
                    store: StoredStore(
                        number: number, name: name, epoch: epoch, epochNumber: content.epochs,
                        epochBase: snapshot.revision),
                    snapshots: [snapshot], end: (snapshot.revision, snapshot.chain)))
            return number
        }
    }

    func beginEpoch(_ name: String, of store: Int) {
        content.withLock { content in
            content.epochs += 1
            let old = content.stores[store - 1]
            content.stores[store - 1].store = StoredStore(
                number: store, name: old.store.name, epoch: name, epochNumber: content.epochs,
                epochBase: old.end.revision)
        }
    }

    func write(_ batches: [JournalBatch]) throws(JournalError) {
        try content.withLock { content throws(JournalError) in
            var stores = content.stores
            for batch in batches { try Self.insert(batch, into: &stores) }
            content.stores = stores
        }
    }

    private static func insert(
        _ batch: JournalBatch, into stores: inout [Kept]
    ) throws(JournalError) {
        for (store, pending) in batch.commits {
            try Self.append(pending, to: &stores[store - 1])
        }
        for (store, key) in batch.keys {
            stores[store - 1].keys.removeAll { $0.key == key.key }
            stores[store - 1].keys.append(key)
        }
        for (store, pending) in batch.snapshots {
            Self.add(pending, to: &stores[store - 1])
        }
        for (store, change) in batch.reminders {
            try Self.take(change, of: &stores[store - 1])
        }
        for (store, removal) in batch.removals {
            Self.remove(removal, from: &stores[store - 1])
        }
    }

    private static func append(
        _ pending: PendingCommit, to kept: inout Kept
    ) throws(JournalError) {
        guard kept.end.revision + 1 == pending.revision else {
            throw JournalError(.failed, "revision \(pending.revision) does not follow")
        }
        var commit = pending.stored()
        commit.chain = commit.sum(after: kept.end.chain)
        commit.epoch = kept.store.epochNumber
        kept.end = (commit.revision, commit.chain)
        kept.commits.append(commit)
    }

    private static func add(_ pending: PendingSnapshot, to kept: inout Kept) {
        guard let commit = kept.commits.last(where: { $0.revision == pending.revision }) else {
            return
        }
        kept.snapshots.append(
            StoredSnapshot(
                revision: pending.revision, milliseconds: pending.milliseconds,
                chain: commit.chain, written: pending.written, timeline: pending.timeline,
                state: pending.state))
    }

    private static func take(
        _ change: ReminderChange, of kept: inout Kept
    ) throws(JournalError) {
        switch change {
        case .removed(let id): kept.reminders.removeAll { $0.id == id }
        case .set(let id, let due, let action):
            kept.reminders.removeAll { $0.id == id }
            guard let action = try? action() else { return }
            kept.reminders.append(StoredReminder(id: id, due: due, action: action))
        }
    }

    private static func remove(_ removal: JournalRemoval, from kept: inout Kept) {
        switch removal {
        case .commits(let first, let last):
            kept.commits.removeAll { $0.revision > first && $0.revision <= last }
        case .snapshots(let revisions):
            kept.snapshots.removeAll { revisions.contains($0.revision) }
        case .keys(let time, let most):
            kept.keys.removeAll { $0.milliseconds < time }
            kept.keys.removeFirst(max(0, kept.keys.count - most))
        }
    }

    func snapshots(of store: Int) -> [SnapshotMark] {
        content.withLock { $0.stores[store - 1].snapshots.map(\.mark) }
    }

    func snapshot(of store: Int, at revision: Int) -> StoredSnapshot? {
        content.withLock { $0.stores[store - 1].snapshots.first { $0.revision == revision } }
    }

    func commits(of store: Int, after revision: Int, limit: Int) -> [StoredCommit] {
        content.withLock {
            Array($0.stores[store - 1].commits.filter { $0.revision > revision }.prefix(limit))
        }
    }

    func lastRevision(of store: Int) -> Int? {
        content.withLock { $0.stores[store - 1].commits.last?.revision }
    }

    func keys(of store: Int, since milliseconds: Int) -> [StoredKey] {
        content.withLock {
            $0.stores[store - 1].keys.filter { $0.milliseconds >= milliseconds }
        }
    }

    func reminders(of store: Int) -> [StoredReminder] {
        content.withLock { $0.stores[store - 1].reminders.sorted { $0.due < $1.due } }
    }

    func isUncertain() -> Bool { content.withLock { $0.isUncertain } }
    func setUncertain(_ flag: Bool) { content.withLock { $0.isUncertain = flag } }
    func clientsNamed() -> Int { content.withLock { $0.clientsNamed } }
    func setClientsNamed(_ count: Int) { content.withLock { $0.clientsNamed = count } }
    func tryWriting() {}
    func close() {}
}
