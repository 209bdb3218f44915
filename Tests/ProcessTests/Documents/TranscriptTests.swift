import Foundation
import RexClient
import RexProtocol
import RexTesting
import Testing

/// What protocol.md shows is what the server does, byte for byte where bytes are shown.
@Suite(.serialized, .ownThreads) struct TranscriptTests {
    static let examples = ["protocol.md", "README.md", "docs/transcripts.md"].flatMap {
        Example.all(in: $0)
    }

    @Test(arguments: examples)
    func anExampleHolds(_ example: Example) async throws {
        let scratch = try Scratch()
        let server =
            example.needsTokens
            ? try Self.server(tokens: scratch) : try Self.server(limits: example.limits)
        let held = try await Self.player(server).play(example.transcript)
        #expect(held > 0, "an example expects something")
    }

    /// Over a WebSocket the frames are the same; bytes and half-closed connections are of lines
    /// alone.
    @Test(arguments: examples.filter { $0.isOfFramesAlone })
    func anExampleHoldsOverAWebSocket(_ example: Example) async throws {
        let server = try Self.server(limits: example.limits)
        let url = try RexURL("ws://\(server.address)")
        let player = TranscriptPlayer(url: url, timeout: ChildProcess.patience)
        let held = try await player.play(example.transcript)
        #expect(held > 0)
    }

    @Test func anExampleThatDoesNotHoldIsFound() async throws {
        let server = try Self.server()
        let wrong = try Transcript(
            parsing: "> {\"op\":\"ping\",\"id\":1}\n< {\"op\":\"pong\",\"id\":2}", file: "wrong")
        await #expect(throws: TranscriptFailure.self) {
            try await Self.player(server).play(wrong)
        }
    }

    @Test func everyOpIsShown() throws {
        let sent = Set(Self.sentFrames.compactMap { $0["op"]?.string })
        #expect(Set(ClientFrame.ops).subtracting(sent).sorted() == [])
    }

    /// But those that this version never answers with.
    @Test func everyErrorIsShown() {
        let reserved: Set<ErrorCode> = [
            .tooSlow, .shuttingDown, .internal,
        ]
        let shown = Set(Self.expectedFrames.compactMap { ErrorCode(in: $0, of: "error") })
        #expect(Set(ErrorCode.allCases).subtracting(shown) == reserved)
    }

    private static func player(_ server: ServerProcess) throws -> TranscriptPlayer {
        TranscriptPlayer(url: try RexURL(server.address), timeout: ChildProcess.patience)
    }

    private static func server(tokens scratch: Scratch) throws -> ServerProcess {
        let file = try scratch.write(try Document.tokenFile, to: "tokens.json")
        return try ServerProcess(
            program: Programs.server, options: ["--memory", "--token-file", file])
    }

    private static func server(limits: [String: Int] = [:]) throws -> ServerProcess {
        let program = ServerProcess.builtPrograms + "/rex-server"
        guard !limits.isEmpty else { return try ServerProcess(program: program) }
        let file = FileManager.default.temporaryDirectory.appending(
            path: "rex-limits-\(UUID().uuidString).json")
        try JSONEncoder().encode(["limits": limits]).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try ServerProcess(program: program, options: ["--memory", "--config", file.path])
    }

    /// What the examples send, where it is a frame.
    private static var sentFrames: [JSONValue] {
        examples.flatMap(\.transcript.steps).compactMap { step in
            if case .send(let line) = step.action { return try? RawJSON(parsing: line).value }
            return nil
        }
    }

    private static var expectedFrames: [JSONValue] {
        examples.flatMap(\.transcript.steps).compactMap { step in
            switch step.action {
            case .expect(let frame), .expectSomewhere(let frame): frame.pattern
            default: nil
            }
        }
    }
}

extension ErrorCode {
    /// The code of a frame with this op.
    fileprivate init?(in frame: JSONValue, of op: String) {
        guard frame["op"]?.string == op, let code = frame["code"]?.string else { return nil }
        self.init(rawValue: code)
    }
}
