import Foundation
import Rex
import RexProtocol
import Testing

@testable import RexServer

/// Journals for tests, and what is put into them.
final class Stock {
    /// Which journal.
    enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case memory, file
        var testDescription: String { rawValue }
    }

    let folder: String
    let journal: any Journal

    init(_ kind: Kind) throws {
        folder = FileManager.default.temporaryDirectory.path + "/rex-stock-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        journal =
            kind == .memory
            ? MemoryJournal() : try SQLiteJournal(path: folder + "/\(JournalFolder.fileName)")
    }

    var path: String { folder + "/\(JournalFolder.fileName)" }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// A store of a number that begins at 0.
    func addTally(_ name: String = "tally") throws -> Int {
        try journal.addStore(name, epoch: "e1", Self.snapshot(at: 0))
    }

    static func snapshot(at revision: Int) -> StoredSnapshot {
        StoredSnapshot(
            revision: revision, milliseconds: 1_000, chain: 0, written: 0,
            timeline: RawJSON(.object([:])), state: RawJSON(["count": .int(revision)]))
    }

    static func commit(_ revision: Int, key: String? = nil, travel: Travel? = nil) -> PendingCommit
    {
        let action = RawJSON(["type": "add", "payload": .int(revision)])
        return PendingCommit(
            revision: revision, time: Date(milliseconds: 1_000 + revision),
            origin: .client(ClientIdentity(id: "c1", user: "ann")), key: key,
            action: travel == nil ? .text(action) : .none, travel: travel, amends: false,
            patch: .text(
                RawJSON([["op": "replace", "path": "/count", "value": .int(revision)]])),
            bytes: 100)
    }

    static func batch(_ store: Int, _ revisions: ClosedRange<Int>) -> JournalBatch {
        var batch = JournalBatch(ticket: UInt64(revisions.lowerBound))
        for revision in revisions { batch.commits.append((store, commit(revision))) }
        return batch
    }
}
