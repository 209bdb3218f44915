public import Observation

/// A part of an `ObservableStore`, in the words of a child: its state, its actions.
///
///     let page = environment.store.scope(state: \.page, action: AppAction.page)
///     page.send(.delegate(.dismiss))
///
/// Source: Swift-Rex.
@MainActor
public final class ScopedObservableStore<State, Action>: Observable {
    private let read: @MainActor () -> State
    private let sendOn: @MainActor (Action) -> Void

    init(get: @escaping @MainActor () -> State, send: @escaping @MainActor (Action) -> Void) {
        read = get
        sendOn = send
    }

    /// The part of the state; whoever reads it is told as by the whole store.
    public var state: State { read() }

    /// Has the child's action reduced as the parent's.
    public func send(_ action: Action) { sendOn(action) }
}

extension ObservableStore {
    /// A part of this store, in the words of a child.
    public func scope<ChildState, ChildAction>(
        state path: KeyPath<R.State, ChildState>,
        action embed: @escaping (ChildAction) -> R.Action
    ) -> ScopedObservableStore<ChildState, ChildAction> {
        ScopedObservableStore(
            get: { self.state[keyPath: path] }, send: { self.send(embed($0)) })
    }
}
