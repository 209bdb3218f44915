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

    /// Reads a line; nil where it is none of these.
    init?(_ line: JSONValue) {
        if let id = line["reminder"]?.string {
            guard let due = line["due"].flatMap(Self.time), let action = line["action"] else {
                return nil
            }
            self = .reminder(StoredReminder(id: id, due: due, action: RawJSON(action)))
            return
        }
        guard let at = line["at"].flatMap(Self.time) else { return nil }
        if let hash = line["hash"]?.string.flatMap(Digest.bytes) {
            guard let key = Self.key(line, hash, at) else { return nil }
            self = .key(key)
        } else if let state = line["state"], let revision = line["rev"].flatMap(Self.revision) {
            let timeline = RawJSON(line["timeline"] ?? .object([:]))
            self = .beginning(
                revision: revision, milliseconds: at, timeline: timeline, state: state)
        } else {
            guard let commit = Self.commit(line, at) else { return nil }
            self = .commit(commit)
        }
    }

    private static func key(_ line: JSONValue, _ hash: [UInt8], _ at: Int) -> StoredKey? {
        guard let text = line["key"]?.string else { return nil }
        let answer: KeyTable.Answer
        if let revision = line["rev"]?.int {
            answer = .ack(revision: revision)
        } else if let refusal = line["refusal"]?.string {
            answer = .rejected(message: refusal)
        } else {
            return nil
        }
        return StoredKey(
            user: line["user"]?.string, text: text, actionHash: hash, answer: answer,
            milliseconds: at)
    }

    private static func commit(_ line: JSONValue, _ at: Int) -> StoredCommit? {
        guard let revision = line["rev"].flatMap(Self.revision), let patch = line["patch"],
            let from = line["from"].map({ RawJSON($0) }), Origin(stored: from) != nil
        else { return nil }
        var travel: Travel?
        if let move = line["travel"] {
            guard let op = move["op"]?.string.flatMap(Travel.Op.init), let to = move["to"]?.int
            else { return nil }
            travel = Travel(op: op, to: to)
        }
        return StoredCommit(
            revision: revision, milliseconds: at, origin: from, key: line["key"]?.string,
            action: line["action"].map { RawJSON($0) }, travel: travel,
            amends: line["amends"]?.bool ?? false, patch: RawJSON(patch))
    }

    /// One that a journal can hold.
    private static func revision(_ value: JSONValue) -> Int? {
        value.int.flatMap { (0...SQLiteFile.lastRevision).contains($0) ? $0 : nil }
    }

    private static func time(_ value: JSONValue) -> Int? {
        value.int ?? value.string.flatMap { WireTime.date($0) }.map(\.milliseconds)
    }
}
