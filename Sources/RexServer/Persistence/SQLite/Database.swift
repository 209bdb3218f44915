import CSQLite
import RexLoop

/// One connection to an SQLite file. For one thread at a time.
final class Database {
    /// What SQLite says of a call that failed.
    struct Failure: Error, CustomStringConvertible {
        /// The extended result code.
        let code: Int32
        /// What was tried, and SQLite's words.
        let description: String

        /// The file's content is at fault, and not the disk, a right or a lock.
        var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xff) }
    }

    enum Access {
        case create, write, read
        /// To read a file that nobody writes to, without a trace in its folder.
        case unchanging
    }

    private let handle: OpaquePointer
    private var statements: [String: Statement] = [:]

    /// How long a call waits for another connection's lock, in milliseconds.
    private static let patience: Int32 = 10_000

    /// Opens a file.
    init(_ path: String, _ access: Access) throws(Failure) {
        _ = Self.countsNoMemory
        var address = path
        let flags: Int32
        switch access {
        case .create: flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .write: flags = SQLITE_OPEN_READWRITE
        case .read: flags = SQLITE_OPEN_READONLY
        case .unchanging:
            flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            address = "file:\(Self.escaped(path))?immutable=1"
        }
        var opened: OpaquePointer?
        let status = sqlite3_open_v2(
            address, &opened, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard status == SQLITE_OK, let opened else {
            let words = Self.words(status, opened)
            sqlite3_close_v2(opened)
            throw Failure(code: status, description: "it cannot be opened: \(words)")
        }
        handle = opened
        sqlite3_busy_timeout(handle, Self.patience)
    }

    private static let countsNoMemory: Void = rex_sqlite_count_no_memory()

    private static func escaped(_ path: String) -> String {
        path.replacing("%", with: "%25").replacing("?", with: "%3f").replacing("#", with: "%23")
    }

    deinit {
        statements = [:]
        sqlite3_close_v2(handle)
    }

    /// Runs statements that return nothing.
    func run(_ sql: String) throws(Failure) {
        let status = sqlite3_exec(handle, sql, nil, nil, nil)
        if status != SQLITE_OK { throw failure(status, sql) }
    }

    /// A statement, made once and used again: at its beginning, with nothing bound.
    func statement(_ sql: String) throws(Failure) -> Statement {
        if let known = statements[sql] {
            known.reset()
            return known
        }
        var made: OpaquePointer?
        let status = sqlite3_prepare_v2(handle, sql, -1, &made, nil)
        guard status == SQLITE_OK, let made else { throw failure(status, sql) }
        let statement = Statement(made, of: self, sql)
        statements[sql] = statement
        return statement
    }

    /// Runs a statement with integers and returns its first column of its first row.
    func number(_ sql: String, _ values: Int...) throws(Failure) -> Int? {
        let statement = try statement(sql)
        for (index, value) in values.enumerated() { statement.bind(value, at: index + 1) }
        defer { statement.reset() }
        return try statement.step() ? statement.int(0) : nil
    }

    /// All in `body`, or nothing of it. It is on the disk when this returns.
    func transaction(_ body: () throws(Failure) -> Void) throws(Failure) {
        try statement("BEGIN IMMEDIATE").run()
        do throws(Failure) {
            try body()
            try statement("COMMIT").run()
        } catch {
            // A failed COMMIT may have rolled back already, and that is what is wanted.
            if sqlite3_get_autocommit(handle) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    /// Copies all of it into a new file while others go on writing (SQLite's online backup).
    func backUp(to path: String) throws(Failure) {
        let copy = try Database(path, .create)
        guard let backup = sqlite3_backup_init(copy.handle, "main", handle, "main") else {
            throw copy.failure(sqlite3_extended_errcode(copy.handle), "backup")
        }
        let status = sqlite3_backup_step(backup, -1)
        sqlite3_backup_finish(backup)
        guard status == SQLITE_DONE else { throw copy.failure(status, "backup") }
    }

    fileprivate func failure(_ status: Int32, _ sql: String) -> Failure {
        let verb = sql.split(separator: " ").first.map(String.init) ?? sql
        return Failure(code: status, description: "\(verb): \(Self.words(status, handle))")
    }

    private static func words(_ status: Int32, _ handle: OpaquePointer?) -> String {
        let system = handle.map { sqlite3_system_errno($0) } ?? 0
        let words = String(cString: sqlite3_errstr(status))
        let primary = status & 0xff
        guard system != 0, primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN else {
            return words
        }
        return "\(words): \(SystemReason.words(system))"
    }
}

/// A prepared statement. Columns are counted from 0, parameters from 1, as SQLite does.
final class Statement {
    private let handle: OpaquePointer
    private unowned let database: Database
    private let sql: String

    fileprivate init(_ handle: OpaquePointer, of database: Database, _ sql: String) {
        self.handle = handle
        self.database = database
        self.sql = sql
    }

    deinit { sqlite3_finalize(handle) }

    func bind(_ value: Int, at index: Int) {
        sqlite3_bind_int64(handle, Int32(index), Int64(value))
    }

    func bind(_ text: String?, at index: Int) {
        guard var text else { return bindNothing(at: index) }
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                _ = rex_sqlite_bind_text(
                    handle, Int32(index), $0.baseAddress, Int32($0.count))
            }
        }
    }

    /// Bytes that are UTF-8, stored as a text that any tool can read.
    func bind(text bytes: [UInt8]?, at index: Int) {
        guard let bytes else { return bindNothing(at: index) }
        bytes.withUnsafeBytes { raw in
            raw.withMemoryRebound(to: CChar.self) {
                _ = rex_sqlite_bind_text(
                    handle, Int32(index), $0.baseAddress, Int32($0.count))
            }
        }
    }

    /// As `bind(text:at:)`, where the bytes stay where they are until the statement has run.
    func bind(borrowed bytes: UnsafeBufferPointer<UInt8>, at index: Int) {
        _ = rex_sqlite_bind_borrowed_text(
            handle, Int32(index), bytes.baseAddress, Int32(bytes.count))
    }

    func bind(blob bytes: [UInt8], at index: Int) {
        bytes.withUnsafeBytes {
            _ = rex_sqlite_bind_blob(handle, Int32(index), $0.baseAddress, UInt64($0.count))
        }
    }

    func bindNothing(at index: Int) { sqlite3_bind_null(handle, Int32(index)) }

    /// Goes to the next row; false where there is none.
    func step() throws(Database.Failure) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let status:
            let failure = database.failure(status, sql)
            reset()
            throw failure
        }
    }

    /// Runs to the end of a statement that returns nothing, and makes it ready for the next time.
    func run() throws(Database.Failure) {
        _ = try step()
        sqlite3_reset(handle)
    }

    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    func int(_ column: Int) -> Int { Int(sqlite3_column_int64(handle, Int32(column))) }

    func isNull(_ column: Int) -> Bool {
        sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
    }

    func bytes(_ column: Int) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, Int32(column)) else { return [] }
        let count = Int(sqlite3_column_bytes(handle, Int32(column)))
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    func text(_ column: Int) -> String? {
        isNull(column) ? nil : String(decoding: bytes(column), as: UTF8.self)
    }
}

extension Database.Failure {
    /// The content of a file is not what was written.
    static func damage(_ description: String) -> Database.Failure {
        Database.Failure(code: SQLITE_CORRUPT, description: description)
    }
}
