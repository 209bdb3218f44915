import Testing

/// Source that a rule is tried on, as if it stood at a path.
struct Snippet: CustomTestStringConvertible {
    var path: String
    var text: String

    init(_ path: String, _ text: String) {
        self.path = path
        self.text = text
    }

    var file: SourceFile { SourceFile(path: path, text: text) }
    var testDescription: String { "\(path): \(text.prefix(60))" }
}
