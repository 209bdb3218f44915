import Foundation
import RexClient
import RexTesting
import Testing

/// The code of docs/hosting.md is built and run, and shown as it is built.
@Suite(.ownThreads) struct HostingGuideTests {
    private static let guide = "docs/hosting.md"

    @Test func theGuideShowsTheProgramAsItIsBuilt() throws {
        let shown = try Document.blocks(of: "swift", in: Self.guide).map {
            $0.joined(separator: "\n") + "\n"
        }
        let built = try [
            "Examples/Poll/Poll.swift", "Examples/Poll/PollAction.swift",
            "Examples/Poll/PollAction+Reading.swift", "Examples/Poll/PollReducer.swift",
            "Examples/Poll/EverybodyHasVoted.swift",
            "Examples/Poll/PollServer.swift", "Tests/PollServerTests/PollTests.swift",
        ].map(Document.text)
        try #require(shown.count == built.count + 1)
        for (shown, built) in zip(shown.dropFirst(), built) { #expect(shown == built) }
    }

    /// The code of docs/security.md stands in a test, where it is eight columns further in.
    @Test func theCodeOfTheSecurityGuideIsThatOfItsTest() throws {
        let shown = try Document.blocks(of: "swift", in: "docs/security.md")
        let built = try Document.text(of: "Tests/PollServerTests/SecurityGuideTests.swift")
        #expect(shown.count == 2)
        for lines in shown {
            let code = lines.map { String(repeating: " ", count: 8) + $0 + "\n" }.joined()
            #expect(built.contains("\n" + code), "\(code)")
        }
    }

    /// The manifest that the guide shows asks for what this package has.
    @Test func theGuidesManifestNamesProductsThatThereAre() throws {
        let shown = try Document.blocks(of: "swift", in: Self.guide)[0].joined(separator: "\n")
        let own = try Document.text(of: "Package.swift")
        #expect(shown.hasPrefix(own.prefix { $0 != "\n" }))
        let asked = shown.matches(of: /\.product\(name: "(\w+)", package: "rex"\)/).map(\.1)
        #expect(asked == ["Rex", "RexProtocol", "RexServer", "RexClient", "RexTesting"])
        for product in asked { #expect(own.contains(".library(name: \"\(product)\"")) }
    }

    @Test(arguments: Example.all(in: guide))
    func itsConversationHappens(_ example: Example) async throws {
        let server = try ServerProcess([ServerProcess.builtPrograms + "/PollServer", "127.0.0.1:0"])
        let player = TranscriptPlayer(
            url: try RexURL(server.address), timeout: ChildProcess.patience)
        #expect(try await player.play(example.transcript) == 9)
    }
}
