import Rex
import RexTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TestStoreTimeTests {
    private func store() -> TestStore<TallyReducer> {
        TestStore(initialState: Tally(), reducer: TallyReducer())
    }

    @Test func `a timer ticks each time, started in the line before`() async {
        let store = store()
        await store.send(.run(.interval(.add(1), id: "i", period: .seconds(1))))
        await store.advance(by: .milliseconds(3_500))
        for count in 1...3 {
            await store.receive(.add(1)) {
                $0.log = Array(repeating: 1, count: count)
                $0.total = count
            }
        }
        #expect(store.clock.now.offset == .milliseconds(3_500))
        store.cancelAllEffects()
    }

    @Test func `what follows of a deadline follows before the next`() async {
        let store = store()
        let failing = Effect<TallyAction>.run { _ in throw Refusal("offline") }
        await store.send(
            .run(
                .retryWithErrorAction(
                    failing, maxAttempts: 3, delay: .seconds(1), errorAction: { _ in .add(4) })))
        await store.send(
            .run(
                .sequence(
                    .delayed(.add(1), delay: .milliseconds(1_100)),
                    .delayed(.run(.delayed(.add(3), delay: .seconds(2))), delay: .seconds(1)))))
        await store.send(
            .run(
                Effect { emitter in
                    for _ in 1...2 { try await emitter.sleep(for: .milliseconds(700)) }
                    emitter.send(.add(2))
                }))
        await store.advance(by: .milliseconds(4_099))
        #expect(store.effects.count == 1)
        await store.advance(by: .milliseconds(1))
        await store.receive(.add(1)) { $0 = Tally(log: [1], total: 1) }
        await store.receive(.add(2)) { $0 = Tally(log: [1, 2], total: 3) }
        await store.receive(where: { if case .run = $0 { true } else { false } })
        await store.receive(.add(4)) { $0 = Tally(log: [1, 2, 4], total: 7) }
        await store.receive(.add(3)) { $0 = Tally(log: [1, 2, 4, 3], total: 10) }
    }

    @Test func `who waits for something else holds it up once, and a stream does not`() async {
        let store = store()
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        await store.send(.run(.stream { AsyncStream<TallyAction> { _ in } }))
        await store.send(.run(.interval(.nothing, period: .milliseconds(1))))
        await store.advance(by: .milliseconds(50))
        store.skipReceivedActions()
        await store.send(
            .run(
                Effect { emitter in
                    for await _ in gate { break }
                    emitter.send(.add(1))
                }))
        await store.advance(by: .milliseconds(50))
        #expect(store.effects.map(\.emitted) == [0, 100, 0])
        store.skipReceivedActions()
        store.exhaustivity = .off
        open.yield()
        await store.receive(.add(1)) { $0 = Tally(log: [1], total: 1) }
        store.cancelAllEffects()
    }
}
