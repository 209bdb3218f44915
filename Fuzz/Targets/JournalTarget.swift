import FoundationEssentials
import Rex
import RexProtocol

@testable import RexServer

/// What a journal reads that it may not have written: a log, lines, rows, a file. The first byte
/// says which. What is damaged is reported, and what is not reported is as it was stored.
enum JournalTarget {
    static func run(_ input: [UInt8]) throws {
        // Most of the time went into logs of some megabytes, laid out afresh for each journal.
        try SQLiteJournal.$roomBytes.withValue(64) { try run(FuzzInput(input)) }
    }

    private static func run(_ input: FuzzInput) throws {
        var input = input
        switch input.byte() % 5 {
        case 0: _ = WriteAheadLog(input.take())
        case 1: try checkSealedLog(&input)
        case 2: try checkLines(input.take())
        case 3: try checkRow(&input)
        default: try checkFile(&input)
        }
    }

    // MARK: A log

    /// A log whose sums are right, whatever it says: behind them nothing is believed either.
    private static func checkSealedLog(_ input: inout FuzzInput) throws {
        let page = input.number(2)
        let broken = Int(input.byte())
        var log = SealedLog(page: UInt32(page), salts: (1, 2))
        let frames = input.take()
        for start in stride(from: 0, to: frames.count, by: 16) {
            let end = min(frames.count, start + 16)
            log.append(content: frames[start..<end], endsTransaction: frames[start] & 1 == 1)
        }
        let isWhole = WriteAheadLog(log.bytes).damage == nil
        // A page of SQLite has a power of two from 512 on.
        let isPage = page >= 512 && page.nonzeroBitCount == 1
        if isPage { try hold(isWhole, "a whole log is called damaged") }
        if broken < log.bytes.count {
            log.bytes[log.bytes.count - 1 - broken] ^= 1
            _ = WriteAheadLog(log.bytes)
        }
    }

    // MARK: Lines

    /// Lines that were taken in are there: written out and taken in again they are the same.
    private static func checkLines(_ text: [UInt8]) throws {
        let folder = try FuzzFolder()
        guard let first = try taken(text, in: folder) else { return }
        let second = try taken(first, in: try FuzzFolder())
        try hold(second == first, "what was written out is not what comes of it")
        for name in try folder.archive.storeNames() {
            _ = try folder.archive.verify(name, FuzzReducer())
        }
    }

    /// What is written out of a journal that was made of these lines; nil where it was refused.
    private static func taken(_ text: [UInt8], in folder: FuzzFolder) throws -> [UInt8]? {
        var lines = text.split(separator: 10, omittingEmptySubsequences: false)[...]
        do throws(JournalError) {
            _ = try folder.archive.importLines { lines.popFirst().map { Array($0) } }
        } catch {
            try hold(!FileManager.default.fileExists(atPath: folder.path), "a part of it is there")
            return nil
        }
        var written: [UInt8] = []
        try folder.archive.export { line in
            // Each journal begins an epoch of its own.
            var members = RawJSON(stored: line)?.value.object ?? [:]
            members["epoch"] = nil
            written += RawJSON(.object(members)).bytes + [10]
            return true
        }
        return written
    }

    // MARK: Rows and files

    private static let columns = [
        ("stores", "epoch"), ("stores", "name"), ("stores", "id"), ("epochs", "base"),
        ("epochs", "name"), ("epochs", "id"), ("commits", "id"), ("commits", "epoch"),
        ("commits", "time"), ("commits", "origin"), ("commits", "key"), ("commits", "action"),
        ("commits", "travel"), ("commits", "target"), ("commits", "amends"), ("commits", "patch"),
        ("commits", "chain"), ("snapshots", "id"), ("snapshots", "time"), ("snapshots", "chain"),
        ("snapshots", "written"), ("snapshots", "bytes"), ("snapshots", "sum"),
        ("snapshots", "timeline"), ("snapshots", "state"), ("keys", "user"), ("keys", "key"),
        ("keys", "time"), ("keys", "hash"), ("keys", "revision"), ("keys", "refusal"),
        ("reminders", "name"), ("reminders", "due"), ("reminders", "action"), ("facts", "value"),
    ]

    /// One field of one row holds something else.
    private static func checkRow(_ input: inout FuzzInput) throws {
        let (table, column) = columns[Int(input.byte()) % columns.count]
        let row = Int(input.byte()) % 8
        let kind = input.byte() % 4
        let value =
            switch kind {
            case 0: "\(Int64(bitPattern: UInt64(truncatingIfNeeded: input.number(8))))"
            case 1: "NULL"
            case 2: "CAST(x'\(Digest.hexadecimal(input.take()))' AS TEXT)"
            default: "x'\(Digest.hexadecimal(input.take()))'"
            }
        let folder = try FuzzFolder(FuzzJournal.bytes())
        do throws(Database.Failure) {
            let database = try Database(folder.path, .write)
            let keys = ["keys": "store, user, key", "reminders": "store, name", "facts": "name"]
            let key = keys[table] ?? "id"
            try database.run(
                "UPDATE \(table) SET \(column) = \(value) WHERE (\(key)) = "
                    + "(SELECT \(key) FROM \(table) ORDER BY \(key) LIMIT 1 OFFSET \(row))")
        } catch {
            // The schema does not allow it.
            return
        }
        try readAll(folder)
    }

    /// A few bytes of the file are others, or its end is missing.
    private static func checkFile(_ input: inout FuzzInput) throws {
        var bytes = try FuzzJournal.bytes()
        let flags = input.byte()
        if flags & 1 == 1 { bytes.removeLast(input.number(3) % bytes.count) }
        while !input.rest.isEmpty, !bytes.isEmpty {
            bytes[input.number(3) % bytes.count] = input.byte()
        }
        try readAll(try FuzzFolder(bytes))
        guard flags & 2 == 2 else { return }
        let folder = try FuzzFolder(bytes)
        do {
            _ = try JournalRescue(folder.name)
        } catch let error as JournalError {
            try hold(error.kind != .damaged, "damage is not taken: \(error)")
            return
        }
        guard FileManager.default.fileExists(atPath: folder.path) else { return }
        let journal = try SQLiteJournal(path: folder.path)
        defer { journal.close() }
        for store in try journal.stores() {
            let damage = try Recovery(of: store, in: journal).damage
            try hold(damage == nil, "what was rescued is damaged: \(damage?.description ?? "")")
        }
    }

    /// Everything that is ever read of a journal.
    private static func readAll(_ folder: FuzzFolder) throws {
        do {
            let journal = try SQLiteJournal(path: folder.path)
            defer { journal.close() }
            for store in try journal.stores() { try check(store, in: journal) }
            for name in try folder.archive.storeNames() {
                _ = try folder.archive.verify(name, FuzzReducer())
            }
            _ = try folder.archive.complaints()
            try folder.archive.export { _ in true }
        } catch let error as JournalError {
            try hold(!error.description.isEmpty, "no reason")
        }
    }

    private static func check(_ store: StoredStore, in journal: SQLiteJournal) throws {
        let recovery = try Recovery(of: store, in: journal)
        let past = JournalPast(journal: journal, store: store.number)
        _ = try? past.state(at: recovery.revision)
        _ = try? past.newestEntries(through: recovery.revision, limit: 5, changing: .root)
        let queue = JournalQueue(journal, .sync) { _ in }
        defer { queue.forgetParts() }
        var beginning: Beginning<FuzzState, FuzzAction>?
        do {
            beginning = try Beginning(
                store.name, FuzzState(), in: queue, Limits(), now: 0, note: { _ in })
        } catch let error as JournalError {
            try hold(!error.description.isEmpty, "no reason")
        }
        guard recovery.damage == nil else { return }
        let known = FuzzJournal.commits
        for commit in recovery.commits where commit.epoch == store.epochNumber {
            let stored = known.first { $0.revision == commit.revision }
            try hold(
                stored?.sum(after: 7) == commit.sum(after: 7),
                "revision \(commit.revision) changed without a word")
        }
        guard store.number == 1, let beginning else { return }
        let last = known.last { $0.revision <= recovery.revision }?.revision ?? 0
        try hold(
            beginning.snapshot.state.count == last,
            "revision \(recovery.revision) has the state \(beginning.snapshot.state)")
    }
}
