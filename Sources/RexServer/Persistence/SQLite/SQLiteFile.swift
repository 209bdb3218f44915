import Rex
import RexProtocol

/// The tables of a journal: what SQL there is, is here and in the other files of this name.
///
/// A commit's row has the number `store << 40 | revision`, so that a store's commits lie behind one
/// another and the newest is added at the end.
final class SQLiteFile {
    private var open: Database?
    /// What the next commit of a store follows.
    private var ends: [Int: End] = [:]

    /// The end of a store's chain.
    struct End {
        var revision: Int
        var chain: UInt64
        var epoch: Int
    }

    /// - Parameter acceptsLoss: what no state needs may be damaged.
    init(_ database: Database, acceptsLoss: Bool = false) throws(Database.Failure) {
        open = database
        try Self.check(database)
        // In this order: the page size is for new files, the mode is kept in the file.
        try database.run(
            """
            PRAGMA page_size=\(Self.pageBytes); PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;
            PRAGMA wal_autocheckpoint=2000; PRAGMA journal_size_limit=67108864;
            PRAGMA cache_size=-16384; PRAGMA foreign_keys=OFF;
            """)
        try Self.migrate(database, acceptsLoss: acceptsLoss)
        if !acceptsLoss { try checkSmallTables() }
        for store in try stores() { ends[store.number] = try end(of: store) }
    }

    /// For reading only: nothing is changed, and a version that is not ours is refused.
    init(reading database: Database) throws(Database.Failure) {
        open = database
        let found = try Self.check(database)
        guard found == Self.version else {
            throw Database.Failure(
                code: Self.newerVersion,
                description: "it is of version \(found); a server brings it to \(Self.version)")
        }
    }

    var database: Database {
        guard let open else { preconditionFailure("a journal was used after its end") }
        return open
    }

    func close() { open = nil }

    // MARK: Writing

    func addStore(
        _ name: String, epoch: String, _ snapshot: StoredSnapshot
    ) throws(Database.Failure) -> Int {
        var number = 0
        try database.transaction { () throws(Database.Failure) in
            number = (try database.number("SELECT max(id) FROM stores") ?? 0) + 1
            let row = try database.statement("INSERT INTO stores VALUES (?, ?, 0)")
            row.bind(number, at: 1)
            row.bind(name, at: 2)
            try row.run()
            try insertEpoch(epoch, of: number, base: snapshot.revision)
            try insert(snapshot, of: number)
        }
        ends[number] = End(
            revision: snapshot.revision, chain: snapshot.chain,
            epoch: try database.number("SELECT epoch FROM stores WHERE id = ?", number) ?? 0)
        return number
    }

    func beginEpoch(_ name: String, of store: Int) throws(Database.Failure) {
        let base = ends[store]?.revision ?? 0
        try database.transaction { () throws(Database.Failure) in
            try insertEpoch(name, of: store, base: base)
        }
        ends[store]?.epoch =
            try database.number("SELECT epoch FROM stores WHERE id = ?", store) ?? 0
    }

    private func insertEpoch(
        _ name: String, of store: Int, base: Int
    ) throws(Database.Failure) {
        let row = try database.statement("INSERT INTO epochs (store, name, base) VALUES (?, ?, ?)")
        row.bind(store, at: 1)
        row.bind(name, at: 2)
        row.bind(base, at: 3)
        try row.run()
        try database.run(
            "UPDATE stores SET epoch = (SELECT max(id) FROM epochs) WHERE id = \(store)")
    }

    func write(_ batches: [JournalBatch]) throws(Database.Failure) {
        var next = ends
        try database.transaction { () throws(Database.Failure) in
            for batch in batches { try insert(batch, behind: &next) }
        }
        ends = next
    }

    private func insert(
        _ batch: JournalBatch, behind next: inout [Int: End]
    ) throws(Database.Failure) {
        let row = try database.statement(
            "INSERT INTO commits VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        var end: (store: Int, value: End)?
        for index in batch.commits.indices {
            let store = batch.commits[index].store
            if let last = end, last.store != store { next[last.store] = last.value }
            if end?.store != store { end = next[store].map { (store, $0) } }
            var commit = batch.commits[index].commit.stored()
            guard var value = end?.value, value.revision + 1 == commit.revision else {
                throw Database.Failure(
                    code: 1, description: "revision \(commit.revision) does not follow")
            }
            // The next row's number would be one of another store.
            guard commit.revision <= Self.lastRevision else {
                throw Database.Failure(
                    code: 1, description: "no revision comes after \(Self.lastRevision)")
            }
            commit.chain = commit.sum(after: value.chain)
            commit.epoch = value.epoch
            try insert(commit, of: store, by: row)
            value.revision = commit.revision
            value.chain = commit.chain
            end = (store, value)
        }
        if let end { next[end.store] = end.value }
        for (store, key) in batch.keys { try Self.insert(key, of: store, into: database) }
        for (store, pending) in batch.snapshots { try insert(pending, of: store) }
        for (store, change) in batch.reminders { try take(change, of: store) }
        for (store, removal) in batch.removals { try remove(removal, of: store) }
    }

    private func insert(
        _ commit: StoredCommit, of store: Int, by row: Statement
    ) throws(Database.Failure) {
        // Every parameter is bound anew, so nothing is left of the row before.
        row.bind(Self.row(store, commit.revision), at: 1)
        row.bind(commit.epoch, at: 2)
        row.bind(commit.milliseconds, at: 3)
        row.bind(commit.key, at: 5)
        row.bind(commit.travel?.op.rawValue, at: 7)
        if let travel = commit.travel { row.bind(travel.to, at: 8) } else { row.bindNothing(at: 8) }
        row.bind(commit.amends ? 1 : 0, at: 9)
        row.bind(Int(Int64(bitPattern: commit.chain)), at: 11)
        try Self.withTexts(of: commit) { (origin, action, patch) throws(Database.Failure) in
            row.bind(borrowed: origin, at: 4)
            if let action { row.bind(borrowed: action, at: 6) } else { row.bindNothing(at: 6) }
            row.bind(borrowed: patch, at: 10)
            try row.run()
        }
    }

    /// The texts of a commit where they lie.
    private static func withTexts(
        of commit: StoredCommit,
        _ body: (
            _ origin: UnsafeBufferPointer<UInt8>, _ action: UnsafeBufferPointer<UInt8>?,
            _ patch: UnsafeBufferPointer<UInt8>
        ) throws(Database.Failure) -> Void
    ) throws(Database.Failure) {
        try commit.origin.bytes.withUnsafeBufferPointer { (origin) throws(Database.Failure) in
            try commit.patch.bytes.withUnsafeBufferPointer { (patch) throws(Database.Failure) in
                guard let action = commit.action else { return try body(origin, nil, patch) }
                try action.bytes.withUnsafeBufferPointer { (action) throws(Database.Failure) in
                    try body(origin, action, patch)
                }
            }
        }
    }

    static func insert(
        _ key: StoredKey, of store: Int, into database: Database
    ) throws(Database.Failure) {
        let row = try database.statement(
            "INSERT OR REPLACE INTO keys VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        row.bind(store, at: 1)
        row.bind(Self.column(key.user), at: 2)
        row.bind(key.text, at: 3)
        row.bind(key.milliseconds, at: 4)
        row.bind(blob: key.actionHash, at: 5)
        switch key.answer {
        case .ack(let revision): row.bind(revision, at: 6)
        case .rejected(let message): row.bind(message, at: 7)
        }
        row.bind(Int(Int64(bitPattern: key.sum(in: store))), at: 8)
        try row.run()
    }

    /// A name that nobody has is not the empty one.
    private static func column(_ user: String?) -> String { user.map { "+" + $0 } ?? "-" }

    private func insert(
        _ pending: PendingSnapshot, of store: Int
    ) throws(Database.Failure) {
        let commit = try database.number(
            "SELECT chain FROM commits WHERE id = ?", Self.row(store, pending.revision))
        guard let commit else { return }
        try insert(
            StoredSnapshot(
                revision: pending.revision, milliseconds: pending.milliseconds,
                chain: UInt64(bitPattern: Int64(commit)), written: pending.written,
                timeline: pending.timeline, state: pending.state), of: store)
    }

    private func insert(
        _ snapshot: StoredSnapshot, of store: Int
    ) throws(Database.Failure) {
        let row = try database.statement(
            "INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        row.bind(Self.row(store, snapshot.revision), at: 1)
        row.bind(snapshot.milliseconds, at: 2)
        row.bind(Int(Int64(bitPattern: snapshot.chain)), at: 3)
        row.bind(snapshot.written, at: 4)
        row.bind(snapshot.state.bytes.count, at: 5)
        row.bind(Int(Int64(bitPattern: snapshot.sum)), at: 6)
        row.bind(text: snapshot.timeline.bytes, at: 7)
        row.bind(text: snapshot.state.bytes, at: 8)
        try row.run()
    }

    private func take(_ change: ReminderChange, of store: Int) throws(Database.Failure) {
        switch change {
        case .removed(let id):
            let row = try database.statement("DELETE FROM reminders WHERE store = ? AND name = ?")
            row.bind(store, at: 1)
            row.bind(id, at: 2)
            try row.run()
        case .set(let id, let due, let action):
            // What cannot be written waits in memory only.
            guard let action = try? action() else { return }
            let row = try database.statement("INSERT OR REPLACE INTO reminders VALUES (?, ?, ?, ?)")
            row.bind(store, at: 1)
            row.bind(id, at: 2)
            row.bind(due, at: 3)
            row.bind(text: action.bytes, at: 4)
            try row.run()
        }
    }

    private func remove(_ removal: JournalRemoval, of store: Int) throws(Database.Failure) {
        switch removal {
        case .commits(let first, let last):
            let row = try database.statement("DELETE FROM commits WHERE id > ? AND id <= ?")
            row.bind(Self.row(store, first), at: 1)
            row.bind(Self.row(store, last), at: 2)
            try row.run()
        case .snapshots(let revisions):
            let row = try database.statement("DELETE FROM snapshots WHERE id = ?")
            for revision in revisions {
                row.reset()
                row.bind(Self.row(store, revision), at: 1)
                try row.run()
            }
        case .keys(let time, let most):
            let oldest = try database.number(
                """
                SELECT time FROM keys WHERE store = ? ORDER BY time DESC LIMIT 1 OFFSET ?
                """, store, max(0, most - 1))
            let row = try database.statement("DELETE FROM keys WHERE store = ? AND time < ?")
            row.bind(store, at: 1)
            row.bind(max(time, oldest ?? time), at: 2)
            try row.run()
        }
    }

    func setFact(_ name: String, _ value: Int) throws(Database.Failure) {
        let row = try database.statement("INSERT OR REPLACE INTO facts VALUES (?, ?)")
        row.bind(name, at: 1)
        row.bind(value, at: 2)
        try row.run()
    }

    /// A fact of this size is stored and removed: a disk with less space than that is still full.
    private static let probeBytes = 1_048_576

    func tryWriting() throws(Database.Failure) {
        try database.transaction { () throws(Database.Failure) in
            try database.run(
                "INSERT OR REPLACE INTO facts VALUES ('probe', zeroblob(\(Self.probeBytes)))")
        }
        try database.transaction { () throws(Database.Failure) in
            try database.run("DELETE FROM facts WHERE name = 'probe'")
        }
    }

    /// The number of a commit's or a snapshot's row.
    static func row(_ store: Int, _ revision: Int) -> Int { store << 40 | revision }
    /// The revision of a row.
    static func revision(_ row: Int) -> Int { row & lastRevision }
    /// The last revision that there can be.
    static let lastRevision = 1 << 40 - 1
    /// The last number that a store can have.
    static let lastStore = 1 << 22
}
