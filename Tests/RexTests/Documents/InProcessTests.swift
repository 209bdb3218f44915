import Foundation
import Rex
import RexTesting
import Synchronization
import Testing

// The blocks of docs/in-process.md stand here as they stand there, so they compile, and run.

struct Counter: Statable {
    var count = 0
    var isRunning = false
}

enum CounterAction: Actionable {
    case add(Int)
    case start, stop, tick
}

struct CounterReducer: Reducer {
    func reduce(state: inout Counter, action: CounterAction) throws -> [Effect<CounterAction>] {
        switch action {
        case .add(let number):
            guard number != 0 else { throw Refusal("0 adds nothing") }
            state.count += number
            return [.publish(topic: "count.changed", event: state.count)]
        case .start:
            state.isRunning = true
            return [.interval(.tick, id: "ticker", period: .seconds(1), cancelInFlight: true)]
        case .stop:
            state.isRunning = false
            return [.cancel("ticker")]
        case .tick:
            state.count += 1
            return []
        }
    }
}

func use() async throws {
    let store = Store(initialState: Counter(), reducer: CounterReducer())
    store.dispatch(.add(5))  // from any thread; queues if one is at work
    let revision = try await store.send(.add(2))  // returns when it is reduced, or throws
    print(store.state.count, revision)  // 7 2

    let token = store.subscribe { state in  // now, and after every commit, in order
        print("count is", state.count)
    }
    store.eventBus.subscribe(topics: "count.*") { event in
        print(event.topic, event.value)
    }
    store.dispatch(.add(1))
    token.cancel()

    for await state in store.states where state.count >= 8 { break }
}

struct NoNegatives: PipelineHook {
    func handle(
        phase: PipelinePhase<CounterAction, Counter>,
        context: PipelineContext<CounterAction, Counter>
    ) -> HookResult<CounterAction> {
        if case .didReduce(_, _, let after) = phase, after.count < 0 { return .abort }
        return .continue
    }
}

func travel() async throws {
    let store = Store(
        initialState: Counter(), reducer: CounterReducer(),
        pipelineHooks: { [AnyPipelineHook(NoNegatives())] }, timeTravel: TimeTravelPipelineHook())
    try await store.send(.add(5))
    try await store.send(.add(2))
    await store.undoTimeTravel()  // 5, and revision 3
    await store.jump(to: 2)  // 7 again
}

func ticks() async throws {
    let clock = TestClock()
    let store = Store(initialState: Counter(), reducer: CounterReducer(), clock: clock)
    try await store.send(.start)
    await clock.waitForSleepers(1)
    await clock.advance(by: .seconds(3), keeping: 1)
    for await state in store.states where state.count == 3 { break }
    try await store.send(.stop)
}

@Suite struct InProcessTests {
    @Test func theDocumentShowsWhatIsCompiledHere() throws {
        let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in
            url.deletingLastPathComponent()
        }
        let here = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let document = try String(
            contentsOf: root.appending(path: "docs/in-process.md"), encoding: .utf8)
        let blocks = document.components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "\n```")[0]
        }
        #expect(blocks.count == 4)
        for block in blocks { #expect(here.contains(block), "not compiled: \(block)") }
    }

    @Test func theExamplesRun() async throws {
        try await use()
        try await travel()
        try await ticks()
    }

    @Test func theyDoWhatTheirRemarksSay() async throws {
        let store = Store(
            initialState: Counter(), reducer: CounterReducer(),
            pipelineHooks: { [AnyPipelineHook(NoNegatives())] },
            timeTravel: TimeTravelPipelineHook())
        store.dispatch(.add(5))
        #expect(try await store.send(.add(2)) == 2)
        #expect(store.state.count == 7)
        #expect(await store.undoTimeTravel() == 3)
        #expect(store.state.count == 5)
        #expect(await store.jump(to: 2) == 4)
        #expect(store.state.count == 7)
        await #expect(throws: Refusal.self) { try await store.send(.add(0)) }
        await #expect(throws: ActionAborted.self) { try await store.send(.add(-8)) }
        #expect(store.state.count == 7)
    }
}
