import RexLoop

/// The folder of durable stores: one file, and a lock so that one server has it.
enum JournalFolder {
    /// The name of the file with everything.
    static let fileName = "journal.sqlite"
}
