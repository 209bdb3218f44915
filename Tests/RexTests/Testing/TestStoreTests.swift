import Foundation
import Rex
import RexTesting
import Synchronization
import Testing

struct Loader: Statable {
    var count = 0
    var isLoading = false
    var tags: [String: Int] = [:]
}

enum LoaderAction: Actionable, Equatable {
    case increment
    case nothing
    case load
    case loaded(Int)
    case watch
    case tick
    case fail
    case refuse
    case burst
}

struct LoaderReducer: Reducer {
    let clock: TestClock

    func reduce(state: inout Loader, action: LoaderAction) throws -> [Effect<LoaderAction>] {
        switch action {
        case .increment, .tick: state.count += 1
        case .nothing: break
        case .load:
            state.isLoading = true
            return [
                Effect { [clock] emitter in
                    try await clock.sleep(for: .seconds(1))
                    emitter.send(.loaded(500))
                }
            ]
        case .loaded(let count):
            state.count = count
            state.isLoading = false
        case .watch: return [.interval(.tick, id: "watch", period: .seconds(1)).scoped(to: "room")]
        case .fail: return [Effect { _ in throw Refusal("offline") }]
        case .refuse: throw Refusal("not now")
        case .burst: return [.many(.increment, .nothing)]
        }
        return []
    }
}

/// What a test store would have failed a test with.
private final class Failures: Sendable {
    private let all = Mutex<[TestFailure]>([])

    var texts: [String] { all.withLock { $0.map(\.message) } }
    var lines: [UInt] { all.withLock { $0.map(\.line) } }

    func note(_ failure: TestFailure) { all.withLock { $0.append(failure) } }
}

@Suite(.timeLimit(.minutes(1)))
struct TestStoreTests {
    private let failures = Failures()

    private func store() -> TestStore<LoaderReducer> {
        let clock = TestClock()
        return TestStore(
            initialState: Loader(), reducer: LoaderReducer(clock: clock), clock: clock,
            onFailure: failures.note)
    }

    @Test func `a test that says everything passes`() async {
        let store = store()
        await store.send(.increment) { $0.count = 1 }
        await store.send(.load) { $0.isLoading = true }
        await store.clock.waitForSleepers(1)
        store.clock.advance(by: .seconds(1))
        await store.receive(.loaded(500)) {
            $0.isLoading = false
            $0.count = 500
        }
        await store.send(.nothing)
        await store.send(.nothing) { _ in }
        await store.send(.increment)
        #expect(store.state.count == 501)
        #expect(await store.refusal(of: .refuse) as? Refusal == Refusal("not now"))
        await store.send(.burst)
        await store.receive(.increment) { $0.count += 1 }
        await store.receive(where: { $0 == .nothing })
        await store.finish()
        #expect(failures.texts == [])
    }

    @Test func `a wrong expectation is a difference`() async {
        let store = store()
        let line: UInt = #line + 1
        await store.send(.increment) { $0.count = 2 }
        #expect(
            failures.texts == [
                """
                The state after '.increment' is not as expected: …

                      Loader(
                    −   count: 2,
                    +   count: 1,
                        isLoading: false,
                        tags: []
                      )

                (Expected: −, Actual: +)
                """
            ])
        #expect(failures.lines == [line])
    }

    @Test func `a change that nobody looked at`() async {
        let store = store()
        await store.send(.increment)
        await store.send(.nothing)
        #expect(
            failures.texts == [
                """
                '.increment' changed the state, and nobody looked: …

                      Loader(
                    −   count: 0,
                    +   count: 1,
                        isLoading: false,
                        tags: []
                      )

                (Expected: −, Actual: +)

                Say what changes in a closure, or read 'state' before the next step.
                """
            ])
    }

    @Test func `an action that is not the expected one`() async {
        let store = store()
        await store.send(.load) { $0.isLoading = true }
        await store.clock.waitForSleepers(1)
        store.clock.advance(by: .seconds(1))
        await store.receive(.loaded(7)) { $0.count = 7 }
        #expect(
            failures.texts == [
                """
                Received an action that was not expected: …

                      .loaded(
                    −   7
                    +   500
                      )

                (Expected: −, Actual: +)
                """
            ])
    }

    @Test func `nothing comes`() async {
        let store = store()
        await store.receive(.tick, timeout: .zero)
        await store.send(.watch)
        await store.clock.waitForSleepers(1)
        await store.receive(.tick, timeout: .milliseconds(1))
        store.cancelAllEffects()
        #expect(
            failures.texts == [
                "Expected to receive '.tick', but nothing came, and no effect runs.",
                """
                Expected to receive '.tick', but nothing came within 0.001 seconds. These effects \
                run: …

                    'watch' of .watch, in node:room (sent 0), until it is cancelled

                Somebody sleeps by the store's clock: move it with 'await advance(by:)'.
                """,
            ])
    }

    @Test func `what is left at the end is named`() async {
        var store: TestStore? = store()
        await store?.send(.watch)
        await store?.send(.load) { $0.isLoading = true }
        await store?.send(.burst)
        store = nil
        #expect(
            failures.texts == [
                """
                At the end of the test 2 actions of effects were not received: …

                    .increment
                    .nothing

                Receive what is expected, or say 'skipReceivedActions()'.
                """,
                """
                At the end of the test 2 effects still run: …

                    'watch' of .watch, in node:room (sent 0), until it is cancelled
                    '#2' of .load (sent 0)

                Wait with 'await finish()', move the clock with 'await advance(by:)', or end them \
                with an action or 'cancelAllEffects()'.
                """,
            ])
    }

    @Test func `what was not received is in the way of the next step`() async {
        let store = store()
        await store.send(.burst)
        await store.send(.increment) { $0.count = 2 }
        #expect(
            failures.texts == [
                """
                Before '.increment' is sent, 2 actions of effects have to be received: …

                    .increment
                    .nothing
                """
            ])
    }

    @Test func `refusals and faults`() async {
        let store = store()
        await store.send(.refuse)
        await store.refusal(of: .nothing)
        await store.send(.fail)
        await store.finish()
        await store.send(.fail)
        while store.effects.count > 0 { await Task.yield() }
        #expect(store.faults.count == 1)
        await store.finish()
        #expect(
            failures.texts == [
                "'.refuse' was refused: not now",
                "Expected '.nothing' to be refused, but it was not.",
                "The effect '#1' failed: offline",
            ])
    }

    @Test func `what an effect sends and is refused is named`() async {
        let store = TestStore(
            initialState: Tally(), reducer: TallyReducer(), onFailure: failures.note)
        await store.send(.run(.many(.add(1), .refuse, .add(2))))
        await store.receive(.add(1)) { $0 = Tally(log: [1], total: 1) }
        await store.receive(.add(2)) { $0 = Tally(log: [1, 2], total: 3) }
        #expect(
            failures.texts == ["'.refuse' came from effect(#1), and was refused: no"])
    }

    @Test func `without exhaustiveness only what it cares about counts`() async {
        do {
            let store = store()
            store.exhaustivity = .off
            await store.send(.increment)
            await store.send(.burst) { $0.isLoading = false }
            await store.receive(.nothing) { $0.count = 2 }
            await store.send(.watch)
            #expect(failures.texts == [])
            await store.send(.increment) { $0.count = 9 }
        }
        #expect(failures.texts.count == 1)
        #expect(failures.texts.first?.contains("−   count: 9,\n    +   count: 3,") == true)
    }

    @Test func `time and events are the test's`() async {
        struct Clockwork: ContextReducer {
            struct State: Statable {
                var seconds = 0.0
            }

            func reduce(
                state: inout State, action: LoaderAction, context: ReducerContext
            ) -> [Effect<LoaderAction>] {
                state.seconds = context.now.timeIntervalSince1970
                return [.publish("news", state.seconds)]
            }
        }
        let store = TestStore(initialState: Clockwork.State(), reducer: Clockwork())
        await store.send(.nothing) { $0.seconds = 0 }
        store.clock.advance(by: .seconds(90))
        await store.send(.nothing) { $0.seconds = 90 }
        #expect(store.events.map(\.topic) == ["news", "news"])
    }

    @Test func `a failure of a store fails the test`() async {
        await withKnownIssue {
            let store = TestStore(
                initialState: Loader(), reducer: LoaderReducer(clock: TestClock()))
            await store.send(.increment) { $0.count = 2 }
        } matching: { issue in
            issue.comments.first?.rawValue.contains("+   count: 1,") == true
                && issue.sourceLocation?.fileName == "TestStoreTests.swift"
        }
    }

    @Test func `what is done after finish is looked at again`() async {
        do {
            let store = store()
            await store.finish()
            await store.send(.watch)
        }
        #expect(failures.texts.count == 1)
        #expect(failures.texts.first?.contains("1 effect still runs") == true)
    }
}
