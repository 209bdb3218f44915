/// The state of a composer, which can be observed.
///
///     @ComposableState var state = State()
///     composer.$state.observable.map(\.count).distinctUntilChanged().drive { … }
///     composer.$state.present(\.$alert).drive { … }
///
/// Source: RxCompose.
@MainActor
@propertyWrapper
public final class ComposableState<State> {
    private var latest: State
    private let source: FlowSource<State>

    /// A state that begins so.
    public init(wrappedValue: State) {
        latest = wrappedValue
        source = FlowSource(wrappedValue)
    }

    /// The state of this moment. Whoever observes is told of what it is set to.
    public var wrappedValue: State {
        get { latest }
        set {
            latest = newValue
            source.send(newValue)
        }
    }

    /// What its states can be observed with.
    public var projectedValue: ComposableState { self }

    /// The state of this moment and those after it, each one that came, equal ones too.
    public var everyState: Flow<State> { source.flow }

    /// The state of this moment and those after it. A state that can be compared comes only where
    /// it is another than the one before.
    public var observable: Flow<State> {
        guard let type = State.self as? any Equatable.Type else { return source.flow }
        return source.flow.distinctUntilChanged { Self.areEqual($0, $1, as: type) }
    }

    /// What is to be presented, each time that it was set: once more, too, where it was set to an
    /// equal value; nil where it was taken back.
    public func present<Value>(
        _ property: KeyPath<State, PresentState<Value>>
    ) -> Flow<Value?> {
        let presented: Flow<PresentState<Value>> = source.flow.map { $0[keyPath: property] }
        let new = presented.distinctUntilChanged { before, now in
            before.count == now.count && (before.value == nil) == (now.value == nil)
        }
        return new.map { $0.value }
    }

    private static func areEqual<Known: Equatable>(
        _ one: State, _ other: State, as type: Known.Type
    ) -> Bool {
        guard let one = one as? Known, let other = other as? Known else { return false }
        return one == other
    }
}
