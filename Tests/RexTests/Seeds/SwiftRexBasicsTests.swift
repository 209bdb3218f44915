import Foundation
import Rex
import RexTesting
import Synchronization
import Testing
import XCTest

// The README of Swift-Rex, "Basic Usage", "Pipeline Hooks", "Effects", "Testing" and "Event Bus":
// its code as it stands there. What is replaced says `was:`: `handle` of a hook is not `async`
// (hooks are synchronous here); the Combine timer is a stream of ticks.

// MARK: - Basic Usage

private struct AppState: Statable {
    var count: Int = 0
    var isLoading: Bool = false
    var errorMessage: String? = nil
    var lastUpdated: Date = Date()
}

private enum AppAction: Actionable {
    case increment
    case decrement
    case loadFromServer
    case loadedFromServer(Int)
    case setError(String?)
}

private struct AppReducer: Reducer {
    func reduce(state: inout AppState, action: AppAction) -> [Effect<AppAction>] {
        switch action {
        case .increment:
            state.count += 1
            state.lastUpdated = Date()
            return []

        case .loadFromServer:
            state.isLoading = true
            state.errorMessage = nil
            return [
                Effect { emitter in
                    try? await Task.sleep(nanoseconds: 1_000_000_000)
                    emitter.send(.loadedFromServer(500))
                }
            ]

        case .loadedFromServer(let value):
            state.count = value
            state.isLoading = false
            state.lastUpdated = Date()
            return []

        case .decrement:
            state.count -= 1
            state.lastUpdated = Date()
            return []

        case .setError(let message):
            state.errorMessage = message
            state.isLoading = false
            return []
        }
    }
}

// MARK: - Pipeline Hooks

private enum Analytics {
    static let tracked = Mutex<[String]>([])

    static func track(action: String) { tracked.withLock { $0.append(action) } }
}

private struct AnalyticsPipelineHook<State: Statable, Action: Actionable>: PipelineHook {
    func handle(
        phase: PipelinePhase<Action, State>,
        context: PipelineContext<Action, State>
    ) -> HookResult<Action> {  // was: ) async -> HookResult<Action> {
        if case .didReduce(let action, _, _) = phase {
            Analytics.track(action: "\(action)")
        }
        return .continue
    }
}

// MARK: - Effects

private enum FetchAction: Actionable, Equatable {
    case start
    case dataLoaded(Data)
    case searchResults([String])
    case timerTick
    case increment
    case action1, action2, action
}

/// What the README has of a network: an answer.
private struct URLSession {
    static let shared = URLSession()

    func data(from url: URL) async throws -> Data { Data(url.absoluteString.utf8) }
}

private func searchAPI(_ query: String) async throws -> [String] { ["found \(query)"] }

private struct FetchState: Statable {
    var seen: [String] = []
}

private struct FetchReducer: Reducer {
    let url = URL(filePath: "/a")
    let query = "rex"

    func reduce(state: inout FetchState, action: FetchAction) -> [Effect<FetchAction>] {
        state.seen.append("\(action)")
        guard action == .start else { return [] }
        let ticks = AsyncStream { continuation in
            for _ in 1...2 { continuation.yield() }
            continuation.finish()
        }
        return [
            // One-shot async work
            Effect { emitter in
                let data = try await URLSession.shared.data(from: url)
                emitter.send(.dataLoaded(data))
            },

            // Cancellable effect (replaces in-flight runs with same id)
            Effect(id: EffectID("search"), cancelInFlight: true) { emitter in
                let results = try await searchAPI(query)
                emitter.send(.searchResults(results))
            },

            // Long-lived stream (timer, WebSocket, Combine)
            Effect.stream {
                AsyncStream { continuation in
                    let task = Task {
                        // was: in Timer.publish(every: 1, on: .main, in: .common).autoconnect()
                        for await _ in ticks {
                            continuation.yield(.timerTick)
                        }
                    }
                    continuation.onTermination = { _ in task.cancel() }
                }
            },

            // Built-in helpers
            Effect.just(.increment),
            Effect.many(.action1, .action2),
            Effect.delayed(.action, delay: 1.0),
            Effect.none,
        ]
    }
}

// MARK: - Testing

final class AppReducerTests: XCTestCase {
    func testIncrement() async {
        let testStore = TestStore(
            initialState: AppState(count: 0),
            reducer: AppReducer()
        )

        await testStore.send(.increment)
        XCTAssertEqual(testStore.state.count, 1)
    }
}

private struct MyEvent: Sendable {
    let id: String
}

@Suite(.timeLimit(.minutes(1)))
struct SwiftRexBasicsTests {
    @Test func `a store is made, logs, and loads`() async {
        let store = Store(
            initialState: AppState(),
            reducer: AppReducer(),
            pipelineHooks: {
                [
                    AnyPipelineHook(LoggingPipelineHook(label: "App"))
                ]
            }
        )
        let states = store.states
        store.dispatch(.increment)
        store.dispatch(.decrement)
        store.dispatch(.setError("no"))
        store.dispatch(.loadFromServer)
        for await state in states where state.count == 500 { break }
        #expect(store.state.errorMessage == nil)
        #expect(!store.state.isLoading)
    }

    @Test func `hooks count, and time travels`() async {
        let store = Store(
            initialState: AppState(),
            reducer: AppReducer(),
            pipelineHooks: {
                [
                    AnyPipelineHook(LoggingPipelineHook(label: "MyApp")),
                    AnyPipelineHook(AnalyticsPipelineHook()),
                ]
            },
            timeTravel: TimeTravelPipelineHook()  // enables undo/redo
        )
        store.dispatch(.increment)

        // After dispatch:
        await store.undoTimeTravel()
        #expect(store.state.count == 0)
        await store.redoTimeTravel()
        #expect(store.state.count == 1)
        #expect(Analytics.tracked.withLock { $0 } == ["increment"])
    }

    @Test func `every kind of effect speaks`() async {
        let clock = TestClock()
        let store = Store(initialState: FetchState(), reducer: FetchReducer(), clock: clock)
        let states = store.states
        store.dispatch(.start)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        for await state in states where state.seen.count == 9 { break }
        #expect(store.state.seen.prefix(4) == ["start", "increment", "action1", "action2"])
        #expect(
            store.state.seen.dropFirst(4).sorted()
                == [
                    "action", #"dataLoaded(9 bytes)"#, #"searchResults(["found rex"])"#,
                    "timerTick",
                    "timerTick",
                ].sorted())

        store.cancelEffect(id: EffectID("search"))
        // The stream has no end.
        while await store.effects.count > 1 { await Task.yield() }
        #expect(await store.effects.count == 1)
    }

    /// The README's test is one of XCTest; it runs in a process of its own.
    @Test func `the test passes`() throws {
        let runner = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let child = try ChildProcess(
            [runner, "RexTests.AppReducerTests/testIncrement", "--testing-library", "xctest"])
        let output = try child.rest()
        #expect(
            output.contains("Executed 1 test, with 0 failures"), "\(output) \(child.errorText)")
        #expect(try child.wait() == .exited(0))
    }

    @Test func `events go over the bus`() {
        let store = Store(initialState: AppState(), reducer: AppReducer())
        let heard = Notebook()
        store.getEventBus().subscribe(to: MyEvent.self) { event in
            print(event)
            heard.write(event.id)
        }
        store.getEventBus().publish(MyEvent(id: "123"))
        #expect(heard.lines == ["123"])
    }
}
