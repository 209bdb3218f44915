import Testing

/// The repository keeps the rules that a reader relies on. Each rule is tested in its own suite
/// against what it must find and what it must let pass; here it meets the tree.
@Suite struct HouseTests {
    let tree: Tree

    init() throws { tree = try Tree.repository.get() }

    @Test func theTreeIsRead() throws {
        let manifest = try #require(tree.file("Package.swift"))
        #expect(manifest.tokens.contains { $0.isWord("testTarget") })
        let targets = Set(tree.swift.map(\.target))
        for target in ["Sources/Rex", "Sources/Loop", "Sources/rex-server", "Tests/HouseTests"] {
            #expect(targets.contains(target))
        }
        #expect(!tree.files.contains { $0.path.contains(".build/") })
    }

    @Test func importsFollowTheHouse() {
        expectNone(
            tree.swift.flatMap(ImportRule.findings(in:)) + ImportRule.findings(in: tree.swift))
        expectNone(tree.swift.flatMap(ManifestRule.findings))
    }

    @Test func filesFunctionsAndLinesAreShort() {
        expectNone(tree.files.flatMap(SizeRule.findings))
    }

    @Test func namesSaySomething() { expectNone(tree.swift.flatMap(NameRule.findings)) }

    @Test func nothingIsUnchecked() { expectNone(tree.swift.flatMap(SafetyRule.findings)) }

    @Test func noMachineIsNamed() { expectNone(tree.files.flatMap(WordRule.findings)) }

    @Test func publicSymbolsAreDocumented() {
        expectNone(tree.swift.flatMap(DocumentationRule.findings))
    }

    @Test func theContractListsWhatClientsMeet() {
        expectNone(ContractRule.findings(in: tree))
    }

    @Test func eventsOfTheLogAreDocumented() {
        expectNone(LogRule.findings(in: tree))
    }

    @Test func documentsLinkToTestsThatAreThere() {
        expectNone(TestLinkRule.findings(in: tree))
    }

    private func expectNone(
        _ findings: [Finding], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard !findings.isEmpty else { return }
        let list = findings.map(\.description).joined(separator: "\n")
        Issue.record(
            "\(findings.count) against the house:\n\(list)", sourceLocation: sourceLocation)
    }
}
