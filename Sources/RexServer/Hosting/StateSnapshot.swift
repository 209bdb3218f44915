import Rex
import RexProtocol

/// A state at one revision, whatever its type: shared by everybody who has it, never changed.
///
/// What does not have to know the type has states by this: it is one reference, where a value of an
/// unknown type costs the runtime a look at every step.
@usableFromInline
protocol StateSnapshot: AnyObject, Sendable {
    var revision: Int { get }
    /// The whole state as JSON. O(state).
    func encoded() throws -> RawJSON
    /// Another state of the same type.
    func decoded(from tree: JSONValue, at revision: Int) throws -> any StateSnapshot
}

/// One state.
@usableFromInline
final class TypedSnapshot<State: Statable & Codable>: StateSnapshot {
    @usableFromInline let revision: Int
    @usableFromInline let state: State

    @inlinable
    init(revision: Int, state: State) {
        self.revision = revision
        self.state = state
    }

    @usableFromInline
    func encoded() throws -> RawJSON { try RawJSON(encoding: state) }

    @usableFromInline
    func decoded(from tree: JSONValue, at revision: Int) throws -> any StateSnapshot {
        TypedSnapshot(revision: revision, state: try JSONCoder.decode(State.self, from: tree))
    }
}

/// A snapshot with its text, and its hash once somebody asked.
final class WrittenSnapshot<State: Statable & Codable> {
    let snapshot: TypedSnapshot<State>
    let text: RawJSON
    private var digest: String?

    /// O(state).
    init(_ snapshot: TypedSnapshot<State>) throws {
        self.snapshot = snapshot
        text = try snapshot.encoded()
    }

    /// SHA-256 of its canonical form; made once. O(state).
    var hash: String {
        if let digest { return digest }
        let made = "sha256:" + Digest.hexadecimal(Digest.sha256(text.value.canonical))
        digest = made
        return made
    }
}
