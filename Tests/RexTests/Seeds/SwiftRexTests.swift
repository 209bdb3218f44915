import Foundation
import Rex
import RexTesting
import Synchronization
import Testing

/// What users of Swift-Rex and RxCompose write, as they write it.
private struct AppState: Statable {
    var count = 0
    var isRunning = false
    var isLoading = false
    var errorMessage: String?
    var lastUpdated = Date(timeIntervalSince1970: 0)
}

private enum AppAction: Actionable {
    case increment, decrement
    case loadFromServer
    case loadedFromServer(Int)
    case setError(String?)
    case search(String)
    case startTimer, stopTimer, tick
    case fetchData
    case many
    case watch
    /// An action with the name of an effect.
    case send(String)
}

private struct AppReducer: Reducer {
    let clock: TestClock

    func reduce(state: inout AppState, action: AppAction) -> [Effect<AppAction>] {
        switch action {
        case .increment:
            state.count += 1
            if state.count == 10 { return [.send(.setError("Count reached 10!"))] }
            return []
        case .decrement:
            state.count -= 1
            return []
        case .loadFromServer:
            state.isLoading = true
            state.errorMessage = nil
            return [
                Effect { [clock] emitter in
                    try? await clock.sleep(for: .seconds(1))
                    emitter.send(.loadedFromServer(500))
                }
            ]
        case .loadedFromServer(let value):
            state.count = value
            state.isLoading = false
            return []
        case .setError(let message):
            state.errorMessage = message
            state.isLoading = false
            return []
        case .search(let query):
            return [
                Effect(id: EffectID("search"), cancelInFlight: true) { [clock] emitter in
                    try await clock.sleep(for: .seconds(1))
                    emitter.send(.setError(query))
                }
            ]
        case .startTimer:
            guard !state.isRunning else { return [] }
            state.isRunning = true
            return [.timer(.send(.tick), id: "timer", dueTime: .seconds(0), period: .seconds(1))]
        case .stopTimer:
            state.isRunning = false
            return [.cancel("timer")]
        case .tick:
            state.count += 1
            return []
        case .fetchData, .many, .watch, .send:
            return work(for: action)
        }
    }

    /// What those cases start that change nothing themselves.
    private func work(for action: AppAction) -> [Effect<AppAction>] {
        switch action {
        case .fetchData:
            return [
                .run { effect in
                    effect.onNext(.send(.increment))
                    throw Refusal("offline")
                } catch: { error in
                    return .send(.setError("\(error)"))
                }
            ]
        case .many:
            return [
                Effect.just(.increment), Effect.many(.increment, .increment),
                Effect.delayed(.increment, delay: 1.0), Effect.none,
            ]
        case .watch:
            return [
                Effect.stream {
                    AsyncStream { continuation in
                        let task = Task {
                            for _ in 1...3 { continuation.yield(.tick) }
                            continuation.finish()
                        }
                        continuation.onTermination = { _ in task.cancel() }
                    }
                }
            ]
        case .send(let text):
            return [
                .delayed(.send(text), delay: .seconds(1)), .interval(.tick, period: .seconds(1)),
            ]
        default:
            return []
        }
    }
}

/// A hook that counts, generic as in the README.
private struct AnalyticsPipelineHook<State: Statable, Action: Actionable>: PipelineHook {
    let track: @Sendable (String) -> Void

    func handle(
        phase: PipelinePhase<Action, State>, context: PipelineContext<Action, State>
    ) -> HookResult<Action> {
        if case .didReduce(let action, _, _) = phase { track("\(action)") }
        return .continue
    }
}

@Suite(.timeLimit(.minutes(1)))
struct SwiftRexTests {
    let clock = TestClock()
    let notes = Notebook()

    private func store() -> Store<AppReducer> {
        Store(
            initialState: AppState(),
            reducer: AppReducer(clock: clock),
            pipelineHooks: { [notes] in
                [
                    AnyPipelineHook(LoggingPipelineHook(label: "App") { _ in }),
                    AnyPipelineHook(AnalyticsPipelineHook(track: notes.write)),
                ]
            },
            timeTravel: TimeTravelPipelineHook(),
            clock: clock
        )
    }

    @Test func `one-shot work, counted by a hook, undone and redone`() async throws {
        let store = store()
        async let done = store.send(.loadFromServer, waitForEffects: true)
        await clock.waitForSleepers(1)
        #expect(store.state.isLoading)
        clock.advance(by: .seconds(1))
        _ = try await done
        #expect(store.state.count == 500)
        #expect(notes.lines == ["loadFromServer", "loadedFromServer(500)"])
        await store.undoTimeTravel()
        #expect(store.state.isLoading)
        await store.redoTimeTravel()
        #expect(store.state.count == 500)
    }

    @Test func `the newer search replaces the one in flight`() async {
        let store = store()
        let states = store.states
        store.dispatch(.search("re"))
        await clock.waitForSleepers(1)
        store.dispatch(.search("rex"))
        await clock.waitForSleepers(1)
        #expect(await store.effects.map(\.id) == ["search"])
        clock.advance(by: .seconds(1))
        for await state in states where state.errorMessage != nil { break }
        #expect(store.state.errorMessage == "rex")
        #expect(!notes.lines.contains("setError(Optional(\"re\"))"))
    }

    @Test func `a timer that starts once and stops`() async {
        let store = store()
        let states = store.states
        store.dispatch(.startTimer)
        store.dispatch(.startTimer)
        for await state in states where state.count == 1 { break }
        await clock.waitForSleepers(1)
        let more = store.states
        clock.advance(by: .seconds(1))
        for await state in more where state.count == 2 { break }
        #expect(await store.effects.count == 1)
        store.dispatch(.stopTimer)
        #expect(await store.effects.isEmpty)
        #expect(!store.state.isRunning)
    }

    @Test func `run, catch, many, delayed, stream`() async throws {
        let store = store()
        try await store.send(.fetchData, waitForEffects: true)
        #expect(store.state.count == 1)
        #expect(store.state.errorMessage == "offline")
        store.dispatch(.many)
        #expect(store.state.count == 4)
        let states = store.states
        store.dispatch(.watch)
        for await state in states where state.count == 7 { break }
        for _ in 1...3 { store.dispatch(.increment) }
        #expect(store.state.errorMessage == "Count reached 10!")
        store.cancelAllEffects()
        store.dispatch(.decrement)
        store.dispatch(.send("hi"))
        #expect(await store.effects.count == 2)
    }
}
