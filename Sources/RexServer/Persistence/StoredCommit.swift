import FoundationEssentials
import Rex
import RexProtocol
import Synchronization

/// A commit as it is stored.
struct StoredCommit: Sendable, Equatable {
    let revision: Int
    /// Since 1970.
    let milliseconds: Int
    /// Who asked: see `Origin.stored`.
    let origin: RawJSON
    /// The key that it was asked under.
    let key: String?
    /// Nil where it is a travel.
    let action: RawJSON?
    let travel: Travel?
    /// A correction of the commit before and no step of the timeline.
    let amends: Bool
    /// Over the whole state; `[]` where nothing changed.
    let patch: RawJSON
    /// The sum over it and all commits before it.
    var chain: UInt64 = 0
    /// The number of the epoch that it was made in.
    var epoch = 0

    /// About what it takes on the disk.
    var bytes: Int { Self.bytes(action?.bytes.count ?? 0, patch.bytes.count) }

    /// About what a commit takes on the disk.
    static func bytes(_ actionBytes: Int, _ patchBytes: Int) -> Int {
        patchBytes + actionBytes + overheadBytes
    }

    private static var overheadBytes: Int { 64 }

    /// The sum that its `chain` should be, behind a commit with the sum `previous`.
    func sum(after previous: UInt64) -> UInt64 {
        var sum = ChainSum(previous)
        sum.add(revision)
        sum.add(milliseconds)
        sum.add(origin.bytes)
        sum.add(key.map { Array($0.utf8) } ?? [])
        sum.add(action?.bytes ?? [])
        if let travel {
            sum.add(Array(travel.op.rawValue.utf8))
            sum.add(travel.to)
        }
        sum.add(amends ? 1 : 0)
        sum.add(patch.bytes)
        return sum.value
    }
}

/// A commit on its way to the disk: what takes time is done there and not on the loop.
struct PendingCommit: Sendable {
    let revision: Int
    let time: Date
    let origin: Origin
    let key: String?
    let action: PendingAction
    let travel: Travel?
    let amends: Bool
    let patch: PendingPatch
    /// Of its action and patch, for the account.
    let bytes: Int

    /// As it is stored.
    func stored() -> StoredCommit {
        StoredCommit(
            revision: revision, milliseconds: time.milliseconds, origin: origin.stored, key: key,
            action: action.text, travel: travel, amends: amends, patch: patch.text)
    }
}

/// An action on its way to the disk.
enum PendingAction: Sendable {
    /// A travel has none.
    case none
    /// As its client wrote it, or as a journal had it.
    case text(RawJSON)
    /// It is written where it is stored, and not on the loop.
    case value(@Sendable () throws -> RawJSON)

    /// One of an effect that cannot be written is stored as null.
    var text: RawJSON? {
        switch self {
        case .none: nil
        case .text(let text): text
        case .value(let write): (try? write()) ?? .null
        }
    }
}

/// A patch on its way to the disk.
enum PendingPatch: Sendable {
    /// It is made already.
    case text(RawJSON)
    /// It is made where it is stored, and not on the loop.
    case later(@Sendable () -> RawJSON)

    var text: RawJSON {
        switch self {
        case .text(let text): text
        case .later(let make): make()
        }
    }

    /// Its size, at a guess where it is not made: it is of a small state.
    var bytes: Int {
        switch self {
        case .text(let text): text.bytes.count
        case .later: Self.unknownBytes
        }
    }

    private static var unknownBytes: Int { 64 }
}

/// Makes patches away from the loop, one after the other.
final class PatchMaker<State: Statable & Codable>: Sendable {
    private let name: String
    private let diff = Mutex(StateDiff<State>())

    init(_ name: String) { self.name = name }

    func patch(from old: TypedSnapshot<State>, to new: TypedSnapshot<State>) -> RawJSON {
        do {
            return try diff.withLock { try $0.patch(from: old.state, to: new.state).raw }
        } catch {
            preconditionFailure("the state of \(name) cannot be written as JSON: \(error)")
        }
    }
}

extension Date {
    /// Whole milliseconds since 1970; the first or the last that an Int holds where it is beyond.
    var milliseconds: Int {
        let exact = (timeIntervalSince1970 * 1_000).rounded()
        return Int(exactly: exact) ?? (exact < 0 ? .min : .max)
    }

    init(milliseconds: Int) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }
}

extension Origin {
    /// `{"client":"c7","user":"ann"}`, `{"effect":"timer"}`, `"local"` or `"system"`.
    var stored: RawJSON {
        // By hand: it is written for every commit.
        var writer = JSONWriter(capacity: 48)
        switch self {
        case .client(let client):
            writer.literal("{\"client\":")
            writer.string(client.id)
            if let user = client.user {
                writer.literal(",\"user\":")
                writer.string(user)
            }
            writer.literal("}")
        case .effect(let id):
            writer.literal("{\"effect\":")
            writer.string(id.rawValue)
            writer.literal("}")
        case .local: writer.string("local")
        case .system: writer.string("system")
        }
        return RawJSON(writer)
    }

    /// Reads what `stored` wrote; nil where it is none of these.
    init?(stored json: RawJSON) {
        let value = json.value
        if let id = value["client"]?.string {
            self = .client(ClientIdentity(id: id, user: value["user"]?.string))
        } else if let id = value["effect"]?.string {
            self = .effect(EffectID(id))
        } else if value == "local" {
            self = .local
        } else if value == "system" {
            self = .system
        } else {
            return nil
        }
    }
}
