public import Observation
import Synchronization

/// A store for a user interface: its state on the main actor, observed by Swift's Observation
/// (`withObservationTracking`, SwiftUI).
///
/// `state` is never older than what this object sent; states that others brought about arrive in
/// order, where several came at once only the last. Whoever reads `state` through any other object
/// is told just as well, so an environment that holds this needs to forward nothing.
///
/// Source: Swift-Rex.
@MainActor
public final class ObservableStore<R: Reducer>: Observable {
    /// The store behind it, which any thread may use.
    public nonisolated let store: Store<R>
    private let registrar = ObservationRegistrar()
    private var current: R.State
    private let token: SubscriptionToken

    /// Observes `store` for as long as this object lives.
    public init(store: Store<R>) {
        self.store = store
        current = store.state
        let news = News<ObservableStore<R>>()
        token = store.subscribe { _ in news.came { $0.refresh() } }
        news.reader.withLock { $0.object = self }
        refresh()
    }

    deinit {
        token.cancel()
    }

    /// The state as this object last saw it.
    public var state: R.State {
        registrar.access(self, keyPath: \.state)
        return current
    }

    /// Has `action` reduced; where nobody else is at work `state` shows it when this returns.
    public func send(_ action: R.Action) {
        store.dispatch(action)
        refresh()
    }

    /// A value that is read from the state and written by an action.
    public func binding<Value>(
        _ path: KeyPath<R.State, Value>, send action: @escaping (Value) -> R.Action
    ) -> ObservableBinding<Value> {
        ObservableBinding(
            get: { self.state[keyPath: path] }, set: { self.send(action($0)) })
    }

    /// The store's events.
    public nonisolated func getEventBus() -> EventBus { store.eventBus }

    private func refresh() {
        // Never goes back: the store's state is at least as new as any that was told of. It is
        // asked again, as those who are told of the change beforehand may send something.
        if areEqual(store.state, current) { return }
        registrar.withMutation(of: self, keyPath: \.state) { current = store.state }
    }
}

/// A value for a user interface, read from an observed state and written by an action.
///
/// Source: SwiftUI's `Binding`, as Swift-Rex uses it.
@MainActor
@propertyWrapper
public struct ObservableBinding<Value> {
    private let get: @MainActor () -> Value
    private let set: @MainActor (Value) -> Void

    /// Reads by one function and writes by the other.
    public init(get: @escaping @MainActor () -> Value, set: @escaping @MainActor (Value) -> Void) {
        self.get = get
        self.set = set
    }

    /// The value now; to set it is to send the action.
    public var wrappedValue: Value {
        get { get() }
        nonmutating set { set(newValue) }
    }

    /// The binding itself, to be handed on.
    public var projectedValue: ObservableBinding { self }
}

/// Word that something came, carried to the main actor once however often it came.
final class News<Reader: AnyObject & Sendable>: Sendable {
    struct Weak {
        weak var object: Reader?
    }

    let reader = Mutex(Weak())
    private let isOnItsWay = Atomic<Bool>(false)

    func came(_ tell: @escaping @MainActor @Sendable (Reader) -> Void) {
        if isOnItsWay.exchange(true, ordering: .acquiringAndReleasing) { return }
        Task { @MainActor in
            isOnItsWay.store(false, ordering: .releasing)
            if let object = reader.withLock({ $0.object }) { tell(object) }
        }
    }
}
