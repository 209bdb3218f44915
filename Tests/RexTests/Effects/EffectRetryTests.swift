import Rex
import RexTesting
import Synchronization
import Testing

/// Fails as often as it is told, and knows how often it was tried.
private final class Flaky: Sendable {
    private let state: Mutex<(failures: Int, tries: Int)>

    init(failures: Int) {
        state = Mutex((failures, 0))
    }

    var tries: Int { state.withLock { $0.tries } }

    func ask() throws {
        try state.withLock { state in
            state.tries += 1
            if state.tries <= state.failures { throw Refusal("try \(state.tries)") }
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct EffectRetryTests {
    let clock = TestClock()
    let faults = Notebook()

    private func store() -> Store<TallyReducer> {
        Store(
            initialState: Tally(), reducer: TallyReducer(), clock: clock,
            onFault: { [faults] fault in
                if case .effectFailed(let id, let error) = fault { faults.write("\(id): \(error)") }
            })
    }

    private func asking(_ flaky: Flaky, then number: Int = 1) -> Effect<TallyAction> {
        Effect { emitter in
            try flaky.ask()
            emitter.send(.add(number))
        }
    }

    @Test func `what fails is tried again, after waits that grow`() async throws {
        let (store, flaky) = (store(), Flaky(failures: 2))
        async let end = store.send(
            .run(.retry(asking(flaky), maxAttempts: 5, delay: .seconds(1))), waitForEffects: true)
        await clock.waitForSleepers(1)
        #expect(flaky.tries == 1)
        #expect(await store.effects.map(\.id) == ["#1"])
        clock.advance(by: .milliseconds(999))
        #expect(clock.sleepers == 1)
        clock.advance(by: .milliseconds(1))
        await clock.waitForSleepers(1)
        #expect(flaky.tries == 2)
        clock.advance(by: .milliseconds(1_999))
        #expect(clock.sleepers == 1)
        clock.advance(by: .milliseconds(1))
        #expect(try await end == 1)
        #expect(store.state.log == [1])
        #expect(flaky.tries == 3)
        #expect(faults.lines == [])
    }

    @Test func `after the last attempt it has failed`() async throws {
        let (store, flaky) = (store(), Flaky(failures: 9))
        let last = Notebook()
        try await store.send(
            .run(
                .sequence(
                    .retry(
                        asking(flaky), maxAttempts: 3, delay: .zero,
                        onError: { last.write("\($0)") }),
                    .send(.add(2)))), waitForEffects: true)
        #expect(flaky.tries == 3)
        #expect(faults.lines == ["#1: try 3"])
        #expect(last.lines == ["try 3"])
        #expect(store.state.log == [], "the step behind it supposed that it would succeed")
    }

    @Test func `an error action stands for the failure`() async throws {
        let (store, flaky) = (store(), Flaky(failures: 9))
        try await store.send(
            .run(
                .sequence(
                    .retryWithErrorAction(
                        asking(flaky), maxAttempts: 2, delay: 0.0, errorAction: { _ in .add(-1) }),
                    .send(.add(2)))), waitForEffects: true)
        #expect(store.state.log == [-1, 2])
        #expect(flaky.tries == 2)
        #expect(faults.lines == [])
    }

    @Test func `who says that it is no use is believed`() async throws {
        let (store, flaky) = (store(), Flaky(failures: 9))
        try await store.send(
            .run(.retry(asking(flaky), delay: .zero, shouldRetry: { _ in false })),
            waitForEffects: true)
        #expect(flaky.tries == 1)
    }

    @Test func `it is done again as a whole, and its other parts are cancelled`() async throws {
        let (store, flaky) = (store(), Flaky(failures: 1))
        let whole = Effect<TallyAction>.combine(
            .sequence(.send(.add(7)), asking(flaky)),
            .delayed(.add(9), delay: .seconds(50), id: "beside"))
        let states = store.states
        store.dispatch(.run(.retry(whole, delay: .seconds(1)).cancellable(id: "r")))
        // Until what ran beside it is gone and only the wait is left.
        while await store.effects.map(\.id) != ["r"] { await Task.yield() }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        for await state in states where state.log == [7, 7, 1] { break }
        #expect(await store.effects.map(\.id).contains("beside"))
        store.cancelEffect(id: "r")
        #expect(await store.effects.isEmpty)
        #expect(clock.sleepers == 0)
    }

    @Test func `a cancelled retry is not tried again`() async {
        let (store, flaky) = (store(), Flaky(failures: 9))
        store.dispatch(.run(.retry(asking(flaky), delay: .seconds(1)).cancellable(id: "r")))
        await clock.waitForSleepers(1)
        store.cancelEffect(id: "r")
        #expect(clock.sleepers == 0)
        clock.advance(by: .seconds(9))
        #expect(await store.effects.isEmpty)
        #expect(flaky.tries == 1)
    }

    @Test func `the wait has a limit`() async {
        let (store, flaky) = (store(), Flaky(failures: 9))
        store.dispatch(
            .run(
                .retry(
                    asking(flaky), maxAttempts: 9, delay: .seconds(1), backoff: 100,
                    delayLimit: .seconds(3))))
        for (tries, wait) in [(1, 1), (2, 3), (3, 3)] {
            await clock.waitForSleepers(1)
            #expect(flaky.tries == tries)
            clock.advance(by: .seconds(wait))
        }
        await clock.waitForSleepers(1)
        #expect(flaky.tries == 4)
    }
}
