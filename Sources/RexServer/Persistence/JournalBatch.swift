import Rex
import RexProtocol

/// What is stored at once.
struct JournalBatch: Sendable {
    /// Its number: batches are stored in this order.
    var ticket: UInt64
    var commits: [(store: Int, commit: PendingCommit)] = []
    var keys: [(store: Int, key: StoredKey)] = []
    var snapshots: [(store: Int, snapshot: PendingSnapshot)] = []
    var reminders: [(store: Int, change: ReminderChange)] = []
    var removals: [(store: Int, removal: JournalRemoval)] = []
    /// Of the commits' actions and patches.
    var bytes = 0

    init(ticket: UInt64) { self.ticket = ticket }

    /// Takes a later batch behind this one, and its number.
    mutating func append(_ later: JournalBatch) {
        ticket = later.ticket
        commits += later.commits
        keys += later.keys
        snapshots += later.snapshots
        reminders += later.reminders
        removals += later.removals
        bytes += later.bytes
    }

    var isEmpty: Bool {
        isSilent && snapshots.isEmpty && removals.isEmpty
    }

    /// Nothing in it was asked for by anybody.
    var isSilent: Bool {
        commits.isEmpty && keys.isEmpty && reminders.isEmpty
    }
}

/// A store as a journal holds it.
struct StoredStore: Sendable, Equatable {
    let number: Int
    let name: String
    /// The name of its present epoch.
    let epoch: String
    /// The number of its present epoch.
    let epochNumber: Int
    /// The revision after which the present epoch began.
    let epochBase: Int
}

/// A key's first answer, as it is stored.
struct StoredKey: Sendable, Equatable {
    let user: String?
    let text: String
    /// SHA-256 of the canonical form of the action.
    let actionHash: [UInt8]
    let answer: KeyTable.Answer
    /// Since 1970.
    let milliseconds: Int

    /// The sum that is stored with it.
    func sum(in store: Int) -> UInt64 {
        var sum = ChainSum()
        sum.add(store)
        sum.add(user == nil ? 0 : 1)
        sum.add(user ?? "")
        sum.add(text)
        sum.add(milliseconds)
        sum.add(actionHash)
        switch answer {
        case .ack(let revision): sum.add(revision)
        case .rejected(let message): sum.add(message)
        }
        return sum.value
    }

    /// What it is the answer to.
    var key: KeyTable.Key { KeyTable.Key(user: user, text: text) }
}

/// A reminder that waits, as it is stored.
struct StoredReminder: Sendable, Equatable {
    let id: String
    /// When it is due, in milliseconds since 1970.
    let due: Int
    let action: RawJSON
}

/// A reminder began to wait, or waits no more.
enum ReminderChange: Sendable {
    case set(id: String, due: Int, action: @Sendable () throws -> RawJSON)
    case removed(id: String)
}

/// A whole state at one revision, with what is needed to go on from there.
struct StoredSnapshot: Sendable, Equatable {
    let revision: Int
    /// Since 1970.
    let milliseconds: Int
    /// The sum over all commits up to it.
    let chain: UInt64
    /// The bytes of all commits up to it, those that were removed too.
    let written: Int
    /// The cursor of undo and redo.
    let timeline: RawJSON
    let state: RawJSON

    var mark: SnapshotMark {
        SnapshotMark(
            revision: revision, milliseconds: milliseconds, written: written,
            bytes: state.bytes.count)
    }

    /// The sum that is stored with it.
    var sum: UInt64 {
        var sum = ChainSum(chain)
        sum.add(revision)
        sum.add(written)
        sum.add(timeline.bytes)
        sum.add(state.bytes)
        return sum.value
    }
}

/// A snapshot on its way to the disk; the sum over the commits is known there.
struct PendingSnapshot: Sendable {
    let revision: Int
    let milliseconds: Int
    let written: Int
    let timeline: RawJSON
    let state: RawJSON
}

/// What is known of a snapshot without reading it.
struct SnapshotMark: Sendable, Equatable {
    let revision: Int
    let milliseconds: Int
    /// The bytes of all commits up to it.
    let written: Int
    /// The size of its state.
    let bytes: Int
}

/// What is not kept any longer.
enum JournalRemoval: Sendable, Equatable {
    /// Commits after one revision up to and with another.
    case commits(after: Int, through: Int)
    case snapshots([Int])
    /// Keys that were used before, and the oldest of more than so many.
    case keys(before: Int, most: Int)
}
