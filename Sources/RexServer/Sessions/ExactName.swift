import Rex
import RexProtocol

/// A name that is another one where its bytes are others, however much alike they look: Swift holds
/// "é" and "e" with an accent of its own for the same text.
struct ExactName: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (a: ExactName, b: ExactName) -> Bool { a.text.hasSameBytes(as: b.text) }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension ExactName: ExpressibleByStringLiteral {
    init(stringLiteral text: String) { self.init(text) }
}

extension ClientIdentity {
    /// Whether this is the same user; all without a name are one.
    func isUser(_ other: String?) -> Bool {
        user.map { ExactName($0) } == other.map { ExactName($0) }
    }
}
