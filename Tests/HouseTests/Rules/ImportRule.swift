/// Who may import whom.
enum ImportRule {
    /// What a target may import beside the standard library. A target that is not here may import
    /// nothing, so a new one is written down here first.
    private static let allowed: [String: Set<String>] = [
        "Sources/Rex": [],
        "Sources/RexProtocol": ["Rex"],
        "Sources/Loop": ["CUV"],
        "Sources/WebSocket": [],
        "Sources/TLS": ["RexLoop"],
        "Sources/RexServer": ["Rex", "RexProtocol", "RexLoop", "RexWebSocket", "RexTLS"],
        "Sources/CommandLine": [],
        "Sources/RexClient": [
            "Rex", "RexProtocol", "RexLoop", "RexWebSocket", "RexTLS", "RexCommandLine",
        ],
        "Sources/RexTesting": ["Rex", "RexProtocol", "RexClient"],
        "Sources/rex-server": [
            "Rex", "RexProtocol", "RexLoop", "RexServer", "RexExamples", "RexCommandLine",
        ],
        "Sources/rex-client": [
            "Rex", "RexProtocol", "RexLoop", "RexClient", "RexCommandLine", "CEdit",
        ],
        "Examples": ["Rex", "RexProtocol"],
        "Examples/Embedding": ["Rex", "RexProtocol", "RexServer"],
        "Examples/Poll": ["Rex", "RexProtocol", "RexServer"],
        "Examples/Program": ["Rex", "RexExamples", "RexLoop", "RexTesting"],
    ]

    private static let everywhere: Set = [
        "Swift", "Synchronization", "Observation", "FoundationEssentials",
    ]
    /// The C library of the system, by its names on other systems too.
    private static let system: Set = ["Glibc", "Musl", "Darwin"]
    /// Each wrapped by one folder of a library that may see sockets and files.
    private static let wrapped: Set = ["COpenSSL", "CSQLite", "CWslay", "CHTTPParser", "CZlib"]
    private static let wrapping: Set = [
        "Sources/RexServer", "Sources/RexClient", "Sources/WebSocket", "Sources/TLS",
    ]
    /// What a test that plays with the real programs knows of them: their command line and bytes.
    private static let inside: Set = ["RexServer", "RexLoop", "RexWebSocket", "RexExamples"]

    static func findings(in file: SourceFile) -> [Finding] {
        // Manifests describe; they build nothing of ours.
        guard file.name != "Package.swift" else { return [] }
        return imports(in: file).compactMap { module, line in
            objection(to: module, in: file).map { file.finding(line, $0) }
        }
    }

    /// Each C library is imported in one folder of a target and nowhere else in it.
    static func findings(in files: [SourceFile]) -> [Finding] {
        var home: [String: (folder: String, file: SourceFile)] = [:]
        var findings: [Finding] = []
        for file in files where wrapping.contains(file.target) {
            for (module, line) in imports(in: file) where wrapped.contains(module) {
                let folder = file.folders.joined(separator: "/")
                let first = home[file.target + module, default: (folder, file)]
                home[file.target + module] = first
                if first.folder != folder {
                    findings.append(
                        file.finding(line, "\(module) already has its folder, \(first.folder)"))
                }
            }
        }
        return findings
    }

    static func imports(in file: SourceFile) -> [(module: String, line: Int)] {
        let kinds: Set = [
            "struct", "class", "enum", "protocol", "func", "var", "let", "typealias", "actor",
        ]
        return file.tokens.indices.compactMap { index in
            guard file.tokens[index].isWord("import") else { return nil }
            let rest = file.tokens[(index + 1)...].prefix(2).filter { $0.kind == .word }
            let name = rest.first.map { kinds.contains($0.text) } == true ? rest.last : rest.first
            return name.map { ($0.text, file.tokens[index].line) }
        }
    }

    private static func objection(to module: String, in file: SourceFile) -> String? {
        if file.isTest {
            if file.target == "Tests/ProcessTests", inside.contains(module) {
                return "a test of the programs imports nothing of the server: \(module)"
            }
            return module == "CUV" ? "only Sources/Loop imports CUV" : nil
        }
        if module == "Foundation" { return "Foundation only in Tests; take FoundationEssentials" }
        if everywhere.contains(module) { return nil }
        if system.contains(module) { return mayCallSystem(file) ? nil : systemText(module) }
        if wrapped.contains(module), wrapping.contains(file.target) { return nil }
        if ["Benchmarks", "Fuzz"].contains(file.target) {
            return module == "CUV" ? "only Sources/Loop imports CUV" : nil
        }
        guard let allowed = allowed[file.target] else {
            return "\(file.target) may import nothing: write down in ImportRule what it may"
        }
        return allowed.contains(module) ? nil : "\(file.target) may not import \(module)"
    }

    private static func mayCallSystem(_ file: SourceFile) -> Bool {
        file.target == "Sources/Loop" || file.folders.contains("Terminal")
            || file.name.hasPrefix("ServerProcess")
            || file.folders.contains("ServerProcess")
            || file.target == "Sources/RexTesting" && file.folders.contains("Failures")
    }

    private static func systemText(_ module: String) -> String {
        "\(module) only in Sources/Loop, folders Terminal and Failures, files ServerProcess*.swift"
    }
}
