import Synchronization

extension Store {
    /// Calls `onChange` with a value derived from the state: with that of this moment, and then
    /// whenever a commit has made it another. Otherwise as `subscribe`.
    ///
    /// Source: Swift-Rex, `StateObserver.observe`.
    @discardableResult
    public func observe<Value: Equatable & Sendable>(
        _ derive: @escaping @Sendable (R.State) -> Value,
        onChange: @escaping @Sendable (Value) -> Void
    ) -> SubscriptionToken {
        let last = LastValue<Value>()
        return subscribe { state in
            let value = derive(state)
            if last.replace(with: value) { onChange(value) }
        }
    }

    /// The values of this moment and of every commit that made it another. A reader that is behind
    /// by more than `bufferLimit` loses the oldest. Ending the loop ends the subscription; the end
    /// of the store ends the loop.
    public func values<Value: Equatable & Sendable>(
        of derive: @escaping @Sendable (R.State) -> Value, bufferLimit: Int = 64
    ) -> AsyncStream<Value> {
        StreamOrigin.stream(bufferLimit: bufferLimit) { observe(derive, onChange: $0) }
    }

    /// The store, for whoever observes parts of its state.
    ///
    /// Source: Swift-Rex.
    public func observer() -> StateObserver<R> { StateObserver(self) }

    /// A value that is read from the state and written by an action.
    ///
    /// Source: Swift-Rex, SwiftUI's `Binding`.
    public func binding<Value: Sendable>(
        _ path: any KeyPath<R.State, Value> & Sendable,
        send action: @escaping @Sendable (Value) -> R.Action
    ) -> StoreBinding<Value> {
        StoreBinding(get: { self.state[keyPath: path] }, set: { self.dispatch(action($0)) })
    }
}

/// Observes parts of a store's state; the same as `Store.observe`, as Swift-Rex writes it.
public struct StateObserver<R: Reducer>: Sendable {
    private let store: Store<R>

    /// An observer of this store.
    public init(_ store: Store<R>) {
        self.store = store
    }

    /// As `Store.observe`.
    @discardableResult
    public func observe<Value: Equatable & Sendable>(
        _ derive: @escaping @Sendable (R.State) -> Value,
        onChange: @escaping @Sendable (Value) -> Void
    ) -> SubscriptionToken {
        store.observe(derive, onChange: onChange)
    }
}

/// A value that is read in one place and written in another: from a store's state, by an action.
@propertyWrapper
public struct StoreBinding<Value: Sendable>: Sendable {
    private let get: @Sendable () -> Value
    private let set: @Sendable (Value) -> Void

    /// Reads by one function and writes by the other.
    public init(
        get: @escaping @Sendable () -> Value, set: @escaping @Sendable (Value) -> Void
    ) {
        self.get = get
        self.set = set
    }

    /// The value now; to set it is to dispatch the action.
    public var wrappedValue: Value {
        get { get() }
        nonmutating set { set(newValue) }
    }

    /// The binding itself, to be handed on.
    public var projectedValue: StoreBinding { self }
}

/// The value before, to see whether another came.
private final class LastValue<Value: Equatable & Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)

    func replace(with new: Value) -> Bool {
        value.withLock { value in
            if let old = value, areEqual(old, new) { return false }
            value = new
            return true
        }
    }
}
