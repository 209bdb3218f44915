/// What a client meets on the wire stands in protocol.md: every error code, every reason to hang
/// up, every limit. Looks for the types and for the contract by name, so it begins to bite when
/// they are there.
enum ContractRule {
    static let contract = "protocol.md"
    private static let codes: Set = ["ErrorCode", "CloseReason"]

    static func findings(in tree: Tree) -> [Finding] {
        guard let contract = tree.file(contract) else { return [] }
        let names = tree.swift.filter { !$0.isTest }.flatMap(Self.names)
        let listed = Set(contract.text.split { !($0.isLetter || $0.isNumber || $0 == "_") })
        return names.compactMap { name in
            if name.spellings.contains(where: { listed.contains(Substring($0)) }) { return nil }
            let spelling = name.spellings[0]
            return name.file.finding(name.line, "\(self.contract) does not list \(spelling)")
        }
    }

    struct Name {
        var file: SourceFile
        var line: Int
        /// As it may stand in the contract; the likeliest first.
        var spellings: [String]
    }

    static func names(in file: SourceFile) -> [Name] {
        file.tokens.indices.dropLast().flatMap { index -> [Name] in
            let keyword = file.tokens[index]
            let type = file.tokens[index + 1]
            guard ["enum", "struct"].contains(keyword.text), keyword.kind == .word,
                codes.contains(type.text) || type.text == "Limits",
                let open = file.tokens[index...].firstIndex(where: { $0.isMark("{") }),
                let close = FunctionBody.closingBrace(of: open, in: file.tokens)
            else { return [] }
            let members = topLevel(file.tokens[(open + 1)..<close])
            guard type.text == "Limits" else { return wire(members, in: file) }
            return limits(members, named: wireNames(file.tokens[open..<close]), in: file)
        }
    }

    /// The names that a table gives to properties: `("key_ttl_ms", \.keyMilliseconds)`.
    private static func wireNames(_ tokens: ArraySlice<Token>) -> [String: String] {
        var names: [String: String] = [:]
        for index in tokens.indices.dropLast(4) where tokens[index].kind == .string {
            let path = tokens[(index + 1)..<(index + 5)].map(\.text)
            if path[0] == ",", path[1] == "\\", path[2] == "." {
                names[path[3]] = tokens[index].text
            }
        }
        return names
    }

    /// The tokens that stand in no inner braces or parentheses.
    private static func topLevel(_ tokens: ArraySlice<Token>) -> [Token] {
        var depth = 0
        return tokens.filter { token in
            let opens = ["{", "("].contains { token.isMark($0) }
            let closes = ["}", ")"].contains { token.isMark($0) }
            depth += opens ? 1 : closes ? -1 : 0
            // The opening mark stays, so that a property shows whether it is computed, and the
            // string in it, so that `Self("name")` shows its value.
            return depth == 0 || (opens && depth == 1) || (token.kind == .string && depth == 1)
        }
    }

    /// Cases with the value they have on the wire, and static constants made of one string.
    private static func wire(_ tokens: [Token], in file: SourceFile) -> [Name] {
        var names: [Name] = []
        var index = 0
        while index < tokens.count {
            if tokens[index].isWord("case") {
                repeat {
                    index += 1
                    guard index < tokens.count else { break }
                    let name = tokens[index]
                    let value = value(after: index, in: tokens)
                    names.append(
                        Name(
                            file: file, line: name.line,
                            spellings: value.map { [$0.text] } ?? spellings(of: name.text)))
                    while index < tokens.count, tokens[index].line == name.line,
                        !tokens[index].isMark(",")
                    { index += 1 }
                } while index < tokens.count && tokens[index].isMark(",")
                continue
            }
            if tokens[index].isWord("static"), index + 2 < tokens.count,
                tokens[index + 1].isWord("let"),
                let value = tokens[(index + 2)...].prefix(6).first(where: { $0.kind == .string })
            {
                names.append(Name(file: file, line: value.line, spellings: [value.text]))
            }
            index += 1
        }
        return names
    }

    /// What stands behind `=` of the case at `index`.
    private static func value(after index: Int, in tokens: [Token]) -> Token? {
        guard index + 2 < tokens.count, tokens[index + 1].isMark("=") else { return nil }
        return tokens[index + 2]
    }

    /// The stored properties. A `Duration` goes over the wire in milliseconds.
    private static func limits(
        _ tokens: [Token], named wireNames: [String: String], in file: SourceFile
    ) -> [Name] {
        tokens.indices.dropLast().compactMap { index in
            guard tokens[index].isWord("var") || tokens[index].isWord("let") else { return nil }
            if index > 0, tokens[index - 1].isWord("static") { return nil }
            let name = tokens[index + 1]
            let sameLine = tokens[(index + 2)...].prefix { $0.line == name.line }
            let computed =
                sameLine.last?.isMark("{") == true && !sameLine.contains { $0.isMark("=") }
            guard !computed else { return nil }
            let known = wireNames[name.text].map { [$0] }
            return Name(
                file: file, line: name.line, spellings: known ?? spellings(of: name.text))
        }
    }

    /// `keyTTL`: `key_ttl`, `key_ttl_ms`, and without the `Limit` of a bound.
    private static func spellings(of name: String) -> [String] {
        let snake = snakeCase(name.filter { $0 != "`" })
        let short = snake.hasSuffix("_limit") ? String(snake.dropLast(6)) : snake
        return [snake, snake + "_ms", short, short + "_ms"]
    }

    /// `badJSONText` becomes `bad_json_text`.
    static func snakeCase(_ name: String) -> String {
        let letters = Array(name)
        var result = ""
        for (index, letter) in letters.enumerated() {
            let lowerBefore = index > 0 && !letters[index - 1].isUppercase
            let lowerAfter = index + 1 < letters.count && letters[index + 1].isLowercase
            if letter.isUppercase, index > 0, lowerBefore || lowerAfter { result += "_" }
            result += letter.lowercased()
        }
        return result
    }
}
