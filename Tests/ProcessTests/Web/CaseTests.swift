import Foundation
import RexTesting
import Testing

/// The cases of the Autobahn test suite, as kosoku plays them, against the framing that server and
/// client are built on. There is no case that it passes only as NON-STRICT.
@Suite(.serialized, .ownThreads) struct CaseTests {
    private static let folder = Document.root.path
    private static let isInstalled = FileManager.default.fileExists(
        atPath: folder + "/.tools/python/kosoku")
    private static let isLong = Programs.isLong

    /// Frames, pings, reserved bits, opcodes, fragments, UTF-8, the closing handshake.
    @Test(.enabled(if: isInstalled, "kosoku is not here: scripts/bootstrap --tests installs it"))
    func theProtocolIsKept() throws {
        try play("-x", "9.*", "12.*", "13.*", atLeast: 240)
    }

    /// Compression: a message of each content under each offer; all sizes among the long tests.
    @Test(.enabled(if: isInstalled, "kosoku is not here: scripts/bootstrap --tests installs it"))
    func compressedMessagesComeBack() throws {
        if Self.isLong {
            try play("12.*", "13.*", atLeast: 216)
        } else {
            try play(
                "12.1.1", "12.2.1", "12.3.1", "12.4.3", "12.5.1", "13.1.1", "13.2.1", "13.3.1",
                "13.4.1", "13.5.1", "13.6.1", "13.7.1", atLeast: 12)
        }
    }

    /// Megabytes, in one piece and in many.
    @Test(
        .enabled(
            if: isInstalled && isLong, "only among the long tests, where kosoku is installed"))
    func largeMessagesComeBack() throws { try play("9.*", atLeast: 54) }

    private func play(_ words: String..., atLeast count: Int) throws {
        let echo = try ChildProcess([ServerProcess.builtPrograms + "/websocket-echo"])
        let ready = try echo.line(within: .seconds(30))
        let address = try #require(ready.split(separator: " ").last)
        let ended = try Programs.run(
            ["python3", "-B", Self.folder + "/Tests/Echo/cases.py", String(address)] + words,
            within: .seconds(Self.isLong ? 1_800 : 120))
        #expect(ended.code == 0, "\(ended.output)\(ended.errors)")
        let played = ended.lines.last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
        #expect(played >= count, "\(ended.output)")
    }
}
