/// Which types of actions somebody may send: those that some `allow` means and no `deny` does. In
/// a pattern `*` stands for any run of characters, none included.
struct ActionRule: Hashable, Sendable {
    private let allow: [Pattern]
    private let deny: [Pattern]
    private let isAll: Bool

    /// Every type.
    static let all = ActionRule(allow: ["*"], deny: [])
    /// None.
    static let none = ActionRule(allow: [], deny: [])

    init(allow: [String], deny: [String]) {
        self.allow = allow.map(Pattern.init)
        self.deny = deny.map(Pattern.init)
        isAll = deny.isEmpty && allow.contains("*")
    }

    /// Whether nothing is allowed.
    var isNone: Bool { allow.isEmpty }

    /// Whether actions of this type may be sent. O(patterns × length).
    func allows(_ type: String) -> Bool {
        isAll || allow.contains { $0.matches(type) } && !deny.contains { $0.matches(type) }
    }

    /// Compared by its bytes, as types are.
    private struct Pattern: Hashable {
        private let bytes: [UInt8]
        init(_ text: String) { bytes = Array(text.utf8) }

        /// One walk over both: after a mismatch the last star takes one byte more.
        func matches(_ text: String) -> Bool {
            let text = Array(text.utf8)
            var (at, place) = (0, 0)
            var star: (at: Int, place: Int)?
            while place < text.count {
                if at < bytes.count, bytes[at] == UInt8(ascii: "*") {
                    star = (at, place)
                    at += 1
                } else if at < bytes.count, bytes[at] == text[place] {
                    at += 1
                    place += 1
                } else if let last = star {
                    star = (last.at, last.place + 1)
                    at = last.at + 1
                    place = last.place + 1
                } else {
                    return false
                }
            }
            return bytes[at...].allSatisfy { $0 == UInt8(ascii: "*") }
        }
    }
}
