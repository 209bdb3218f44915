import Foundation
import RexTesting
import Testing

/// The pages and rex.js in a real browser, as people meet them: the scenarios of `Tests/Browser`,
/// which play on the built server. What a window complains of on its console is a failure. Their
/// screenshots land in `.build/screenshots`.
@Suite(.serialized, .ownThreads) struct BrowserTests {
    private static let tools = Document.root.path + "/.tools/python"
    private static let node = tools + "/playwright/driver/node"
    private static let hasPlaywright =
        FileManager.default.isExecutableFile(atPath: node)
        && FileManager.default.fileExists(atPath: tools + "/axe_playwright_python")
    private static let hasChromium =
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/chromium")
        }

    /// Each file of scenarios, and how many it has at least.
    @Test(
        .enabled(
            if: hasPlaywright, "playwright is not here: scripts/bootstrap --tests installs it"),
        .enabled(if: hasChromium, "chromium is not here: scripts/bootstrap --tests installs it"),
        arguments: [
            ("chat", 18), ("inspector", 14), ("module", 7), ("looks", 10), ("token", 2),
        ])
    func theScenariosPlay(file: String, atLeast count: Int) throws {
        let ended = try Programs.run(
            [
                "python3", "-B", Document.root.path + "/Tests/Browser/play.py", Programs.server,
                file,
            ],
            within: .seconds(240))
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        let fine = ended.lines.count { $0.hasPrefix("ok ") }
        #expect(fine >= count, "\(ended.output)")
    }

    /// rex.js against a server in memory and a clock that the tests move, by the Node.js that comes
    /// with playwright.
    @Test(
        .enabled(
            if: hasPlaywright, "playwright is not here: scripts/bootstrap --tests installs it"))
    func theModuleKeepsItsPromises() throws {
        let ended = try Programs.run(
            [
                Self.node, "--test", "--test-reporter=tap",
                Document.root.path + "/Tests/Browser/rex.test.mjs",
            ],
            within: .seconds(120))
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        let passed = ended.lines.last { $0.hasPrefix("# pass ") }?.dropFirst(7)
        #expect((passed.flatMap { Int($0) } ?? 0) >= 30, "\(ended.output)")
    }
}
