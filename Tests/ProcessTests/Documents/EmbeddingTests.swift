import Foundation
import RexClient
import RexTesting
import Testing

/// The Swift program of README.md is a target of its own, and serves.
@Suite(.ownThreads) struct EmbeddingTests {
    @Test func theReadmeShowsTheProgramAsItIsBuilt() throws {
        let shown = try Document.blocks(of: "swift", in: "README.md")
        let built = try Document.text(of: "Examples/Embedding/LampServer.swift")
        try #require(shown.count == 1)
        #expect(shown[0].joined(separator: "\n") + "\n" == built)
    }

    /// On a terminal, where each line that it prints comes at once.
    @Test func theProgramOfTheReadmeServes() async throws {
        let program = try ChildProcess(
            [ServerProcess.builtPrograms + "/embedding-example"], terminal: (80, 24))
        try program.output(until: "ready on ")
        let address = try program.line().trimmingCharacters(in: .whitespacesAndNewlines)
        let talk = try Transcript(
            parsing: """
                > {"op":"subscribe","path":"/on"}
                < {"op":"subscribed","store":"lamp","rev":0,"state":false}
                > {"type":"flip","id":1}
                < {"op":"patch","rev":1,"patch":[{"op":"replace","path":"","value":true}]}
                < {"op":"ack","id":1,"store":"lamp","rev":1}
                """, file: "lamp")
        #expect(try await TranscriptPlayer(url: RexURL(address)).play(talk) == 3)
        program.signal(SIGTERM)
        #expect(try program.wait() == .exited(0))
    }
}
