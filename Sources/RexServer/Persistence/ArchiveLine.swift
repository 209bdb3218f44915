import FoundationEssentials
import Rex
import RexProtocol

/// One line of a journal that is written out: an object with `store` and
///
/// - `state` with `rev`, `at`, `epoch`, `timeline`: where the store's history begins;
/// - `patch` with `rev`, `at`, `from`, and `action` or `travel`, perhaps `key`: a commit;
/// - `reminder` with `due` and `action`;
/// - `key` with `user`, `hash`, `at`, and `rev` or `refusal`: the answer that the key got.
struct ArchiveLine {
    private var object: JSONObject = [:]

    /// The line, without its line feed.
    var bytes: [UInt8] { RawJSON(.object(object)).bytes }

    init(_ snapshot: StoredSnapshot, of store: StoredStore) {
        begin(store, snapshot.revision, snapshot.milliseconds)
        object["epoch"] = .string(store.epoch)
        object["timeline"] = snapshot.timeline.value
        object["state"] = snapshot.state.value
    }

    init(_ commit: StoredCommit, of store: StoredStore) {
        begin(store, commit.revision, commit.milliseconds)
        object["from"] = commit.origin.value
        object["key"] = commit.key.map { .string($0) }
        object["action"] = commit.action?.value
        if let travel = commit.travel {
            object["travel"] = ["op": .string(travel.op.rawValue), "to": .int(travel.to)]
        }
        if commit.amends { object["amends"] = true }
        object["patch"] = commit.patch.value
    }

    init(_ key: StoredKey, of store: StoredStore) {
        var revision: Int?
        if case .ack(let rev) = key.answer { revision = rev }
        begin(store, revision, key.milliseconds)
        object["key"] = .string(key.text)
        object["user"] = key.user.map { .string($0) } ?? .null
        object["hash"] = .string(Digest.hexadecimal(key.actionHash))
        if case .rejected(let message) = key.answer { object["refusal"] = .string(message) }
    }

    init(_ reminder: StoredReminder, of store: StoredStore) {
        object["store"] = .string(store.name)
        object["reminder"] = .string(reminder.id)
        object["due"] = Self.time(reminder.due)
        object["action"] = reminder.action.value
    }

    private mutating func begin(_ store: StoredStore, _ revision: Int?, _ time: Int) {
        object["store"] = .string(store.name)
        object["rev"] = revision.map { .int($0) }
        object["at"] = Self.time(time)
    }

    private static func time(_ milliseconds: Int) -> JSONValue {
        WireTime.text(Date(milliseconds: milliseconds)).map { .string($0) } ?? .int(milliseconds)
    }
}

/// What a line of a journal that was written out says.
enum ArchiveEntry {
    case beginning(revision: Int, milliseconds: Int, timeline: RawJSON, state: JSONValue)
    case commit(StoredCommit)
    case key(StoredKey)
    case reminder(StoredReminder)

    /// Why a line is none, with the place in it.
    struct Fault: Error, CustomStringConvertible {
        let description: String

        init(_ place: String, _ words: String) { description = "\(place) \(words)" }
    }

    /// Behind a revision that is read in there is room for so many commits at least.
    private static let room = 1 << 32
    /// The revisions that can be read in.
    private static let revisions = 0...(SQLiteFile.lastRevision - room)
    /// A hundred million days before and after 1970.
    private static let times = -8_640_000_000_000_000...8_640_000_000_000_000
    private static let hashBytes = 32

    /// Reads a line. Each number in it is within its bounds.
    init(_ line: JSONValue) throws(Fault) {
        if let id = line["reminder"] {
            self = .reminder(try Self.reminder(line, id))
        } else if line["hash"] != nil {
            self = .key(try Self.key(line))
        } else if let state = line["state"] {
            self = .beginning(
                revision: try Self.number(line["rev"], "/rev", Self.revisions),
                milliseconds: try Self.time(line), timeline: try Self.timeline(line), state: state)
        } else {
            self = .commit(try Self.commit(line))
        }
    }

    private static func reminder(
        _ line: JSONValue, _ id: JSONValue
    ) throws(Fault) -> StoredReminder {
        guard let id = id.string else { throw Fault("/reminder", "is no text") }
        guard let action = line["action"] else { throw Fault("/action", "is missing") }
        // However far it is away, as any date of a program may be.
        guard let due = line["due"].flatMap(milliseconds) else {
            throw Fault("/due", "is no time")
        }
        return StoredReminder(id: id, due: due, action: RawJSON(action))
    }

    private static func key(_ line: JSONValue) throws(Fault) -> StoredKey {
        guard let text = line["key"]?.string else { throw Fault("/key", "is no text") }
        guard let hash = line["hash"]?.string.flatMap(Digest.bytes), hash.count == hashBytes else {
            throw Fault("/hash", "is not \(hashBytes) bytes")
        }
        let answer: KeyTable.Answer
        if line["rev"] == nil, let refusal = line["refusal"]?.string {
            answer = .rejected(message: refusal)
        } else {
            answer = .ack(revision: try number(line["rev"], "/rev", revisions))
        }
        return StoredKey(
            user: line["user"]?.string, text: text, actionHash: hash, answer: answer,
            milliseconds: try time(line))
    }

    private static func commit(_ line: JSONValue) throws(Fault) -> StoredCommit {
        let revision = try number(line["rev"], "/rev", revisions)
        guard let patch = line["patch"] else { throw Fault("/patch", "is missing") }
        guard let from = line["from"].map({ RawJSON($0) }), Origin(stored: from) != nil else {
            throw Fault("/from", "is nobody")
        }
        var travel: Travel?
        if let move = line["travel"] {
            guard let op = move["op"]?.string.flatMap(Travel.Op.init) else {
                throw Fault("/travel/op", "is no travel")
            }
            // Only to what was there before it.
            let past = 0...max(0, revision - 1)
            travel = Travel(op: op, to: try number(move["to"], "/travel/to", past))
        }
        return StoredCommit(
            revision: revision, milliseconds: try time(line), origin: from,
            key: line["key"]?.string, action: line["action"].map { RawJSON($0) }, travel: travel,
            amends: line["amends"]?.bool ?? false, patch: RawJSON(patch))
    }

    /// An empty object where there is none.
    private static func timeline(_ line: JSONValue) throws(Fault) -> RawJSON {
        guard let value = line["timeline"], value != .object([:]) else {
            return RawJSON(.object([:]))
        }
        let timeline = RawJSON(value)
        let saved = try? JSONCoder.decode(Timeline.Saved.self, from: timeline)
        guard let saved, saved.isOfRevisions, Timeline(saved) != nil else {
            throw Fault("/timeline", "is none")
        }
        return timeline
    }

    private static func number(
        _ value: JSONValue?, _ place: String, _ range: ClosedRange<Int>
    ) throws(Fault) -> Int {
        guard let number = value?.int, range.contains(number) else {
            throw Fault(place, "is no number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static func time(_ line: JSONValue) throws(Fault) -> Int {
        guard let time = line["at"].flatMap(milliseconds), times.contains(time) else {
            throw Fault("/at", "is no time")
        }
        return time
    }

    private static func milliseconds(_ value: JSONValue) -> Int? {
        value.int ?? value.string.flatMap { WireTime.date($0) }.map(\.milliseconds)
    }
}

extension Timeline.Saved {
    /// All that it names may be revisions of a journal.
    var isOfRevisions: Bool {
        runs.allSatisfy { $0.allSatisfy { (0...SQLiteFile.lastRevision).contains($0) } }
    }
}
