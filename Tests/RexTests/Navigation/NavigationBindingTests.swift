import Rex
import Testing

private struct Session: Statable {
    var isOpen = true
    var detail: Int?
    var log: [String] = []
}

private enum SessionAction: Actionable {
    case open(Int)
    case closeDetail
    case close
}

private struct SessionReducer: Reducer {
    func reduce(state: inout Session, action: SessionAction) -> [Effect<SessionAction>] {
        switch action {
        case .open(let number): state.detail = number
        case .closeDetail: state.detail = nil
        case .close: state.isOpen = false
        }
        state.log.append("\(action)")
        return []
    }
}

@MainActor
private final class Stack: NavigationPresenter {
    var bindingLifetime: BindingLifetime?
    private(set) var shown: [[String]] = []
    /// Called within `show`, the first time that something is shown there.
    var onShow: (() -> Void)?

    func show(_ screens: [String], animated: Bool) {
        shown.append(screens)
        let call = onShow
        onShow = nil
        call?()
    }
}

/// What happens where a binding ends in the middle of its own work.
@MainActor
@Suite(.timeLimit(.minutes(1)))
struct NavigationBindingTests {
    private let store = ScopedStore(Store(initialState: Session(), reducer: SessionReducer()))

    private enum ID { case root, detail }

    private func bind(
        _ stack: Stack, name: String, onMake: @escaping @MainActor () -> Void = {}
    ) {
        stack.composable.bind(
            store: store,
            makeRootSegment: { store in
                NavSegment(id: ID.root, store: store) { store in
                    NavSegment.Entry(store: store, dismissAction: .close) { _ in name }
                } nextSegment: { store in
                    NavSegment.Next(
                        store: store, toLocalState: \.detail,
                        fromLocalAction: { (action: SessionAction) in action }
                    ) { detail in
                        onMake()
                        return NavSegment(id: ID.detail, store: detail) { detail in
                            NavSegment.Entry(store: detail) { "\(name) \($0.state)" }
                        }
                    }
                }
            },
            makeDismissAction: { (id: ID) in id == .detail ? .closeDetail : .close })
    }

    @Test func `bound again by an action of going back, the old binding is silent`() {
        let stack = Stack()
        bind(stack, name: "old")
        store.send(.open(1))
        store.states.drive { [self] state in
            if state.detail == nil, state.log.count == 2 { bind(stack, name: "new") }
        }
        stack.didGoBack(keeping: 0)
        #expect(stack.shown.last == ["new"])
        // The rest of the stack was that of the old one.
        #expect(store.state.log == ["open(1)", "closeDetail"])
    }

    @Test func `bound again while a screen is made`() {
        let stack = Stack()
        bind(stack, name: "old") { [self] in bind(stack, name: "new") }
        store.send(.open(1))
        #expect(stack.shown.last == ["new", "new 1"])
        #expect(stack.shown.count == 2)
    }

    @Test func `bound again while it shows`() {
        let stack = Stack()
        bind(stack, name: "old")
        stack.onShow = { [self] in
            store.send(.open(2))
            bind(stack, name: "new")
        }
        store.send(.open(1))
        #expect(stack.shown.last == ["new", "new 2"])
    }

    @Test func `cancelled, or let go of with its presenter, while it goes back`() {
        for isCancelled in [true, false] {
            var stack: Stack? = Stack()
            if let stack { bind(stack, name: "a") }
            store.send(.open(1))
            let count = store.state.log.count
            let lifetime = stack?.bindingLifetime
            let token = store.states.dropFirst().drive { state in
                if isCancelled { lifetime?.cancel() } else { stack?.bindingLifetime = nil }
            }
            stack?.didGoBack(keeping: 0)
            if isCancelled { #expect(store.state.log.count == count + 1) }
            token.cancel()
            stack = nil
        }
    }
}
