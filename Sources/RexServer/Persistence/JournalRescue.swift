import FoundationEssentials
import Rex
import RexProtocol

/// Goes on with what is good of a damaged journal. What is good is copied into a file of its own;
/// the damaged one is kept beside it, under another name, for whoever can read more in it.
struct JournalRescue {
    private let folder: String
    /// The damaged file's new name.
    private let aside: String
    private var path: String { "\(folder)/\(JournalFolder.fileName)" }
    /// The damaged file was copied there, as it was found.
    private var isKept = false
    /// What was found and what is lost, a line each; empty where all was good.
    private(set) var losses: [String] = []

    /// Commits that are copied at once.
    private static let page = 1_000

    /// Does so where something is damaged; the folder is ours.
    init(_ folder: String) throws {
        self.folder = folder
        aside = "\(folder)/damaged-\(Date().milliseconds).sqlite"
        if let damage = WriteAheadLog(of: path).damage {
            losses.append("\(path): \(damage) is lost")
            try keepCopy()
        }
        if WriteAheadLog.isEmpty(path) {
            if !losses.isEmpty { try setAside(hasCopy: false) }
            return
        }
        var hasCopy = false
        do throws(JournalError) {
            let journal = try SQLiteJournal(path: path, acceptsLoss: true)
            let good = try findGood(in: journal)
            // What no store needs for its state may be damaged too: keys, and SQLite's own.
            if let damaged = try? journal.checkedKeys(of: nil).damaged, damaged > 0 {
                losses.append("\(path): \(damaged) damaged keys are forgotten")
            }
            if losses.isEmpty, let complaint = try Self.complaint(of: journal) {
                losses.append("\(path): \(complaint); no commit is lost")
            }
            if losses.isEmpty { return }
            try copy(good, from: journal)
            hasCopy = !good.isEmpty
        } catch {
            guard error.kind == .damaged else { throw error }
            losses.append("\(error.description); everything in it is lost")
        }
        try setAside(hasCopy: hasCopy)
    }

    /// What SQLite says of the file, which may be too damaged for it to look through.
    private static func complaint(of journal: SQLiteJournal) throws(JournalError) -> String? {
        do throws(JournalError) {
            return try journal.complaints().first
        } catch {
            guard error.kind == .damaged else { throw error }
            return error.description
        }
    }

    private mutating func findGood(in journal: SQLiteJournal) throws(JournalError) -> [Recovery] {
        var good: [Recovery] = []
        for store in try journal.stores() {
            do throws(JournalError) {
                let recovery = try Recovery(of: store, in: journal)
                good.append(recovery)
                if let damage = recovery.damage { losses.append(damage.description) }
            } catch {
                guard error.kind == .damaged else { throw error }
                losses.append(error.description)
            }
        }
        return good
    }

    private var copyPath: String { path + ".rescued" }

    /// The newest good snapshots and what is good behind them; the time before is in the old file.
    private func copy(_ good: [Recovery], from journal: SQLiteJournal) throws(JournalError) {
        JournalArchive.remove(copyPath)
        let copy = try SQLiteJournal(path: copyPath)
        let named = good.flatMap(\.commits).map(\.clientNumber).max() ?? 0
        try copy.setClientsNamed(max((try? journal.clientsNamed()) ?? 0, named))
        for recovery in good {
            // Clients may have seen what is lost: none goes on from there.
            let number = try copy.addStore(
                recovery.store.name, epoch: Identifiers.fresh(), recovery.snapshot)
            var rest = recovery.commits[...]
            while !rest.isEmpty {
                var batch = JournalBatch(ticket: 0)
                batch.commits = rest.prefix(Self.page).map { (number, PendingCommit($0)) }
                try copy.write(batch)
                rest = rest.dropFirst(Self.page)
            }
            var batch = JournalBatch(ticket: 0)
            let keys = (try? journal.checkedKeys(of: recovery.store.number).good) ?? []
            batch.keys = keys.filter { $0.isOf(revision: recovery.revision) }.map { (number, $0) }
            let reminders = (try? journal.reminders(of: recovery.store.number)) ?? []
            batch.reminders = reminders.map { reminder in
                (number, .set(id: reminder.id, due: reminder.due) { reminder.action })
            }
            try copy.write(batch)
        }
        copy.close()
    }

    /// SQLite cuts off the damaged part of a log when it opens it.
    private mutating func keepCopy() throws {
        let files = FileManager.default
        for suffix in ["", "-wal"] where files.fileExists(atPath: path + suffix) {
            try files.copyItem(atPath: path + suffix, toPath: aside + suffix)
        }
        isKept = true
    }

    private func setAside(hasCopy: Bool) throws {
        let files = FileManager.default
        for suffix in ["", "-wal", "-shm"] where files.fileExists(atPath: path + suffix) {
            if isKept {
                try files.removeItem(atPath: path + suffix)
            } else {
                try files.moveItem(atPath: path + suffix, toPath: aside + suffix)
            }
        }
        if hasCopy { try files.moveItem(atPath: copyPath, toPath: path) }
    }
}

extension StoredKey {
    /// It answers with nothing behind a revision.
    func isOf(revision: Int) -> Bool {
        if case .ack(let acked) = answer { return acked <= revision }
        return true
    }
}

extension PendingCommit {
    /// A commit that goes from one journal to another.
    init(_ commit: StoredCommit) {
        self.init(
            revision: commit.revision, time: Date(milliseconds: commit.milliseconds),
            origin: Origin(stored: commit.origin) ?? .system, key: commit.key,
            action: commit.action.map { .text($0) } ?? .none,
            travel: commit.travel, amends: commit.amends, patch: .text(commit.patch),
            bytes: commit.bytes)
    }
}
