/// Whatever shows a stack of screens: a navigation controller, a terminal.
///
/// It shows what it is told to, and says when the user has gone back. Nothing else changes its
/// stack.
@MainActor
public protocol NavigationPresenter: AnyObject {
    /// What it shows.
    associatedtype Screen

    /// A stored property, nil at first. It keeps what was bound, so that this ends with the
    /// presenter.
    var bindingLifetime: BindingLifetime? { get set }

    /// Shows these screens, the last on top. Called when the stack has become another.
    ///
    /// - Parameter animated: false the first time.
    func show(_ screens: [Screen], animated: Bool)
}

extension NavigationPresenter {
    /// What binds it to a store.
    public var composable: ComposableNavigation<Self> { ComposableNavigation(presenter: self) }

    /// To be called when the user has gone back, with how many screens are left: the actions that
    /// dismiss the others are sent, the deepest first. What the state then still wants to see is
    /// shown again.
    public func didGoBack(keeping count: Int) {
        bindingLifetime?.didGoBack(count)
    }
}

/// Binds a presenter to a store.
///
/// Source: ComposableUIKit, `UINavigationController.composable`.
@MainActor
public struct ComposableNavigation<Presenter: NavigationPresenter> {
    let presenter: Presenter

    /// What was bound last; nil before.
    public var bindingLifetime: BindingLifetime? { presenter.bindingLifetime }

    /// Shows the stack that follows from the state of `store`, from now on: until the presenter
    /// goes away, the lifetime is cancelled, or this is called again.
    ///
    /// - Parameter makeDismissAction: what is sent when the user goes back past a segment; nil
    ///   where that cannot be.
    /// - Returns: the presenter.
    @discardableResult
    public func bind<State, Action, ID: Hashable>(
        store: ScopedStore<State, Action>,
        makeRootSegment:
            @MainActor (ScopedStore<State, Action>) -> NavSegment<
                ID, Presenter.Screen
            >,
        makeDismissAction: @escaping @MainActor (ID) -> Action?
    ) -> Presenter {
        presenter.bindingLifetime?.cancel()
        let end = FlowGate()
        let binding = NavigationBinding(
            presenter: presenter, root: makeRootSegment(store), end: end,
            dismiss: { id in
                if let action = makeDismissAction(id) { store.send(action) }
            })
        // The state is looked at where it is shown; here only that there is a new one.
        let token = store.states.dropFirst().drive { [weak binding] _ in binding?.update() }
        presenter.bindingLifetime = BindingLifetime(binding, token, end: end)
        binding.begin()
        return presenter
    }

    /// As above, for all of a store.
    @discardableResult
    public func bind<R: Reducer, ID: Hashable>(
        store: Store<R>,
        makeRootSegment:
            @MainActor (ScopedStore<R.State, R.Action>) -> NavSegment<
                ID, Presenter.Screen
            >,
        makeDismissAction: @escaping @MainActor (ID) -> R.Action?
    ) -> Presenter {
        bind(
            store: ScopedStore(store), makeRootSegment: makeRootSegment,
            makeDismissAction: makeDismissAction)
    }
}

/// As long as this is there and nobody has cancelled it, a presenter follows a store.
@MainActor
public final class BindingLifetime {
    private var binding: (any GoingBack)?
    private let token: SubscriptionToken
    private let end: FlowGate

    init(_ binding: any GoingBack, _ token: SubscriptionToken, end: FlowGate) {
        self.binding = binding
        self.token = token
        self.end = end
    }

    deinit {
        end.shut()
        token.cancel()
    }

    /// True once it was cancelled.
    public var isCancelled: Bool { binding == nil }

    /// Ends it: the presenter keeps what it shows, and nothing of its stack goes to the store.
    public func cancel() {
        binding = nil
        end.shut()
        token.cancel()
    }

    func didGoBack(_ count: Int) {
        binding?.didGoBack(keeping: count)
    }
}

@MainActor
protocol GoingBack: AnyObject {
    func didGoBack(keeping count: Int)
}
