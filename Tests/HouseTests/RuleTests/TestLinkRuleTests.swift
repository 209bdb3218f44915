import Testing

/// Links from documents to tests.
@Suite struct TestLinkRuleTests {
    private let test = Snippet(
        "Tests/ATests/B/CTests.swift",
        "@Test func `a tick, late`() {}\n@Test func early() {}\nlet other = 1"
    ).file

    private func findings(_ text: String) -> [Int] {
        let document = Snippet("docs/a.md", text).file
        return TestLinkRule.findings(in: Tree(files: [document, test])).map(\.line)
    }

    @Test(arguments: [
        "a\n[late](../Tests/ATests/B/CTests.swift)", "\n[other](../Tests/ATests/B/CTests.swift)",
        "\n[early](../Tests/ATests/CTests.swift)",
        "[early](../Tests/ATests/B/CTests.swift)\nx [tick](../Tests/ATests/B/CTests.swift)",
        "| a | test |\n| x | [early](../README.md) |", "| test |\n|---|\n\n| test |\n| none |",
    ])
    func brokenLinksAndUntestedRowsAreFound(_ text: String) {
        let lines = findings(text)
        #expect(lines.count == 1)
        #expect(lines[0] >= 2)
    }

    @Test(arguments: [
        "[a tick, late](../Tests/ATests/B/CTests.swift), [early](../Tests/ATests/B/CTests.swift)",
        "| a | test |\n|---|:--|\n| x | [early](../Tests/ATests/B/CTests.swift) |",
        "| a | b |\n| x | none |", "[early](../Sources/A.swift)", "a [test](b) c",
    ])
    func othersPass(_ text: String) {
        #expect(findings(text) == [])
    }
}
