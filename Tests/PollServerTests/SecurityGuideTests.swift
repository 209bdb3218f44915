import FoundationEssentials
import Rex
import RexClient
import RexProtocol
import RexServer
import Testing

@testable import PollServer

/// Who may vote, as the program of a poll might look it up.
private actor Register {
    func mayVote(_ user: String?) -> Bool { user == "ann" }
}

/// The code of docs/security.md, as it is shown there, in a server with the poll.
@Suite(.timeLimit(.minutes(2))) struct SecurityGuideTests {
    @Test func theProgramDecidesWhoMayVote() async throws {
        var configuration = Server.Configuration()
        // The test's own threads are busy with others, too.
        configuration.limits.handshakeMilliseconds = 60_000
        let server = Server(configuration)
        try await useTokens(on: server)
        let register = Register()
        let poll = try await server.host(
            "poll", PollReducer(), initialState: Poll(),
            authorize: { action, client in
                guard case .vote = action else { return true }
                return await register.mayVote(client.user)
            })
        // The program itself is not asked about.
        try await poll.dispatch(.open(question: "Tea?", options: ["tea", "none"], seconds: 600))

        let url = try RexURL("tcp://\(try await server.listen(on: "127.0.0.1:0"))")
        #expect(try await code(of: "vote", "tea", by: "ann", at: url) == nil)
        #expect(try await code(of: "vote", "tea", by: "bob", at: url) == .forbidden)
        // It is not asked about other actions: this one the reducer refuses.
        let reminder: JSONValue = ["afterSeconds": 0]
        #expect(try await code(of: "remindMe", reminder, by: "bob", at: url) == .rejected)
        // And the program is not asked about what no client may send.
        let another: JSONValue = ["question": "Tea?", "options": [], "seconds": 1]
        #expect(try await code(of: "open", another, by: "ann", at: url) == .forbidden)
        #expect(try await code(of: "vote", "tea", by: "eve", at: url) == .unauthorized)
        await server.stop()
    }

    private func useTokens(on server: Server) async throws {
        let path = FileManager.default.temporaryDirectory.path + "/rex-tokens-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(Self.tokens.utf8).write(to: URL(filePath: path))
        let file = try Data(contentsOf: URL(filePath: path))
        await server.useTokens(try TokenFile(parsing: Array(file)))
    }

    /// The tokens are `ann-example-token` and `bob-example-token`.
    private static let tokens = """
        {
          "roles": {"voter": {"stores": {"poll": {"dispatch": ["*"]}}}},
          "users": [
            {"name": "ann", "role": "voter",
             "sha256": "62d45eda9727f29e57ade1f54990d64cd82b8d880a07fb7d45ac7528ac03a60d"},
            {"name": "bob", "role": "voter",
             "sha256": "60615d34bea5234cc4783eb73a437cc6c6bb846e244cc28a4495f9139706641f"}
          ]
        }
        """

    /// What an action of a user is refused with; nil where it is not.
    private func code(
        of type: String, _ payload: JSONValue, by user: String, at url: RexURL
    ) async throws -> ErrorCode? {
        let client = try await RexConnection.open(url, timeout: .seconds(60))
        var hello = ClientFrame.Hello()
        hello.token = "\(user)-example-token"
        let action = RawJSON(["type": .string(type), "payload": payload])
        do {
            _ = try await client.request(.hello(hello))
            _ = try await client.request(.dispatch(.init(action: .raw(action))))
        } catch ConnectionError.refused(let error) {
            await client.close()
            return error.code
        }
        await client.close()
        return nil
    }
}
