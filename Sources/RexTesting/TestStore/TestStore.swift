public import FoundationEssentials
public import Rex

/// A store for tests of a reducer and its effects: a test says what each action does to the state,
/// and which actions the effects send.
///
///     let store = TestStore(initialState: AppState(), reducer: AppReducer())
///     await store.send(.load) { $0.isLoading = true }
///     await store.advance(by: .seconds(1))
///     await store.receive(.loaded(500)) {
///         $0.isLoading = false
///         $0.count = 500
///     }
///
/// It is exhaustive, unless told otherwise: every change of the state is said, or looked at by
/// reading `state`; every action of an effect is received; no effect runs when the test ends. What
/// is not so fails the test, in Swift Testing and in XCTest. Time moves only by `advance(by:)`.
///
/// Not Sendable: it belongs to one test, and lives where that runs.
///
/// Source: Swift-Rex; The Composable Architecture for exhaustiveness and the failure texts.
public final class TestStore<R: Reducer> {
    /// What it holds.
    public typealias State = R.State
    /// What it reduces.
    public typealias Action = R.Action

    /// Whether a test has to say everything.
    public enum Exhaustivity: Sendable {
        /// Every change, every action of an effect, and that no effect is left.
        case on
        /// Only what it cares about: `send` and `receive` look at what their closures change, and
        /// `receive` passes over other actions.
        case off
    }

    /// Whether a test has to say everything.
    public var exhaustivity = Exhaustivity.on
    /// How long `receive` and `finish` wait for an effect before the test fails.
    public var timeout = Duration.seconds(2)
    /// What the effects sleep by, and the time that reducers see.
    public let clock: TestClock

    let core: StoreCore<R>
    let inbox = TestInbox<R.Action>()
    let record = TestRecord<R>()
    /// Actions of effects that the test has not received.
    var received: ArraySlice<TestRecord<R>.Step> = []
    var last: R.State
    /// What `send` or `receive` did that nobody has looked at.
    var unseen: (action: R.Action, before: R.State, place: TestFailure)?
    var hasFinished = false
    private let place: TestFailure
    private let report: (TestFailure) -> Void

    /// - Parameters:
    ///   - pipelineHooks: see every action, as in a `Store`.
    ///   - clock: what timers and delays sleep by.
    ///   - now: the time that reducers see; 1970 plus what `clock` was moved, if nothing is said.
    ///   - onFailure: takes what is wrong; fails the test, if nothing is said.
    public init(
        initialState: R.State, reducer: R,
        middlewares: () -> [AnyMiddleware<R.State, R.Action>] = { [] },
        pipelineHooks: () -> [AnyPipelineHook<R.State, R.Action>] = { [] },
        clock: TestClock = TestClock(), now: (@Sendable () -> Date)? = nil,
        onFailure: @escaping (TestFailure) -> Void = { $0.record() },
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) {
        self.clock = clock
        report = onFailure
        place = TestFailure("", fileID: fileID, filePath: filePath, line: line, column: column)
        last = initialState
        let hooks =
            [AnyPipelineHook(record.witness)]
            + middlewares().map { AnyPipelineHook(MiddlewarePipelineHook($0)) } + pipelineHooks()
        core = StoreCore(
            initialState: initialState, reducer: reducer, hooks: hooks, clock: clock,
            now: now ?? { Date(timeIntervalSince1970: clock.now.offset / .seconds(1)) },
            inbox: { [inbox] in inbox.post($0) })
        record.watch(core)
    }

    deinit {
        if !hasFinished && exhaustivity == .on { checkEnd(at: place) }
    }

    /// The state after the last action that was sent or received.
    public var state: R.State {
        unseen = nil
        return last
    }

    /// What was published, in order.
    public var events: [StoreEvent] { record.events }

    /// What went wrong where nobody waited for an answer. What nobody has read here fails the test
    /// at its next step.
    public var faults: [StoreFault] {
        defer { record.faults = [] }
        return record.faults.map(\.fault)
    }

    /// The effects that run, in the order in which they started.
    public var effects: [RunningEffect] {
        hear()
        return core.runningEffects
    }

    /// Dispatches an action.
    ///
    /// - Parameter change: makes of the state before the one expected after. Without it `state` has
    ///   to be read before the next step if the action changed anything.
    public func send(
        _ action: R.Action, from origin: Origin = .local,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column, _ change: ((inout R.State) throws -> Void)? = nil
    ) async {
        let place = TestFailure("", fileID: fileID, filePath: filePath, line: line, column: column)
        prepare(for: "'\(text(of: action))' is sent", at: place)
        switch core.dispatch(action, from: origin) {
        case .committed:
            let steps = takeSteps()
            guard let step = steps.first else {
                preconditionFailure("'\(text(of: action))' was committed, and nobody was told")
            }
            received += steps.dropFirst()
            check(step, change, at: place)
        case .refused(let error):
            fail("'\(text(of: action))' was refused: \(error)", at: place)
        case .aborted:
            fail("A hook aborted '\(text(of: action))'.", at: place)
        case .unchanged, .queued:
            preconditionFailure("'\(text(of: action))' was sent from inside the store")
        }
    }

    /// Dispatches an action that is to be refused, and returns why; nil, and a failed test, where
    /// it is not.
    @discardableResult
    public func refusal(
        of action: R.Action, from origin: Origin = .local,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) async -> (any Error)? {
        let place = TestFailure("", fileID: fileID, filePath: filePath, line: line, column: column)
        prepare(for: "'\(text(of: action))' is sent", at: place)
        if case .refused(let error) = core.dispatch(action, from: origin) { return error }
        fail("Expected '\(text(of: action))' to be refused, but it was not.", at: place)
        _ = takeSteps()
        received = []
        last = core.state
        return nil
    }

    func fail(_ message: String, at place: TestFailure) {
        report(
            TestFailure(
                message, fileID: place.fileID, filePath: place.filePath, line: place.line,
                column: place.column))
    }
}
