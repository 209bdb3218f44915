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

enum CounterAction: Actionable, Equatable {
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
    await clock.advance(by: .seconds(3), keeping: 1)  // one task sleeps before each tick
    for await state in store.states where state.count == 3 { break }
    try await store.send(.stop)
}

struct Download: Statable, Identifiable {
    let id: String
    var percent = 0
    var error: String?
}

enum DownloadAction: Actionable, Equatable {
    case start, progress(Int), failed(String), cancel
}

struct DownloadReducer: Reducer {
    let fetch: @Sendable (_ id: String, _ part: Int) async throws -> Void

    func reduce(state: inout Download, action: DownloadAction) -> [Effect<DownloadAction>] {
        switch action {
        case .start:
            let work = Effect<DownloadAction>.run { [id = state.id, fetch] emitter in
                for part in 1...4 {
                    try await fetch(id, part)
                    emitter.send(.progress(part * 25))
                    try await emitter.sleep(for: .milliseconds(100))  // by the store's clock
                }
            }
            return [
                .retryWithErrorAction(
                    work, maxAttempts: 3, delay: .seconds(1), errorAction: { .failed("\($0)") }
                )
                .cancellable(id: "download", cancelInFlight: true)
            ]
        case .progress(let percent):
            state.percent = percent
        case .failed(let reason):
            state.error = reason
        case .cancel:
            return [.cancel("download")]  // its own, not that of another element
        }
        return []
    }
}

struct Podcast: Statable {
    var downloads: [Download] = []
    var player: Counter?
    var query = ""
    var found: [String] = []
}

enum PodcastAction: Actionable, Equatable {
    case download(Download.ID, DownloadAction)
    case player(CounterAction)
    case open, close
    case add(String), remove(String)
    case setQuery(String), search, found([String])
}

struct PodcastReducer: Reducer {
    let find: @Sendable (String) async -> [String]

    func reduce(state: inout Podcast, action: PodcastAction) -> [Effect<PodcastAction>] {
        switch action {
        case .open: state.player = Counter()
        case .close: state.player = nil  // what the player started is cancelled
        case .add(let id): state.downloads.append(Download(id: id))
        case .remove(let id): state.downloads.removeAll { $0.id == id }  // likewise
        case .setQuery(let query):
            state.query = query
            return [Effect.send(.search).debounce(id: "search", for: .milliseconds(300))]
        case .search:
            return [
                .run(id: "request", cancelInFlight: true) { [query = state.query, find] emitter in
                    emitter.send(.found(await find(query)))
                }
            ]
        case .found(let titles): state.found = titles
        case .download, .player: break  // the children have been asked already
        }
        return []
    }
}

func podcastReducer(
    find: @escaping @Sendable (String) async -> [String],
    fetch: @escaping @Sendable (String, Int) async throws -> Void
) -> some Reducer<Podcast, PodcastAction> {
    PodcastReducer(find: find)
        .forEach(
            \.downloads, action: PodcastAction.download,
            extract: { if case .download(let id, let action) = $0 { (id, action) } else { nil } },
            do: { DownloadReducer(fetch: fetch) }
        )
        .ifLet(
            \.player, action: PodcastAction.player,
            extract: { if case .player(let action) = $0 { action } else { nil } },
            then: { CounterReducer() })
}

@MainActor
func show(_ store: Store<some Reducer<Podcast, PodcastAction>>) {
    let shown = ObservableStore(store: store)  // for SwiftUI and `withObservationTracking`
    let field = shown.binding(\.query, send: PodcastAction.setQuery)
    field.wrappedValue = "swift"
    print(shown.state.query)  // swift

    let running = DerivedState<Podcast, Int> { state in  // again only when `downloads` has changed
        state.downloads.filter { $0.percent < 100 }.count
    }
    print(running.value(from: shown.state))

    store.observe {
        $0.downloads.count
    } onChange: { count in  // now, and when it is another
        print(count, "downloads")
    }
}

func testPodcast() async {
    let reducer = podcastReducer(
        find: { ["all about \($0)"] },
        fetch: { _, part in if part == 2 { throw Refusal("cut off") } })
    let store = TestStore(initialState: Podcast(), reducer: reducer)

    await store.send(.setQuery("s")) { $0.query = "s" }
    await store.send(.setQuery("swift")) { $0.query = "swift" }
    await store.advance(by: .milliseconds(300))
    await store.receive(.search)
    await store.receive(.found(["all about swift"])) { $0.found = ["all about swift"] }

    await store.send(.open) { $0.player = Counter() }
    await store.send(.player(.start)) { $0.player?.isRunning = true }
    await store.advance(by: .seconds(2))
    for count in 1...2 {
        await store.receive(.player(.tick)) { $0.player?.count = count }
    }
    await store.send(.close) { $0.player = nil }

    await store.send(.add("e1")) { $0.downloads = [Download(id: "e1")] }
    await store.send(.download("e1", .start))
    await store.receive(.download("e1", .progress(25))) { $0.downloads[0].percent = 25 }
    await store.send(.remove("e1")) { $0.downloads = [] }
    await store.finish()  // fails where an effect still runs
}

@Suite(.timeLimit(.minutes(1))) struct InProcessTests {
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
        #expect(blocks.count == 8)
        for block in blocks { #expect(here.contains(block), "not compiled: \(block)") }
    }

    @Test func theExamplesRun() async throws {
        try await use()
        try await travel()
        try await ticks()
        await testPodcast()
        await show(
            Store(
                initialState: Podcast(),
                reducer: podcastReducer(find: { [$0] }, fetch: { _, _ in })))
    }

    @Test func aPartOfItHasItsOwnEffects() async {
        let store = TestStore(
            initialState: Podcast(downloads: [Download(id: "e1"), Download(id: "e2")]),
            reducer: podcastReducer(
                find: { [$0] }, fetch: { _, _ in throw Refusal("cut off") }))
        await store.send(.download("e1", .start))
        await store.send(.download("e2", .start))
        await store.send(.download("e1", .cancel))
        #expect(store.effects.map(\.id) == ["download"])
        await store.advance(by: .seconds(3))
        await store.receive(.download("e2", .failed("cut off"))) {
            $0.downloads[1].error = "cut off"
        }
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
