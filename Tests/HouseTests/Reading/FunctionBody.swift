/// A function, initialiser, subscript or computed property, from its keyword to its last brace.
struct FunctionBody: Equatable {
    var name: String
    var firstLine: Int
    var lastLine: Int

    var lineCount: Int { lastLine - firstLine + 1 }

    static func all(in tokens: [Token]) -> [FunctionBody] {
        tokens.indices.compactMap { index in
            let keyword = tokens[index]
            guard keyword.kind == .word, keywords.contains(keyword.text),
                index == 0 || !tokens[index - 1].isMark("."),
                let open = openingBrace(after: index, in: tokens),
                let close = closingBrace(of: open, in: tokens)
            else { return nil }
            let named = ["func", "var"].contains(keyword.text)
            return FunctionBody(
                name: named ? tokens[index + 1].text : keyword.text,
                firstLine: keyword.line, lastLine: tokens[close].line)
        }
    }

    private static let keywords: Set = ["func", "init", "deinit", "subscript", "var"]

    /// Words that, first on a line, begin another declaration: what stood before had no body.
    private static let beginnings: Set = [
        "func", "init", "deinit", "subscript", "var", "let", "case", "static", "class", "struct",
        "enum", "actor", "protocol", "extension", "typealias", "associatedtype", "import", "public",
        "package", "internal", "fileprivate", "private", "open", "mutating", "nonmutating",
        "nonisolated", "override", "final", "consuming", "borrowing", "indirect", "convenience",
        "required", "lazy", "weak", "unowned", "return", "if", "guard", "for", "while", "switch",
    ]

    private static func openingBrace(after keyword: Int, in tokens: [Token]) -> Int? {
        let property = tokens[keyword].isWord("var")
        var depth = 0
        for index in tokens.indices[(keyword + 1)...] {
            let token = tokens[index]
            let newLine = token.line > tokens[index - 1].line
            if token.kind == .mark {
                switch token.text {
                case "(", "[": depth += 1
                case ")", "]": depth -= 1
                case "{" where depth == 0: return index
                case "}" where depth == 0: return nil
                // What follows is a value; a closure there is no body of the property.
                case "=" where depth == 0 && property: return nil
                case "@" where depth == 0 && newLine, "#" where depth == 0 && newLine: return nil
                default: break
                }
            } else if depth == 0, newLine, beginnings.contains(token.text) || property {
                return nil
            }
            if depth < 0 { return nil }
        }
        return nil
    }

    static func closingBrace(of open: Int, in tokens: [Token]) -> Int? {
        var depth = 0
        for index in tokens.indices[open...] {
            if tokens[index].isMark("{") { depth += 1 }
            if tokens[index].isMark("}") { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }
}
