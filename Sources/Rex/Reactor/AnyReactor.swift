/// A reactor whose type nobody needs to know: its state and its actions, not its mutations.
///
///     let reactor = CounterReactor().eraseToAnyReactor()
///     reactor.send(event: .increase)
///     reactor.count
///
/// Source: GoodReactor.
@MainActor
@dynamicMemberLookup
public final class AnyReactor<State: Sendable, Action: Sendable> {
    private let getState: @MainActor () -> State
    private let getStates: @MainActor () -> Flow<State>
    private let sendEvent: @MainActor (Action) -> Void
    private let sendAndWait: @MainActor (Action) async throws -> Void

    /// The same reactor, which this keeps.
    public init<R: Reactor>(_ reactor: R) where R.State == State, R.Action == Action {
        getState = { reactor.currentState }
        getStates = { reactor.state }
        sendEvent = { reactor.send(event: $0) }
        sendAndWait = { try await reactor.send($0) }
    }

    /// As `Reactor.currentState`.
    public var currentState: State { getState() }

    /// As `Reactor.state`.
    public var state: Flow<State> { getStates() }

    /// As `Reactor.send(event:)`.
    public func send(event: Action) {
        sendEvent(event)
    }

    /// As `Reactor.send(_:)`.
    public func send(_ action: Action) async throws {
        try await sendAndWait(action)
    }

    /// A property of the current state.
    public subscript<Value>(dynamicMember property: KeyPath<State, Value>) -> Value {
        currentState[keyPath: property]
    }
}

extension Reactor {
    /// The same reactor without its type.
    public func eraseToAnyReactor() -> AnyReactor<State, Action> { AnyReactor(self) }
}
