import Rex
import RexServer

@main struct PollServer {
    static func main() async throws {
        var configuration = Server.Configuration()
        configuration.limits.connections = 500
        configuration.limits.historyCommits = 10_000
        configuration.log.level = .info
        configuration.log.format = .json
        let server = Server(configuration)

        let poll = try await server.host(
            "poll", PollReducer(), initialState: Poll(),
            hooks: [AnyPipelineHook(EverybodyHasVoted())])
        try await poll.dispatch(
            .open(question: "Tea or coffee?", options: ["tea", "coffee"], seconds: 600))
        async let reporting: Void = report(poll, on: server)

        let address = try await server.listen(
            on: CommandLine.arguments.dropFirst().first ?? "127.0.0.1:7390")
        try await server.run(ready: { print("ready on", address) })
        try await reporting
    }

    /// Publishes each result, for those who do not watch the store.
    static func report(_ poll: LocalStore<Poll, PollAction>, on server: Server) async throws {
        var reported = ""
        for await now in poll.states() where !now.state.isOpen && now.state.id != reported {
            reported = now.state.id
            try await server.publish(topic: "results.\(reported)", data: now.state.count)
        }
    }
}
