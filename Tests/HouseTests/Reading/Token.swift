/// One word, number, string or mark of Swift source, and the line it stands on.
struct Token: Equatable {
    enum Kind: Equatable { case word, number, string, mark }

    var kind: Kind
    /// A word with its backticks; of a string what stands between the quotes, interpolations
    /// left out; a mark is one character.
    var text: String
    /// Counted from 1: where it begins.
    var line: Int

    func isWord(_ text: String) -> Bool { kind == .word && self.text == text }
    func isMark(_ text: String) -> Bool { kind == .mark && self.text == text }
}
