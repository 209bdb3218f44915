import Rex
import RexProtocol

/// A state at one revision, whatever its type: shared by everybody who has it, never changed.
///
/// What does not have to know the type has states by this: it is one reference, where a value of an
/// unknown type costs the runtime a look at every step.
@usableFromInline
protocol StateSnapshot: AnyObject {
    var revision: Int { get }
    /// The whole state as JSON. O(state).
    func encoded() throws -> RawJSON
    /// Another state of the same type.
    func decoded(from tree: JSONValue, at revision: Int) throws -> any StateSnapshot
}

/// One state and, once somebody asked, its text.
@usableFromInline
final class TypedSnapshot<State: Statable & Codable>: StateSnapshot {
    @usableFromInline let revision: Int
    @usableFromInline let state: State
    @usableFromInline var text: RawJSON?
    @usableFromInline var digest: String?

    @inlinable
    init(revision: Int, state: State) {
        self.revision = revision
        self.state = state
    }

    @usableFromInline
    func encoded() throws -> RawJSON { try text ?? RawJSON(encoding: state) }

    @usableFromInline
    func decoded(from tree: JSONValue, at revision: Int) throws -> any StateSnapshot {
        TypedSnapshot(revision: revision, state: try JSONCoder.decode(State.self, from: tree))
    }

    /// The whole state as JSON; made once and kept until `dropText`. O(state).
    func json() throws -> RawJSON {
        if let text { return text }
        let made = try RawJSON(encoding: state)
        text = made
        return made
    }

    /// SHA-256 of its canonical form; made once. O(state).
    func hash() throws -> String {
        if let digest { return digest }
        let made = "sha256:" + Digest.hexadecimal(Digest.sha256(try json().value.canonical))
        digest = made
        return made
    }

    /// Lets the text go: it is not the present state any more, and history may keep it for long.
    func dropText() { text = nil }
}
