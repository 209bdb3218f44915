import Observation
import Rex
import Synchronization
import Testing

private struct Profile: Statable {
    var name = ""
    var visits = 0
    var page = Page()

    struct Page: Statable {
        var text = ""
    }
}

private enum ProfileAction: Actionable {
    case setName(String)
    case visit
    case page(PageAction)

    enum PageAction: Actionable {
        case write(String)
        case delegate(Delegate)

        enum Delegate: Actionable {
            case tell(String)
        }
    }
}

private struct ProfileReducer: Reducer {
    func reduce(state: inout Profile, action: ProfileAction) -> [Effect<ProfileAction>] {
        switch action {
        case .setName(let name): state.name = name
        case .visit: state.visits += 1
        case .page(.write(let text)): state.page.text = text
        case .page(.delegate(.tell(let text))): state.name = "told \(text)"
        }
        return []
    }
}

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct ObservableStoreTests {
    private let store = Store(initialState: Profile(), reducer: ProfileReducer())

    /// How often a view that reads something would be drawn again.
    private final class Redraws: Sendable {
        let notes = Notebook()

        @MainActor func watch(_ read: @escaping @MainActor () -> String) {
            withObservationTracking {
                _ = read()
            } onChange: { [notes] in
                notes.write("changed")
            }
        }
    }

    @Test func `what is sent by who is told of a change is not undone by it`() {
        let observable = ObservableStore(store: store)
        let isTold = Box(false)
        withObservationTracking {
            _ = observable.state
        } onChange: {
            // Told beforehand, and again of what it sends itself.
            let isFirst = isTold.value.withLock { isTold in
                defer { isTold = true }
                return !isTold
            }
            if !isFirst { return }
            MainActor.assumeIsolated { observable.send(.visit) }
        }
        observable.send(.setName("ada"))
        #expect(observable.state.visits == 1)
        #expect(observable.state.name == "ada")
    }

    @Test func `what is sent is there at once, and observed`() {
        let observable = ObservableStore(store: store)
        let redraws = Redraws()
        redraws.watch { observable.state.name }
        observable.send(.setName("Ada"))
        #expect(observable.state.name == "Ada")
        #expect(redraws.notes.lines == ["changed"])
    }

    @Test func `an action that changes nothing draws nothing`() {
        let observable = ObservableStore(store: store)
        let redraws = Redraws()
        redraws.watch { observable.state.name }
        observable.send(.setName(""))
        #expect(redraws.notes.lines == [])
    }

    @Test func `what others dispatch arrives`() async {
        let observable = ObservableStore(store: store)
        await withCheckedContinuation { continuation in
            withObservationTracking {
                _ = observable.state.visits
            } onChange: {
                continuation.resume()
            }
            Task.detached { [store] in
                for _ in 1...1_000 { store.dispatch(.visit) }
            }
        }
        while observable.state.visits < 1_000 { await Task.yield() }
        #expect(observable.state.visits == 1_000)
    }

    @Test func `it lets go`() {
        weak var gone: ObservableStore<ProfileReducer>?
        do {
            let observable = ObservableStore(store: store)
            gone = observable
            #expect(gone != nil)
        }
        #expect(gone == nil)
        store.dispatch(.visit)
    }

    @Test func `a binding reads the state and writes by an action`() {
        let observable = ObservableStore(store: store)
        let name = observable.binding(\.name, send: ProfileAction.setName)
        name.wrappedValue = "Grace"
        #expect(store.state.name == "Grace")
        #expect(name.wrappedValue == "Grace")
        let plain = store.binding(\.name, send: ProfileAction.setName)
        plain.wrappedValue = "Edsger"
        #expect(plain.projectedValue.wrappedValue == "Edsger")
    }

    @Test func `a part of it speaks as the child does`() {
        let page = ObservableStore(store: store).scope(
            state: \.page, action: ProfileAction.page)
        page.send(.write("hello"))
        #expect(page.state.text == "hello")
        page.send(.delegate(.tell("hello")))
        #expect(store.state.name == "told hello")
    }
}

@Suite(.timeLimit(.minutes(1)))
struct StoreObservationTests {
    private let store = Store(initialState: Profile(), reducer: ProfileReducer())

    @Test func `a derived value is told of when it is another`() {
        let (names, visits) = (Notebook(), Notebook())
        let token = store.observe({ $0.name }) { names.write($0) }
        store.observer().observe({ $0.visits }) { visits.write("\($0)") }
        store.dispatch(.visit)
        store.dispatch(.setName("Ada"))
        store.dispatch(.setName("Ada"))
        store.dispatch(.visit)
        token.cancel()
        store.dispatch(.setName("nobody hears"))
        #expect(names.lines == ["", "Ada"])
        #expect(visits.lines == ["0", "1", "2"])
    }

    @Test func `its values are a stream`() async {
        let values = store.values { $0.visits }
        store.dispatch(.setName("x"))
        store.dispatch(.visit)
        store.dispatch(.visit)
        var seen: [Int] = []
        for await value in values {
            seen.append(value)
            if value == 2 { break }
        }
        #expect(seen == [0, 1, 2])
    }

    @Test func `middlewares see what is received, with the state before`() async {
        let notes = Notebook()
        struct Greeting: Middleware {
            let notes: Notebook

            func process(
                state: Profile, action: ProfileAction, emit: (ProfileAction) -> Void
            ) -> [Effect<ProfileAction>] {
                notes.write("\(state.visits) \(action)")
                guard case .visit = action, state.visits == 0 else { return [] }
                emit(.setName("first"))
                return [.send(.setName("second")), .none]
            }
        }
        let store = Store(
            initialState: Profile(), reducer: ProfileReducer(),
            middlewares: {
                [
                    AnyMiddleware(Greeting(notes: notes)),
                    AnyMiddleware { state, _, _ in
                        notes.write(state.name)
                        return []
                    },
                ]
            })
        store.dispatch(.visit)
        #expect(store.state.name == "second")
        #expect(
            notes.lines == [
                "0 visit", "", "1 setName(\"first\")", "", "1 setName(\"second\")", "first",
            ])
    }
}
