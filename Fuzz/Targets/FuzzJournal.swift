import FoundationEssentials
import Rex
import RexProtocol

@testable import RexServer

/// The store of the journals that are damaged: a number, which each commit sets to its revision.
struct FuzzState: Statable, Codable {
    var count = 0
}

enum FuzzAction: WireAction {
    case add(Int)
    static let clientTypes = ["add"]
    static let ownTypes: [String] = []
}

struct FuzzReducer: Reducer {
    func reduce(state: inout FuzzState, action: FuzzAction) throws -> [Effect<FuzzAction>] {
        guard case .add(let number) = action else { return [] }
        let (sum, isTooLarge) = state.count.addingReportingOverflow(number)
        guard !isTooLarge else { throw Refusal("too large") }
        state.count = sum
        return []
    }
}

/// A small journal: six commits, of which one has a key and one is a travel, with a snapshot before
/// and one among them, keys, reminders.
enum FuzzJournal {
    private static let made = Result { try make() }

    /// Its file.
    static func bytes() throws -> [UInt8] { try made.get() }

    /// Its commits, without their sums.
    static let commits: [StoredCommit] = (1...6).map { pending($0).stored() }

    private static func pending(_ revision: Int) -> PendingCommit {
        let isTravel = revision == 5
        return PendingCommit(
            revision: revision, time: Date(milliseconds: 1_000 + revision),
            origin: .client(ClientIdentity(id: "c1", user: "ann")),
            key: revision == 2 ? "k2" : nil,
            action: isTravel ? .none : .text(RawJSON(["type": "add", "payload": 1])),
            travel: isTravel ? Travel(op: .jump, to: 3) : nil, amends: revision == 6,
            patch: .text(
                RawJSON([["op": "replace", "path": "/count", "value": .int(revision)]])),
            bytes: 100)
    }

    private static func make() throws -> [UInt8] {
        let folder = try FuzzFolder()
        let journal = try SQLiteJournal(path: folder.path)
        let timeline = try RawJSON(encoding: Timeline(at: 0).saved)
        let store = try journal.addStore(
            "tally", epoch: "e1",
            StoredSnapshot(
                revision: 0, milliseconds: 1_000, chain: 0, written: 0, timeline: timeline,
                state: RawJSON(["count": 0])))
        var batch = JournalBatch(ticket: 1)
        for revision in 1...6 { batch.commits.append((store, pending(revision))) }
        batch.snapshots.append(
            (
                store,
                PendingSnapshot(
                    revision: 4, milliseconds: 1_004, written: 400, timeline: timeline,
                    state: RawJSON(["count": 4]))
            ))
        for (text, answer) in [
            ("k2", KeyTable.Answer.ack(revision: 2)), ("k3", .rejected(message: "no")),
        ] {
            batch.keys.append(
                (
                    store,
                    StoredKey(
                        user: "ann", text: text, actionHash: Digest.sha256([1]), answer: answer,
                        milliseconds: 1_003)
                ))
        }
        for id in ["later", "soon"] {
            let action = RawJSON(["type": "add", "payload": 1])
            batch.reminders.append((store, .set(id: id, due: 4_000_000_000_000) { action }))
        }
        try journal.write(batch)
        journal.close()
        return Array(try Data(contentsOf: URL(filePath: folder.path)))
    }
}

/// A folder for one input, in memory where the system has such a place.
final class FuzzFolder {
    let name: String

    init(_ journal: [UInt8]? = nil) throws {
        let files = FileManager.default
        let place =
            files.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : files.temporaryDirectory.path
        name = "\(place)/rex-fuzz-\(UUID().uuidString)"
        try files.createDirectory(atPath: name, withIntermediateDirectories: true)
        guard let journal else { return }
        try Data(journal).write(to: URL(filePath: path))
    }

    var path: String { "\(name)/\(JournalFolder.fileName)" }
    var archive: JournalArchive { JournalArchive(folder: name) }

    deinit { try? FileManager.default.removeItem(atPath: name) }
}

/// A log of SQLite that is written frame by frame, with the sums that SQLite would write
/// (sqlite.org/fileformat2.html, "The Write-Ahead Log").
struct SealedLog {
    var bytes: [UInt8] = []
    private let page: UInt32
    private let salts: (UInt32, UInt32)
    private var sum: (UInt32, UInt32) = (0, 0)
    private var frames: UInt32 = 0

    init(page: UInt32, salts: (UInt32, UInt32)) {
        self.page = page
        self.salts = salts
        bytes = [0x377f_0682, 3_007_000, page, 0, salts.0, salts.1].flatMap(Self.word)
        add(bytes)
        bytes += Self.word(sum.0) + Self.word(sum.1)
    }

    private static func word(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    mutating func append(content: ArraySlice<UInt8>, endsTransaction: Bool) {
        frames += 1
        let head = Self.word(frames) + Self.word(endsTransaction ? frames : 0)
        let content =
            content.prefix(Int(page))
            + Array(
                repeating: 0, count: max(0, Int(page) - content.count))
        add(head)
        add(Array(content))
        bytes += head + Self.word(salts.0) + Self.word(salts.1)
        bytes += Self.word(sum.0) + Self.word(sum.1) + content
    }

    /// What is no multiple of eight counts as if zeros followed.
    private mutating func add(_ bytes: [UInt8]) {
        for start in stride(from: 0, to: bytes.count, by: 8) {
            let word = { (from: Int) -> UInt32 in
                (0..<4).reduce(0) { number, index in
                    let byte = from + index < bytes.count ? bytes[from + index] : 0
                    return number | UInt32(byte) << UInt32(8 * index)
                }
            }
            sum.0 = sum.0 &+ word(start) &+ sum.1
            sum.1 = sum.1 &+ word(start + 4) &+ sum.0
        }
    }
}
