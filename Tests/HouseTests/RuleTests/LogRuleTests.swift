import Testing

@Suite struct LogRuleTests {
    private func findings(_ source: String, _ table: String) -> [String] {
        let files = [
            Snippet("Sources/RexServer/A.swift", source).file,
            SourceFile(path: "docs/operations.md", text: table),
        ]
        return LogRule.findings(in: Tree(files: files)).map { "\($0.path):\($0.line)" }
    }

    private let source = """
        log.event(.info, "one", ["a": "b"])
        server.note(
            .error, "two", about: "", [:])
        log.event(storm.level, storm.name, storm.members)
        """

    @Test func eventsAndRowsAreTheSame() {
        let table = "| event | level | x | y |\n|---|---|---|---|\n| `one` | info | | a |\n"
        #expect(findings(source, table + "| `two` | error | `m` | b |") == [])
        #expect(findings(source, table) == ["Sources/RexServer/A.swift:2"])
        #expect(
            findings(source, table + "| `two` | info | | |") == [
                "Sources/RexServer/A.swift:2", "docs/operations.md:4",
            ])
        #expect(
            findings(source, table + "| `two` | error | | |\n| `three` | info | | |") == [
                "docs/operations.md:5"
            ])
    }
}
