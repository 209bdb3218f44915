/// Type names that say nothing.
enum NameRule {
    private static let endings = [
        "Manager", "Helper", "Helpers", "Util", "Utils", "Handler", "Impl", "Data", "Info",
    ]
    private static let keywords: Set = [
        "class", "struct", "enum", "protocol", "actor", "typealias",
    ]

    static func findings(in file: SourceFile) -> [Finding] {
        zip(file.tokens, file.tokens.dropFirst()).compactMap { keyword, name in
            guard keyword.kind == .word, keywords.contains(keyword.text), name.kind == .word,
                let ending = endings.first(where: name.text.hasSuffix)
            else { return nil }
            return file.finding(name.line, "\(name.text): a type is no \(ending)")
        }
    }
}
