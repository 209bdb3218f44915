import Rex
import RexProtocol
import Testing

@testable import RexServer

private struct Tally: Statable, Codable {
    var count = 0
    var finished = 0
}

private enum TallyAction: WireAction {
    case add(Int)
    case work
    case wait(Int)
    case finished
    static let clientTypes = ["add"]
    static let ownTypes = ["work", "wait", "finished"]
}

/// Refuses 0; `work` runs until its gate opens, `wait` longer than any test.
private struct TallyReducer: Reducer {
    let gate: AsyncStream<Void>

    func reduce(state: inout Tally, action: TallyAction) throws -> [Effect<TallyAction>] {
        switch action {
        case .add(let number):
            guard number != 0 else { throw Refusal("0 adds nothing") }
            state.count += number
        case .work:
            let gate = gate
            return [
                .run { emitter in
                    for await _ in gate { break }
                    emitter.send(.finished)
                }
            ]
        case .wait(let number):
            return [.delayed(.finished, delay: .seconds(3_600), id: EffectID("wait-\(number)"))]
        case .finished:
            state.finished += 1
        }
        return []
    }
}

extension Server {
    fileprivate func waits(on name: String) -> Int { stores[name]?.waits.count ?? 0 }

    fileprivate nonisolated func untilSomebodyWaits(on name: String) async {
        while await waits(on: name) == 0 { await Task.yield() }
    }
}

@Suite(.timeLimit(.minutes(2))) struct LocalStoreTests {
    private let server = Server()
    private let gate = AsyncStream.makeStream(of: Void.self)

    private func host(
        hooks: [AnyPipelineHook<Tally, TallyAction>] = []
    ) async throws -> LocalStore<Tally, TallyAction> {
        try await server.host(
            "tally", TallyReducer(gate: gate.stream), initialState: Tally(), hooks: hooks)
    }

    @Test func aDispatchReturnsItsRevision() async throws {
        let tally = try await host()
        #expect(await tally.snapshot == .init(revision: 0, state: Tally()))
        #expect(try await tally.dispatch(.add(5)) == 1)
        #expect(try await tally.dispatch(.add(2)) == 2)
        #expect(await tally.state.count == 7)
        #expect(await tally.revision == 2)
        #expect(tally.name == "tally")
    }

    @Test func whatWasNotDoneIsThrown() async throws {
        let no7 = AnyPipelineHook<Tally, TallyAction> { phase, context in
            #expect(context.origin == .local)
            if case .willReduce(.add(7), _) = phase { return .abort }
            return .continue
        }
        let tally = try await host(hooks: [no7])
        await #expect(throws: Refusal("0 adds nothing")) { try await tally.dispatch(.add(0)) }
        await #expect(throws: ActionAborted.self) { try await tally.dispatch(.add(7)) }
        #expect(await tally.revision == 0)
        await server.stop()
        await #expect(throws: ServerStopped.self) { try await tally.dispatch(.add(1)) }
        #expect(await tally.state == Tally())
    }

    @Test func aSlowReaderMissesTheStatesInBetween() async throws {
        let tally = try await host()
        var states = tally.states().makeAsyncIterator()
        #expect(await states.next()?.revision == 0)
        for _ in 1...100 { try await tally.dispatch(.add(1)) }
        #expect(await states.next() == .init(revision: 100, state: Tally(count: 100)))
        try await tally.dispatch(.add(1))
        #expect(await states.next()?.revision == 101)
    }

    /// Nobody listens at an address: turns end all the same.
    @Test func aReaderThatWaitsIsTold() async throws {
        let tally = try await host()
        let told = AsyncStream.makeStream(of: Int.self)
        let reader = Task {
            for await now in tally.states() {
                told.continuation.yield(now.revision)
                if now.revision == 3 { break }
            }
        }
        var revisions = told.stream.makeAsyncIterator()
        for revision in 0...3 {
            if revision > 0 {
                await server.untilSomebodyWaits(on: "tally")
                try await tally.dispatch(.add(1))
            }
            #expect(await revisions.next() == revision)
        }
        await reader.value
    }

    @Test func aStateGoesWithItsRevision() async throws {
        let tally = try await host()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<100 { try await tally.dispatch(.add(1)) } }
            }
            for _ in 0..<3 {
                group.addTask {
                    var last = -1
                    for await now in tally.states() {
                        #expect(now.revision == now.state.count && now.revision > last)
                        last = now.revision
                        if last == 800 { break }
                    }
                    #expect(last == 800)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func theStatesEndWithTheServerAfterTheLast() async throws {
        let tally = try await host()
        var states = tally.states().makeAsyncIterator()
        #expect(await states.next()?.revision == 0)
        try await tally.dispatch(.add(1))
        await server.stop()
        #expect(await states.next()?.revision == 1)
        #expect(await states.next() == nil)

        let waiting = try await waitingReader(of: Server())
        await waiting.server.stop()
        await waiting.reader.value
    }

    @Test func aCancelledReaderLeavesNothingBehind() async throws {
        let waiting = try await waitingReader(of: server)
        waiting.reader.cancel()
        await waiting.reader.value
        #expect(await server.waits(on: "tally") == 0)
    }

    /// A task that has read a state and waits for the next.
    private func waitingReader(
        of server: Server
    ) async throws -> (server: Server, reader: Task<Void, Never>) {
        let tally = try await server.host(
            "tally", TallyReducer(gate: gate.stream), initialState: Tally())
        let reader = Task { for await _ in tally.states() {} }
        await server.untilSomebodyWaits(on: "tally")
        return (server, reader)
    }

    @Test func itsEffectsAreListedAndCancelled() async throws {
        let tally = try await host()
        try await tally.dispatch(.wait(1))
        try await tally.dispatch(.wait(2))
        #expect(await tally.effects.map(\.id) == ["wait-1", "wait-2"])
        #expect(await tally.cancelEffect(id: "wait-1") == 1)
        #expect(await tally.cancelEffect(id: "wait-1") == 0)
        #expect(await tally.effects.map(\.id) == ["wait-2"])
        #expect(await tally.state.finished == 0)
    }

    @Test func aDispatchWaitsForItsEffects() async throws {
        let tally = try await host()
        async let revision = tally.dispatch(.work, waitForEffects: true)
        for await now in tally.states() where now.revision == 1 { break }
        #expect(await tally.state.finished == 0)
        gate.continuation.yield()
        #expect(try await revision == 1)
        #expect(await tally.state.finished == 1)
        // Nothing to wait for.
        #expect(try await tally.dispatch(.add(1), waitForEffects: true) == 3)
    }

    @Test(arguments: ["$mine", "tally.mine", "", "a b", "news.*"])
    func anEventOfAnothersTopicIsRefused(_ topic: String) async throws {
        _ = try await host()
        await #expect(throws: PublishingError.self) {
            try await server.publish(topic: topic, data: 1)
        }
        #expect(try await server.publish(topic: "news.sport", data: ["score": 2]) == 0)
    }
}
