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

    /// Through a pipe, where what a program prints is kept back unless somebody sees to it.
    @Test func theProgramOfTheReadmeServes() async throws {
        let program = try ServerProcess([ServerProcess.builtPrograms + "/embedding-example"])
        let talk = try Transcript(
            parsing: """
                > {"op":"subscribe","path":"/on"}
                < {"op":"subscribed","store":"lamp","rev":0,"state":false}
                > {"type":"flip","id":1}
                < {"op":"patch","rev":1,"patch":[{"op":"replace","path":"","value":true}]}
                < {"op":"ack","id":1,"store":"lamp","rev":1}
                """, file: "lamp")
        #expect(try await TranscriptPlayer(url: RexURL(program.address)).play(talk) == 3)
        #expect(try program.stop() == .exited(0))
    }

    @Test func aProgramThatIsNotReadyIsNoServer() throws {
        let error = try #require(throws: ChildProcess.Failure.self) {
            try ServerProcess(["/bin/echo", "not yet"])
        }
        #expect(error.description.contains("not yet"))
    }
}
