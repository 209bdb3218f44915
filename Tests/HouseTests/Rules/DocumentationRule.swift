/// Every public declaration says in `///` what it guarantees.
enum DocumentationRule {
    /// Words that stand between `public` and the keyword of the declaration.
    private static let modifiers: Set = [
        "static", "class", "final", "mutating", "nonmutating", "convenience", "required", "lazy",
        "weak", "unowned", "indirect", "nonisolated", "consuming", "borrowing", "dynamic", "prefix",
        "postfix", "infix", "distributed", "isolated", "private", "fileprivate", "internal",
        "package", "override", "optional", "sending", "set", "unsafe", "get",
    ]
    private static let keywords: Set = [
        "func", "var", "let", "init", "subscript", "class", "struct", "enum", "actor", "protocol",
        "typealias", "associatedtype", "operator", "precedencegroup", "macro", "case",
    ]
    /// Requirements of the standard library, documented there: a witness has nothing to add.
    private static let witnesses: Set = [
        "func =", "func <", "func hash", "func encode", "init from", "var description",
        "let description", "var debugDescription", "var rawValue", "let rawValue", "init rawValue",
        "init stringLiteral", "init integerLiteral", "init arrayLiteral", "init dictionaryLiteral",
        "typealias Element", "typealias Index", "typealias Failure", "typealias AsyncIterator",
        "typealias Iterator", "func next", "func makeIterator", "func makeAsyncIterator",
        "var startIndex", "var endIndex", "func index", "func enqueue",
        "func asUnownedSerialExecutor",
        "func isIsolatingCurrentContext", "func advanced", "func duration", "var minimumResolution",
    ]

    static func findings(in file: SourceFile) -> [Finding] {
        guard ["Sources", "Examples"].contains(file.folders.first) else { return [] }
        return file.tokens.indices.compactMap { index in
            guard let name = undocumentable(at: index, in: file.tokens) else { return nil }
            let line = file.tokens[index].line
            return isDocumented(line, in: file) ? nil : file.finding(line, "\(name) has no ///")
        }
    }

    /// The public declaration that begins here and needs words: keyword and name.
    private static func undocumentable(at index: Int, in tokens: [Token]) -> String? {
        guard tokens[index].isWord("public") || tokens[index].isWord("open") else { return nil }
        if index > 0, tokens[index - 1].isMark(".") { return nil }
        var rest = tokens[(index + 1)...]
        var modified: Set<String> = []
        while let token = rest.first {
            let next = rest.dropFirst().first
            // `class` before another keyword is a modifier.
            let keyword =
                keywords.contains(token.text)
                && !(token.text == "class" && keywords.contains(next?.text ?? ""))
            if keyword { break }
            guard modifiers.contains(token.text) || token.isMark("(") || token.isMark(")")
            else { return nil }
            modified.insert(token.text)
            rest = rest.dropFirst()
        }
        guard let keyword = rest.first, !modified.contains("override") else { return nil }
        // An initialiser goes by its first label: `init?(from:` has it at the third place.
        let name = rest.dropFirst().prefix { !$0.isMark(")") }.prefix(3)
            .first { $0.kind == .word || $0.isMark("=") || $0.isMark("<") }
        let declaration = "\(keyword.text) \(name?.text ?? "")"
        // What begins with an underscore is public for the compiler alone.
        if witnesses.contains(declaration) || name?.text.first == "_" && name?.text != "_" {
            return nil
        }
        return "public \(declaration)"
    }

    /// Whether the line, or the attributes above it, stand under a `///`.
    private static func isDocumented(_ line: Int, in file: SourceFile) -> Bool {
        for index in stride(from: line - 2, through: 0, by: -1) {
            let text = file.lines[index].drop { $0 == " " || $0 == "\t" }
            if text.hasPrefix("///") || text.hasSuffix("*/") { return true }
            guard text.hasPrefix("@") || text.hasPrefix("//") else { return false }
        }
        return false
    }
}
