/// A file of the repository as text, and for Swift as tokens.
struct SourceFile {
    /// From the root of the repository, with `/`: `Sources/Rex/Store/Store.swift`.
    let path: String
    let text: String
    let lines: [Substring]
    /// Empty for what is not Swift.
    let tokens: [Token]

    init(path: String, text: String) {
        self.path = path
        self.text = text
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        tokens = path.hasSuffix(".swift") ? Lexer.tokens(of: text) : []
    }

    var name: Substring { path.split(separator: "/").last ?? "" }
    var folders: [Substring] { path.split(separator: "/").dropLast() }
    var isSwift: Bool { path.hasSuffix(".swift") }
    var isTest: Bool { folders.first == "Tests" }
    /// The folder that is a target: `Sources/Rex`, `Examples`.
    var target: String {
        // Programs among the examples are targets of their own.
        for program in ["Examples/Embedding", "Examples/Poll", "Examples/Program"]
        where path.hasPrefix(program + "/") { return program }
        let depth = ["Sources", "Tests"].contains(folders.first) ? 2 : 1
        return folders.prefix(depth).joined(separator: "/")
    }

    /// Whether this file belongs to a program, which may print: arguments and wiring, measuring.
    var isProgram: Bool {
        [
            "Sources/rex-server", "Sources/rex-client", "Examples/Embedding", "Examples/Poll",
            "Examples/Program", "Benchmarks", "Fuzz",
        ].contains(target)
    }

    func finding(_ line: Int, _ rule: String) -> Finding {
        Finding(path: path, line: line, rule: rule)
    }
}

/// What a rule has against a line.
struct Finding: Hashable, CustomStringConvertible {
    var path: String
    var line: Int
    var rule: String

    var description: String { "\(path):\(line): \(rule)" }
}
