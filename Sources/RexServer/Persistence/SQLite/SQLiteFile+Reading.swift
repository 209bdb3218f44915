import Rex
import RexProtocol

extension SQLiteFile {
    func stores() throws(Database.Failure) -> [StoredStore] {
        let row = try database.statement(
            """
            SELECT stores.id, stores.name, epochs.name, epochs.id, epochs.base
            FROM stores JOIN epochs ON epochs.id = stores.epoch ORDER BY stores.id
            """)
        defer { row.reset() }
        var found: [StoredStore] = []
        while try row.step() {
            guard (1...Self.lastStore).contains(row.int(0)) else {
                throw .damage("no store has the number \(row.int(0))")
            }
            found.append(
                StoredStore(
                    number: row.int(0), name: row.text(1) ?? "", epoch: row.text(2) ?? "",
                    epochNumber: row.int(3), epochBase: row.int(4)))
        }
        return found
    }

    /// Where the next commit goes: behind the newest one, or behind the newest snapshot.
    func end(of store: StoredStore) throws(Database.Failure) -> End {
        let row = try database.statement(
            "SELECT id, chain FROM commits WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1")
        row.bind(Self.row(store.number, 0), at: 1)
        row.bind(Self.row(store.number + 1, 0) - 1, at: 2)
        defer { row.reset() }
        if try row.step() {
            return End(
                revision: Self.revision(row.int(0)),
                chain: UInt64(bitPattern: Int64(row.int(1))), epoch: store.epochNumber)
        }
        var snapshot: StoredSnapshot?
        if let newest = try snapshots(of: store.number).last {
            snapshot = try self.snapshot(of: store.number, at: newest.revision)
        }
        return End(
            revision: snapshot?.revision ?? 0, chain: snapshot?.chain ?? 0,
            epoch: store.epochNumber)
    }

    func snapshots(of store: Int) throws(Database.Failure) -> [SnapshotMark] {
        let row = try database.statement(
            """
            SELECT id, time, written, bytes FROM snapshots WHERE id BETWEEN ? AND ? ORDER BY id
            """)
        row.bind(Self.row(store, 0), at: 1)
        row.bind(Self.row(store + 1, 0) - 1, at: 2)
        defer { row.reset() }
        var found: [SnapshotMark] = []
        while try row.step() {
            found.append(
                SnapshotMark(
                    revision: Self.revision(row.int(0)), milliseconds: Self.sane(row.int(1)),
                    written: Self.sane(row.int(2)), bytes: Self.sane(row.int(3))))
        }
        return found
    }

    /// A number that can be reckoned with, whatever became of it on the disk: no sum is over it.
    private static func sane(_ number: Int) -> Int {
        let most = 1 << 53
        return min(max(number, -most), most)
    }

    /// Nil where there is none, or where it is not as it was stored.
    func snapshot(
        of store: Int, at revision: Int
    ) throws(Database.Failure) -> StoredSnapshot? {
        let row = try database.statement(
            "SELECT time, chain, written, timeline, state, sum FROM snapshots WHERE id = ?")
        row.bind(Self.row(store, revision), at: 1)
        defer { row.reset() }
        guard try row.step() else { return nil }
        guard let timeline = try? RawJSON(parsing: row.bytes(3)),
            let state = RawJSON(stored: row.bytes(4))
        else { return nil }
        let snapshot = StoredSnapshot(
            revision: revision, milliseconds: row.int(0),
            chain: UInt64(bitPattern: Int64(row.int(1))), written: row.int(2), timeline: timeline,
            state: state)
        guard snapshot.sum == UInt64(bitPattern: Int64(row.int(5))) else { return nil }
        return snapshot
    }

    func commits(
        of store: Int, after revision: Int, limit: Int
    ) throws(Database.Failure) -> [StoredCommit] {
        let row = try database.statement(
            """
            SELECT id, epoch, time, origin, key, action, travel, target, amends, patch, chain
            FROM commits WHERE id > ? AND id < ? ORDER BY id LIMIT ?
            """)
        row.bind(Self.row(store, revision), at: 1)
        row.bind(Self.row(store + 1, 0), at: 2)
        row.bind(limit, at: 3)
        defer { row.reset() }
        var found: [StoredCommit] = []
        while try row.step() { found.append(try Self.commit(in: row)) }
        return found
    }

    private static func commit(in row: Statement) throws(Database.Failure) -> StoredCommit {
        let revision = revision(row.int(0))
        guard let origin = RawJSON(stored: row.bytes(3)), let patch = RawJSON(stored: row.bytes(9))
        else { throw Database.Failure(damagedAt: revision) }
        var action: RawJSON?
        if !row.isNull(5) {
            guard let read = RawJSON(stored: row.bytes(5)) else {
                throw Database.Failure(damagedAt: revision)
            }
            action = read
        }
        return StoredCommit(
            revision: revision, milliseconds: row.int(2), origin: origin, key: row.text(4),
            action: action,
            travel: row.text(6).flatMap(Travel.Op.init).map { Travel(op: $0, to: row.int(7)) },
            amends: row.int(8) == 1, patch: patch, chain: UInt64(bitPattern: Int64(row.int(10))),
            epoch: row.int(1))
    }

    func lastRevision(of store: Int) throws(Database.Failure) -> Int? {
        try database.number(
            "SELECT max(id) FROM commits WHERE id BETWEEN ? AND ?", Self.row(store, 0),
            Self.row(store + 1, 0) - 1
        ).flatMap { $0 == 0 ? nil : Self.revision($0) }
    }

    /// In the order of time. One that is not as it was stored is damage: who asks again under it
    /// would be answered wrongly.
    func keys(of store: Int, since time: Int) throws(Database.Failure) -> [StoredKey] {
        let (good, damaged) = try checkedKeys(of: store)
        guard damaged == 0 else {
            let keys = damaged == 1 ? "a key is" : "\(damaged) keys are"
            throw .damage("\(keys) damaged: what is asked again under it would be done twice")
        }
        return good.filter { $0.milliseconds >= time }
    }

    /// The keys that are as they were stored, in the order of time, and how many are not; nil: of
    /// all stores.
    func checkedKeys(
        of store: Int?
    ) throws(Database.Failure) -> (good: [StoredKey], damaged: Int) {
        // In the table's own order: what is wrong in the index hides none.
        let row = try database.statement(
            """
            SELECT user, key, time, hash, revision, refusal, store, sum FROM keys NOT INDEXED
            WHERE store BETWEEN ? AND ?
            """)
        row.bind(store ?? .min, at: 1)
        row.bind(store ?? .max, at: 2)
        defer { row.reset() }
        var found: [StoredKey] = []
        var damaged = 0
        while try row.step() {
            let key = Self.key(in: row)
            if key.sum(in: row.int(6)) != UInt64(bitPattern: Int64(row.int(7))) {
                damaged += 1
            } else {
                found.append(key)
            }
        }
        // The sort is stable.
        found.sort { $0.milliseconds < $1.milliseconds }
        return (found, damaged)
    }

    static func key(in row: Statement) -> StoredKey {
        let user = row.text(0) ?? "-"
        return StoredKey(
            user: user == "-" ? nil : String(user.dropFirst()), text: row.text(1) ?? "",
            actionHash: row.bytes(3),
            answer: row.isNull(4)
                ? .rejected(message: row.text(5) ?? "") : .ack(revision: row.int(4)),
            milliseconds: row.int(2))
    }

    /// Looks through the tables whose rows nothing else counts: a page that rotted may hide rows
    /// without a word. O(keys).
    func checkSmallTables() throws(Database.Failure) {
        for table in ["stores", "epochs", "facts", "reminders", "keys"] {
            let row = try database.statement("PRAGMA quick_check('\(table)')")
            defer { row.reset() }
            let words = try row.step() ? row.text(0) ?? "" : ""
            guard words == "ok" else { throw .damage("the table of \(table): \(words)") }
        }
        let rows = try database.number("SELECT count(*) FROM keys NOT INDEXED")
        let indexed = try database.number("SELECT count(*) FROM keys INDEXED BY keys_by_time")
        guard rows == indexed else {
            throw .damage("the table of keys: \(rows ?? 0) rows and \(indexed ?? 0) in its index")
        }
        let strays = try database.number(
            """
            SELECT count(*) FROM keys INDEXED BY keys_by_time
            WHERE store NOT IN (SELECT id FROM stores)
            """)
        guard strays == 0 else { throw .damage("the table of keys: \(strays ?? 0) of no store") }
    }

    func reminders(of store: Int) throws(Database.Failure) -> [StoredReminder] {
        let row = try database.statement(
            "SELECT name, due, action FROM reminders WHERE store = ? ORDER BY due")
        row.bind(store, at: 1)
        defer { row.reset() }
        var found: [StoredReminder] = []
        while try row.step() {
            guard let action = RawJSON(stored: row.bytes(2)) else {
                throw .damage("the reminder \(row.text(0) ?? "") is no JSON")
            }
            found.append(StoredReminder(id: row.text(0) ?? "", due: row.int(1), action: action))
        }
        return found
    }

    func fact(_ name: String) throws(Database.Failure) -> Int? {
        let row = try database.statement("SELECT value FROM facts WHERE name = ?")
        row.bind(name, at: 1)
        defer { row.reset() }
        return try row.step() ? row.int(0) : nil
    }

    func backUp(to path: String) throws(Database.Failure) { try database.backUp(to: path) }

    func complaints() throws(Database.Failure) -> [String] {
        let row = try database.statement("PRAGMA integrity_check")
        defer { row.reset() }
        var found: [String] = []
        while try row.step() { found.append(row.text(0) ?? "") }
        guard found == ["ok"] else { return found }
        do throws(Database.Failure) {
            try checkSmallTables()
        } catch {
            guard error.isDamage else { throw error }
            return [error.description]
        }
        return []
    }
}

extension Database.Failure {
    /// What is stored of a commit is not JSON any more.
    fileprivate init(damagedAt revision: Int) {
        self = .damage("what is stored of revision \(revision) is no JSON")
    }
}
