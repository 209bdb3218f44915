import Rex
import RexClient
import RexProtocol
import RexTesting
import Testing

@testable import RexServer

private struct Board: Statable, Codable {
    var notes: [String] = []
}

private enum BoardAction: WireAction {
    case pin(String)
    static let clientTypes = ["pin"]
}

private struct BoardReducer: Reducer {
    func reduce(state: inout Board, action: BoardAction) -> [Effect<BoardAction>] {
        if case .pin(let text) = action { state.notes.append(text) }
        return []
    }
}

/// Answers a question when the test says so: `wait-…` stays open until then, `no-…` is refused.
private actor Desk {
    private var open: [String: CheckedContinuation<Bool, Never>] = [:]
    private var watchers: [(String, CheckedContinuation<Void, Never>)] = []
    private(set) var asked: [String] = []
    private(set) var cancelled: [String] = []

    func mayPin(_ text: String) async -> Bool {
        asked.append(text)
        guard text.hasPrefix("wait-") else { return !text.hasPrefix("no-") }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                open[text] = continuation
                for (name, watcher) in watchers where name == text { watcher.resume() }
                watchers.removeAll { $0.0 == text }
            }
        } onCancel: {
            Task { await self.giveUp(text) }
        }
    }

    private func giveUp(_ text: String) {
        guard let continuation = open.removeValue(forKey: text) else { return }
        cancelled.append(text)
        continuation.resume(returning: true)
    }

    func untilAsked(_ text: String) async {
        if open[text] != nil { return }
        await withCheckedContinuation { watchers.append((text, $0)) }
    }

    func answer(_ text: String, _ isAllowed: Bool) {
        open.removeValue(forKey: text)?.resume(returning: isAllowed)
    }
}

/// The program's own say in what clients do.
@Suite(.timeLimit(.minutes(2))) struct AuthorizeTests {
    private let desk = Desk()
    /// The program's answers come from the threads that all tests share.
    private let patience = Duration.seconds(60)

    /// - Parameter wait: how long the server waits for the program, in milliseconds.
    private func start(
        wait: Int = 60_000, dispatchesPerSecond: Int = 0
    ) async throws -> (Server, RexURL) {
        var configuration = Server.Configuration()
        configuration.limits.dispatchesPerSecond = dispatchesPerSecond
        configuration.limits.authorizeMilliseconds = wait
        let server = Server(configuration)
        let desk = desk
        try await server.host(
            "board", BoardReducer(), initialState: Board(),
            authorize: { action, _ in
                guard case .pin(let text) = action else { return false }
                return await desk.mayPin(text)
            })
        let endpoint = try await server.listen(on: "127.0.0.1:0")
        return (server, try RexURL("tcp://\(endpoint)"))
    }

    private func pin(
        _ text: String, key: String? = nil, dryRun: Bool = false
    ) -> ClientFrame {
        let action = RawJSON(["type": "pin", "payload": .string(text)])
        var frame = ClientFrame.Dispatch(store: "board", action: .raw(action))
        frame.key = key
        frame.dryRun = dryRun
        return .dispatch(frame)
    }

    private func code(
        _ body: () async throws -> ServerFrame
    ) async -> ErrorCode? {
        do {
            _ = try await body()
            return nil
        } catch ConnectionError.refused(let error) {
            return error.code
        } catch {
            return .internal
        }
    }

    private func state(_ client: RexConnection) async throws -> ServerFrame.State {
        let frame = try await client.request(.get(.init(store: "board")))
        guard case .state(let state) = frame else { throw OtherFrame() }
        return state
    }

    private struct OtherFrame: Error {}

    @Test func whatTheProgramRefusesIsForbidden() async throws {
        let (server, url) = try await start()
        let client = try await RexConnection.open(url, timeout: patience)
        #expect(await code { try await client.request(pin("a")) } == nil)
        #expect(await code { try await client.request(pin("no-b")) } == .forbidden)
        #expect(await code { try await client.request(pin("no-c", dryRun: true)) } == .forbidden)
        // What does not decode is not asked about.
        let bad = RawJSON(["type": "pin", "payload": 1])
        #expect(
            await code {
                try await client.request(.dispatch(.init(store: "board", action: .raw(bad))))
            } == .badAction)
        let state = try await state(client)
        #expect(state.state.value == ["notes": ["a"]])
        #expect(await desk.asked == ["a", "no-b", "no-c"])
        await client.close()
        await server.stop()
    }

    @Test func onlyTheClientThatAsksWaitsAndInItsOrder() async throws {
        let (server, url) = try await start()
        let slow = try await RexConnection.open(url, timeout: patience)
        let other = try await RexConnection.open(url, timeout: patience)
        let first = try await slow.post(pin("wait-1"))
        let second = try await slow.post(pin("2"))
        let third = try await slow.post(.get(.init(store: "board")))
        await desk.untilAsked("wait-1")
        // Everybody else goes on meanwhile.
        _ = try await other.request(pin("other"))
        #expect(await desk.asked == ["wait-1", "other"])
        await desk.answer("wait-1", true)
        guard case .ack(let one) = try await first.frame(),
            case .ack(let two) = try await second.frame(),
            case .state(let state) = try await third.frame()
        else {
            Issue.record("other answers than asked for")
            return
        }
        #expect(one.rev == 2 && two.rev == 3)
        #expect(state.state.value == ["notes": ["other", "wait-1", "2"]])
        #expect(await desk.asked == ["wait-1", "other", "2"])
        await slow.close()
        await other.close()
        await server.stop()
    }

    /// It is served twice, and is one.
    @Test func anActionThatWaitedCountsOnce() async throws {
        let (server, url) = try await start(dispatchesPerSecond: 2)
        let client = try await RexConnection.open(url, timeout: patience)
        let first = try await client.post(pin("1"))
        let second = try await client.post(pin("2"))
        guard case .ack(let one) = try await first.frame(),
            case .ack(let two) = try await second.frame()
        else {
            Issue.record("other answers than asked for")
            return
        }
        #expect(one.rev == 1 && two.rev == 2)
        #expect(await desk.asked == ["1", "2"])
        await client.close()
        await server.stop()
    }

    @Test func anAnswerThatDoesNotComeIsNotWaitedFor() async throws {
        let (server, url) = try await start(wait: 50)
        let client = try await RexConnection.open(url, timeout: patience)
        #expect(await code { try await client.request(pin("wait-x")) } == .overloaded)
        // It is told to give up, and its late yes is no yes.
        while await desk.cancelled.isEmpty { await Task.yield() }
        let state = try await state(client)
        #expect(state.state.value == ["notes": []] && state.rev == 0)
        await client.close()
        await server.stop()
    }

    /// Who sends an action and goes has sent it, as without a hook.
    @Test func anActionWhoseSenderHasGoneIsDoneAllTheSame() async throws {
        let (server, url) = try await start()
        let client = try await RexConnection.open(url, timeout: patience)
        let reply = try await client.post(pin("wait-gone"))
        await desk.untilAsked("wait-gone")
        await client.close()
        await #expect(throws: ConnectionError.self) { try await reply.frame() }
        let other = try await RexConnection.open(url, timeout: patience)
        let watch = try await other.subscribe(.init(store: "board"))
        await desk.answer("wait-gone", true)
        for try await change in watch.changes {
            guard case .patch(let patch) = change else { continue }
            #expect(patch.rev == 1)
            break
        }
        await other.close()
        await server.stop()
    }

    @Test func aShutdownWaitsForTheAnswer() async throws {
        let (server, url) = try await start()
        let client = try await RexConnection.open(url, timeout: patience)
        let reply = try await client.post(pin("wait-end"))
        await desk.untilAsked("wait-end")
        async let stopped: Void = server.stop()
        await desk.answer("wait-end", true)
        guard case .ack(let ack) = try await reply.frame() else {
            Issue.record("another answer than asked for")
            return
        }
        #expect(ack.rev == 1)
        await stopped
    }

    /// A copy is asked about as what it is a copy of.
    @Test func aForkIsUnderTheSameHook() async throws {
        let (server, url) = try await start()
        let client = try await RexConnection.open(url, timeout: patience)
        _ = try await client.request(.fork(.init(store: "board", as: "copy")))
        let action = RawJSON(["type": "pin", "payload": "no-x"])
        #expect(
            await code {
                try await client.request(.dispatch(.init(store: "copy", action: .raw(action))))
            } == .forbidden)
        await client.close()
        await server.stop()
    }
}
