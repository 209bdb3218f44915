import Observation
import Rex
import RexTesting
import Testing

// The README of Swift-Rex, "State Graph", "Derived State", "SwiftUI Integration", "UIKit
// Integration": its code as it stands there, with stand-ins for views. What is replaced says
// `was:`: the lines that forward Combine's `objectWillChange`, which Observation does not need;
// `@objc`; `await` in front of `store.state`, which does not wait here. Where it says `// ...`
// something stands.

// MARK: - State Graph

private struct Message: Equatable, Sendable {
    var text = ""
    var isRead = false
}

private struct AppState: Statable, GraphStateContainer {
    var graph: StateGraph = StateGraph()
    var messages: [Message] = []
    var onlineUsers: [String] = []
    var name = ""
    var count = 0
}

private enum AppAction: Actionable {
    case graph(GraphAction)
    case sendMessage(String)
    case delegate(DelegateAction)
    case startTicking
    case setName(String)
    case increment
}

private enum DelegateAction: Actionable {
    case messageToChat(String)
    case dismiss
}

private struct AppReducer: Reducer {
    private let navigation = GraphNavigationReducer<AppState>()

    func reduce(state: inout AppState, action: AppAction) -> [Effect<AppAction>] {
        switch action {
        case .graph(let graphAction):
            _ = navigation.reduce(state: &state, action: graphAction)
            return []
        case .sendMessage(let text), .delegate(.messageToChat(let text)):
            state.messages.append(Message(text: text))
            return []
        case .delegate(.dismiss):
            return [.send(.graph(.pop))]
        case .startTicking:
            return [.interval(.increment, period: .seconds(1)).scoped(to: "second")]
        case .setName(let name):
            state.name = name
            return []
        case .increment:
            state.count += 1
            return []
        }
    }
}

// MARK: - Views

private struct SecondView: View {
    var body: some View { Text("second page") }
}

private struct PageView: View {
    let store: ObservableStore<AppReducer>

    var body: some View {
        Text("Graph: \(store.state.graph.activePath.map(\.rawValue).joined(separator: " → "))")

        if store.state.graph.activeNodeID?.rawValue == "second" {
            SecondView()
        }
    }
}

private struct ContentView: View {
    @ObservedObject var store: ObservableStore<AppReducer>

    var body: some View {
        VStack {
            Text("Count: \(store.state.count)")
            Button("+1") { store.send(.increment) }
        }
    }
}

@MainActor
private final class AppEnvironment {  // was: AppEnvironment: ObservableObject
    let graphStore: GraphStore<AppReducer>
    let observableStore: ObservableStore<AppReducer>
    // was: private var subscription: AnyCancellable?

    init() {
        let graphStore = GraphStore(
            initialState: AppState(),
            reducer: AppReducer(),
            embedGraphAction: { .graph($0) },
            pipelineHooks: { [AnyPipelineHook(LoggingPipelineHook(label: "App"))] }
        )
        self.graphStore = graphStore
        self.observableStore = ObservableStore(store: graphStore.store)
        // was: subscription = observableStore.objectWillChange
        //     .receive(on: DispatchQueue.main)
        //     .sink { [weak self] _ in self?.objectWillChange.send() }
    }
}

/// The README has two views of this name.
private enum EnvironmentPattern {
    struct ContentView: View {
        @StateObject private var environment = AppEnvironment()

        var body: some View {
            Text("Online: \(environment.observableStore.state.onlineUsers.count)")
        }

        /// The same one, for a test to look at.
        var shown: AppEnvironment { environment }
    }
}

private class ViewController: UIViewController {
    private let store: Store<AppReducer>

    init() {
        self.store = Store(
            initialState: AppState(),
            reducer: AppReducer(),
            pipelineHooks: { [AnyPipelineHook(LoggingPipelineHook())] }
        )
        super.init(nibName: nil, bundle: nil)

        store.subscribe { [weak self] _ in
            Task { @MainActor in self?.updateUI() }
        }
    }

    private func updateUI() {
        Task {
            let state = store.state  // was: await store.state
            await MainActor.run {
                label.text = "Count: \(state.count)"
            }
        }
    }

    func increment() { store.dispatch(.increment) }  // was: @objc private func
}

private struct Unread {
    var unreadCount = DerivedState<AppState, Int> { state in
        state.messages.filter { !$0.isRead }.count
    }
}

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct SwiftRexGraphTests {
    private func graphStore() -> GraphStore<AppReducer> {
        let graphStore = GraphStore(
            initialState: AppState(),
            reducer: AppReducer(),
            embedGraphAction: { .graph($0) },
            pipelineHooks: {
                [AnyPipelineHook(LoggingPipelineHook(label: "ChatApp"))]
            }
        )
        return graphStore
    }

    @Test func `the graph store moves, and ends effects`() async {
        let graphStore = graphStore()
        graphStore.push("second")  // activePath: root → second
        #expect(graphStore.state.graph.activePath == ["root", "second"])
        graphStore.dispatch(.startTicking)
        #expect(await graphStore.store.effects.count == 1)
        graphStore.pop()  // back to root, cancels second's effects
        #expect(await graphStore.store.effects.isEmpty)
        graphStore.popToRoot()
        #expect(graphStore.state.graph.activePath == ["root"])
    }

    @Test func `views read where the user is`() {
        let graphStore = graphStore()
        let view = PageView(store: ObservableStore(store: graphStore.store))
        #expect(Rendering(view).texts == ["Graph: root"])
        view.store.send(.graph(.push("second")))
        #expect(Rendering(view).texts == ["Graph: root → second", "second page"])
    }

    @Test func `a child speaks to its parent by delegate actions`() {
        let graphStore = graphStore()
        let store = ObservableStore(store: graphStore.store)
        graphStore.push("second")
        store.send(.delegate(.messageToChat("Hello from second page!")))
        #expect(store.state.messages.map(\.text) == ["Hello from second page!"])
        store.send(.delegate(.dismiss))
        #expect(store.state.graph.activePath == ["root"])
    }

    @Test func `values are derived`() {
        let state = AppState(messages: [Message(), Message(isRead: true)], onlineUsers: ["a"])
        let unreadCount = Unread().unreadCount
        // In reducer or view
        let count = unreadCount.value(from: state)
        #expect(count == 1)

        let store = Store(initialState: state, reducer: AppReducer())
        let onlineCount = derive(from: store.state) { $0.onlineUsers.count }
        #expect(onlineCount == 1)
    }

    @Test func `a view shows the store and sends to it`() {
        let store = ObservableStore(
            store: Store(initialState: AppState(), reducer: AppReducer()))
        let view = ContentView(store: store)
        #expect(Rendering(view).texts == ["Count: 0"])
        Rendering(view).taps["+1"]?()
        #expect(Rendering(view).texts == ["Count: 1"])

        let field = TextField("Name", text: store.binding(\.name, send: AppAction.setName))
        Rendering(field).fields["Name"]?.wrappedValue = "Ada"
        #expect(store.state.name == "Ada")
        #expect(Rendering(field).fields["Name"]?.wrappedValue == "Ada")
    }

    @Test func `an environment of two stores is told as one`() async {
        let view = EnvironmentPattern.ContentView()
        let environment = view.shown
        let changes = Notebook()
        withObservationTracking {
            #expect(Rendering(view).texts == ["Online: 0"])
        } onChange: {
            changes.write("changed")
        }
        environment.graphStore.push("second")
        while changes.lines.isEmpty { await Task.yield() }
        while environment.observableStore.state.graph.activePath.count < 2 { await Task.yield() }
        #expect(environment.observableStore.state.graph.activePath == ["root", "second"])
    }

    @Test func `a view controller subscribes`() async {
        let controller = ViewController()
        controller.increment()
        while controller.label.text != "Count: 1" { await Task.yield() }
    }
}
