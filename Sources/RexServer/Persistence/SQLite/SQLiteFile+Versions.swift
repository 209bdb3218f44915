/// The tables, version by version, and whose file it is.
extension SQLiteFile {
    /// What version of the tables this program writes. See `migrations`.
    static let version = 3
    /// Marks the file as ours: "REX1".
    private static let application = 0x5245_5831
    /// Stands for a file of a newer version among SQLite's codes.
    static let newerVersion: Int32 = -1
    static let pageBytes = 8_192

    /// Each step brings a file from the version before it to its own; a step is never changed once
    /// it was released.
    private static let migrations: [String] = [
        """
        CREATE TABLE stores (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, epoch INTEGER NOT NULL);
        CREATE TABLE epochs (
            id INTEGER PRIMARY KEY, store INTEGER NOT NULL, name TEXT NOT NULL,
            base INTEGER NOT NULL);
        CREATE TABLE commits (
            id INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, time INTEGER NOT NULL,
            origin TEXT NOT NULL, key TEXT, action TEXT, travel TEXT, target INTEGER,
            amends INTEGER NOT NULL, patch TEXT NOT NULL, chain INTEGER NOT NULL);
        CREATE TABLE snapshots (
            id INTEGER PRIMARY KEY, time INTEGER NOT NULL, chain INTEGER NOT NULL,
            written INTEGER NOT NULL, bytes INTEGER NOT NULL, sum INTEGER NOT NULL,
            timeline TEXT NOT NULL, state TEXT NOT NULL);
        CREATE TABLE keys (
            store INTEGER NOT NULL, user TEXT NOT NULL, key TEXT NOT NULL, time INTEGER NOT NULL,
            hash BLOB NOT NULL, revision INTEGER, refusal TEXT,
            PRIMARY KEY (store, user, key)) WITHOUT ROWID;
        CREATE INDEX keys_by_time ON keys (store, time);
        CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
        """,
        """
        CREATE TABLE reminders (
            store INTEGER NOT NULL, name TEXT NOT NULL, due INTEGER NOT NULL, action TEXT NOT NULL,
            PRIMARY KEY (store, name)) WITHOUT ROWID;
        """,
        // What it is in each row is added by `addSums`.
        "ALTER TABLE keys ADD COLUMN sum INTEGER NOT NULL DEFAULT 0",
    ]
    /// The version since which each key has a sum.
    private static let sumsVersion = 3

    /// Makes a new file with the tables of the present version.
    static func make(_ path: String) throws(Database.Failure) {
        let database = try Database(path, .create)
        try database.run("PRAGMA page_size=\(pageBytes); PRAGMA synchronous=FULL")
        try migrate(database)
        // Now, while there is no log: SQLite would take one beside a file of another mode for its
        // own.
        try database.run("PRAGMA journal_mode=WAL")
    }

    /// Whose file it is, and whether its tables are those of the version that it says; that
    /// version, 0 for a new one.
    @discardableResult
    static func check(_ database: Database) throws(Database.Failure) -> Int {
        let owner = try database.number("PRAGMA application_id") ?? 0
        let found = try database.number("PRAGMA user_version") ?? 0
        let tables = try database.number("SELECT count(*) FROM sqlite_schema") ?? 0
        guard owner == application || owner == 0 && tables == 0 else {
            throw Database.Failure(code: 1, description: "the file is not a journal of Rex")
        }
        guard found <= version else {
            throw Database.Failure(
                code: newerVersion,
                description: "it is of version \(found), this program knows \(version)")
        }
        guard found >= (owner == application ? 1 : 0) else {
            throw .damage("it says that it is of version \(found), which no journal is")
        }
        try checkTables(database, found)
        return found
    }

    /// A version that the tables do not bear out is damage: no step would lead on from there.
    private static func checkTables(_ database: Database, _ found: Int) throws(Database.Failure) {
        let there = try columns(of: database)
        let due = try columns(at: found)
        if let missing = due.subtracting(there).min() {
            throw .damage("it says that it is of version \(found) and has no \(missing)")
        }
        let later = try columns(at: version).subtracting(due)
        if let early = later.intersection(there).min() {
            throw .damage("it says that it is of version \(found) and has \(early) already")
        }
    }

    /// The columns that there are after so many steps.
    private static func columns(at version: Int) throws(Database.Failure) -> Set<String> {
        let model = try Database(":memory:", .create)
        for step in migrations[..<version] { try model.run(step) }
        return try columns(of: model)
    }

    private static func columns(of database: Database) throws(Database.Failure) -> Set<String> {
        let row = try database.statement(
            """
            SELECT tables.name || '.' || columns.name
            FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
            WHERE tables.type = 'table'
            """)
        defer { row.reset() }
        var found: Set<String> = []
        while try row.step() { found.insert(row.text(0) ?? "") }
        return found
    }

    /// Brings a file to the present version, all the way or not at all.
    ///
    /// - Parameter acceptsLoss: keys that cannot be read are no obstacle.
    static func migrate(
        _ database: Database, acceptsLoss: Bool = false
    ) throws(Database.Failure) {
        let found = try database.number("PRAGMA user_version") ?? 0
        guard found < version else { return }
        try database.transaction { () throws(Database.Failure) in
            for step in migrations[found...] { try database.run(step) }
            if found < sumsVersion {
                do throws(Database.Failure) {
                    try addSums(database)
                } catch {
                    guard error.isDamage, acceptsLoss else { throw error }
                }
            }
            try database.run("PRAGMA application_id=\(application)")
            try database.run("PRAGMA user_version=\(version)")
        }
    }

    private static func addSums(_ database: Database) throws(Database.Failure) {
        let row = try database.statement(
            "SELECT user, key, time, hash, revision, refusal, store FROM keys")
        defer { row.reset() }
        var keys: [(store: Int, key: StoredKey)] = []
        while try row.step() { keys.append((row.int(6), key(in: row))) }
        for (store, key) in keys { try insert(key, of: store, into: database) }
    }
}
