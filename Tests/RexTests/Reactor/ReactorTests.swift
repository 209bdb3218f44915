import Rex
import RexTesting
import Testing

private final class SearchReactor: Reactor {
    struct State: Equatable {
        var query = ""
        var results: [String] = []
        var seconds = 0
        var isLoading = false
    }

    enum Action: Equatable {
        case type(String)
        case search
        case watch
        case fail
        case shout(String)
        case recurse(Int)
    }

    enum Mutation: Equatable {
        case setQuery(String)
        case setLoading(Bool)
        case add(String)
        case setSeconds(Int)
    }

    let initialState = State()
    let lifetime: ReactorLifetime
    let clock: TestClock
    let seconds: AsyncStream<Int>?
    let outside = FlowSource<Mutation>()
    let faults: FlowSource<StoreFault>
    var log: [String] = []
    var isDebounced = false
    var shoutsFirst = false

    init(clock: TestClock, seconds: AsyncStream<Int>? = nil) {
        let faults = FlowSource<StoreFault>()
        self.clock = clock
        self.seconds = seconds
        self.faults = faults
        lifetime = ReactorLifetime(clock: clock) { faults.send($0) }
    }

    func mutate(action: Action) -> Effect<Mutation> {
        switch action {
        case .type(let text): return .just(.setQuery(text))
        case .search:
            let (clock, query) = (clock, currentState.query)
            return .sequence(
                .just(.setLoading(true)),
                .stream {
                    AsyncStream { continuation in
                        let task = Task {
                            for number in 1...2 {
                                try? await clock.sleep(for: .seconds(1))
                                if Task.isCancelled { break }
                                continuation.yield(.add("\(query)\(number)"))
                            }
                            continuation.finish()
                        }
                        continuation.onTermination = { _ in task.cancel() }
                    }
                },
                .just(.setLoading(false)))
        case .watch: return .interval(.setSeconds(-1), period: .seconds(1))
        case .fail: return .run { _ in throw Refusal("broken") }
        case .shout(let text): return .many(.add(text), .add(text.uppercased()))
        case .recurse(let depth):
            if depth > 0 { send(event: .recurse(depth - 1)) }
            return .just(.add("\(depth)"))
        }
    }

    func reduce(state: State, mutation: Mutation) -> State {
        var state = state
        switch mutation {
        case .setQuery(let query): state.query = query
        case .setLoading(let isLoading): state.isLoading = isLoading
        case .add(let result): state.results.append(result)
        case .setSeconds(let seconds): state.seconds = seconds
        }
        return state
    }

    func transform(action: Flow<Action>) -> Flow<Action> {
        let logged = action.handle { [unowned self] in
            log.append("action \($0)")
            if shoutsFirst && $0 == .search { send(event: .shout("hi")) }
        }
        return isDebounced ? logged.debounce(for: .seconds(1), clock: lifetime.clock) : logged
    }

    func transform(mutation: Flow<Mutation>) -> Flow<Mutation> {
        mutation
            .filter { $0 != .add("secret") }
            .merge(with: outside.flow)
            .handle { [unowned self] in log.append("mutation \($0)") }
    }

    func transform(state: Flow<State>) -> Flow<State> {
        state.map { state in
            var state = state
            state.results = state.results.map { "<\($0)>" }
            return state
        }
    }

    func transform() {
        guard let seconds else { return }
        subscribe(to: seconds, id: "seconds") { $0 % 2 == 0 ? .setSeconds($0) : nil }
    }
}

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct ReactorTests {
    let clock = TestClock()

    private func advance() async {
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
    }

    @Test func `transforms of actions, mutations and states`() {
        let reactor = SearchReactor(clock: clock)
        reactor.send(event: .shout("a"))
        #expect(
            reactor.log == ["action shout(\"a\")", "mutation add(\"a\")", "mutation add(\"A\")"])
        #expect(reactor.currentState.results == ["<a>", "<A>"])
        var states: [[String]] = []
        reactor.state.drive { states.append($0.results) }
        reactor.send(event: .shout("secret"))
        #expect(states == [["<a>", "<A>"], ["<a>", "<A>", "<SECRET>"]])
    }

    @Test func `mutations that a transform adds from elsewhere`() {
        let reactor = SearchReactor(clock: clock)
        reactor.start()
        reactor.outside.send(.setQuery("outside"))
        #expect(reactor.currentState.query == "outside")
        #expect(reactor.log == ["mutation setQuery(\"outside\")"])
    }

    @Test func `an awaiting send returns when the stream of mutations has ended`() async throws {
        let reactor = SearchReactor(clock: clock)
        reactor.send(event: .type("q"))
        async let done: Void = reactor.send(.search)
        await advance()
        #expect(reactor.currentState.isLoading)
        await advance()
        try await done
        #expect(reactor.currentState.results == ["<q1>", "<q2>"])
        #expect(!reactor.currentState.isLoading)
        #expect(reactor.effects.isEmpty)
    }

    @Test func `an awaiting send that has nothing to wait for`() async throws {
        let reactor = SearchReactor(clock: clock)
        try await reactor.send(.type("q"))
        #expect(reactor.currentState.query == "q")
    }

    @Test func `a cancelled send ends the work that it waits for`() async {
        let reactor = SearchReactor(clock: clock)
        let task = Task { try await reactor.send(.search) }
        await advance()
        await clock.waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(reactor.effects.isEmpty)
        #expect(reactor.currentState.isLoading)
    }

    @Test func `a send whose mutations never end waits until it is cancelled`() async {
        let reactor = SearchReactor(clock: clock)
        let task = Task { try await reactor.send(.watch) }
        await advance()
        for await state in reactor.state.values where state.seconds == -1 { break }
        #expect(reactor.effects.count == 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(reactor.effects.isEmpty)
    }

    @Test func `an outside stream is followed, and can be ended`() async {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        let reactor = SearchReactor(clock: clock, seconds: stream)
        #expect(reactor.effects.map(\.id) == ["seconds"])
        for second in 1...4 { continuation.yield(second) }
        for await state in reactor.state.values where state.seconds == 4 { break }
        #expect(reactor.log == ["mutation setSeconds(2)", "mutation setSeconds(4)"])
        reactor.cancelEffect(id: "seconds")
        #expect(reactor.effects.isEmpty)
    }

    @Test func `a reactor that goes away lets go of its streams`() async {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        let ended = AsyncStream<Void>.makeStream()
        continuation.onTermination = { _ in ended.continuation.finish() }
        var reactor: SearchReactor? = SearchReactor(clock: clock, seconds: stream)
        reactor?.start()
        weak let remembered = reactor
        reactor = nil
        #expect(remembered == nil)
        for await _ in ended.stream {}
    }

    @Test func `debounced actions: only the last of a burst`() async {
        let reactor = SearchReactor(clock: clock)
        reactor.isDebounced = true
        for text in ["a", "ab", "abc"] { reactor.send(event: .type(text)) }
        #expect(reactor.currentState.query == "")
        await advance()
        for await state in reactor.state.values where state.query != "" { break }
        #expect(reactor.currentState.query == "abc")
        #expect(reactor.log.filter { $0.hasPrefix("mutation") } == ["mutation setQuery(\"abc\")"])
    }

    @Test func `an action sent from inside waits its turn`() {
        let reactor = SearchReactor(clock: clock)
        reactor.send(event: .recurse(2))
        #expect(reactor.currentState.results == ["<2>", "<1>", "<0>"])
    }

    @Test func `a failure without a catch is reported`() async throws {
        let reactor = SearchReactor(clock: clock)
        var faults: [String] = []
        reactor.faults.flow.drive { fault in
            if case .effectFailed(_, let error) = fault { faults.append("\(error)") }
        }
        try await reactor.send(.fail)
        #expect(faults == ["broken"])
    }

    @Test func `any reactor: its state and its actions`() async throws {
        let reactor = SearchReactor(clock: clock).eraseToAnyReactor()
        reactor.send(event: .type("q"))
        #expect(reactor.query == "q")
        #expect(reactor.currentState.query == "q")
        var queries: [String] = []
        reactor.state.drive { queries.append($0.query) }
        try await reactor.send(.type("r"))
        #expect(queries == ["q", "r"])
    }
    @Test func `what a transform sends does not end the wait for the action that it sees`() async {
        let reactor = SearchReactor(clock: clock)
        reactor.shoutsFirst = true
        let search = Task { try await reactor.send(.search) }
        await clock.waitForSleepers(1)
        #expect(reactor.effects.map(\.id) == ["send-1"])
        #expect(reactor.currentState.results == ["<hi>", "<HI>"])
        search.cancel()
        await #expect(throws: CancellationError.self) { try await search.value }
        #expect(reactor.effects.isEmpty)
    }

    /// Where mutations are the actions, nothing has to be said about them.
    private final class Switch: Reactor {
        enum Action { case toggle }

        let initialState = false
        let lifetime = ReactorLifetime()

        func reduce(state: Bool, mutation: Action) -> Bool { !state }
    }

    @Test func `without mutations of its own`() {
        let reactor = Switch()
        reactor.send(event: .toggle)
        #expect(reactor.currentState)
    }
}
