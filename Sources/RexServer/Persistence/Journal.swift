import RexProtocol

/// Where commits, snapshots and keys are kept.
///
/// `write` puts all of a batch there or nothing of it, and what it wrote survives any end of the
/// process or the machine once it returns. Everything may be called on any thread, one call at a
/// time; a call may take as long as the disk does.
protocol Journal: Sendable {
    /// The stores that it holds.
    func stores() throws(JournalError) -> [StoredStore]
    /// Adds a store that begins with `snapshot`, and returns its number.
    func addStore(_ name: String, epoch: String, _ snapshot: StoredSnapshot)
        throws(JournalError) -> Int
    /// Begins another epoch of a store, after its last commit.
    func beginEpoch(_ name: String, of store: Int) throws(JournalError)
    /// All or nothing, in this order.
    func write(_ batches: [JournalBatch]) throws(JournalError)

    /// What is known of each snapshot of a store, the oldest first.
    func snapshots(of store: Int) throws(JournalError) -> [SnapshotMark]
    /// A snapshot whole; nil where there is none at that revision.
    func snapshot(of store: Int, at revision: Int) throws(JournalError) -> StoredSnapshot?
    /// Commits after a revision, oldest first, at most `limit`. None is missing in between.
    func commits(of store: Int, after revision: Int, limit: Int) throws(JournalError)
        -> [StoredCommit]
    /// The revision of the newest commit; nil where there are none.
    func lastRevision(of store: Int) throws(JournalError) -> Int?
    /// The keys of a store that were used at this time or later, the oldest first.
    func keys(of store: Int, since milliseconds: Int) throws(JournalError) -> [StoredKey]
    /// The reminders of a store that wait, the first that is due first.
    func reminders(of store: Int) throws(JournalError) -> [StoredReminder]
    /// Whether the last writer of acks that were not stored yet (`Durability.async`) ended without
    /// storing all that it had.
    func isUncertain() throws(JournalError) -> Bool
    /// Notes that acks may be ahead of what is stored, or that they are not any more.
    func setUncertain(_ flag: Bool) throws(JournalError)
    /// How many clients may have been named, by the server that writes it and those before.
    func clientsNamed() throws(JournalError) -> Int
    /// Notes how many may be named from here on.
    func setClientsNamed(_ count: Int) throws(JournalError)
    /// Writes about as much as a busy moment brings and takes it back: throws where that does not
    /// go.
    func tryWriting() throws(JournalError)
    /// Nothing is asked of it afterwards.
    func close()
}

extension Journal {
    /// All or nothing.
    func write(_ batch: JournalBatch) throws(JournalError) { try write([batch]) }
}

/// Why something cannot be stored or read.
public struct JournalError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is at fault.
    public enum Kind: Sendable, Equatable {
        /// The file is of a newer version.
        case newer
        /// What was stored is not there as it was.
        case damaged
        /// Another process has the folder.
        case taken
        /// The disk, a right, or the space on it.
        case failed
    }

    /// What is at fault.
    public let kind: Kind
    /// What was tried, and the system's words.
    let reason: String
    /// The file that it was tried with, where that is not said already.
    private let path: String?
    /// What was tried, with what, and the system's words.
    public var description: String { path.map { "\($0): \(reason)" } ?? reason }

    /// - Parameter path: it is not for those who know nothing of the machine.
    init(_ kind: Kind, _ reason: String, with path: String? = nil) {
        self.kind = kind
        self.reason = reason
        self.path = path
    }
}
