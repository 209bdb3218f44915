import Rex
import RexTesting
import Testing

private struct Screens: Statable, GraphStateContainer {
    var graph = StateGraph()
    var ticks = 0
}

private enum ScreenAction: Actionable {
    case graph(GraphAction)
    case start(GraphNodeID)
    case mount(GraphNodeID)
    case startAndPop
    case tick
}

private struct ScreensReducer: Reducer {
    private let navigation = GraphNavigationReducer<Screens>()

    func reduce(state: inout Screens, action: ScreenAction) throws -> [Effect<ScreenAction>] {
        switch action {
        case .graph(let action): return navigation.map(state: &state, action: action)
        case .start(let node): return [ticks(in: node)]
        case .mount(let node): try state.graph.mount(node, dependency: "ticks")
        case .startAndPop:
            let node = state.graph.activeNodeID
            state.graph.pop()
            return [.combine(ticks(in: node), .delayed(.tick, delay: 1).scoped(to: node))]
        case .tick: state.ticks += 1
        }
        return []
    }

    private func ticks(in node: GraphNodeID) -> Effect<ScreenAction> {
        .interval(.tick, id: EffectID("ticks of \(node)"), period: .seconds(1)).scoped(to: node)
    }
}

extension GraphNavigationReducer {
    fileprivate func map(state: inout State, action: GraphAction) -> [Effect<ScreenAction>] {
        reduce(state: &state, action: action).map { $0.map { .graph($0) } }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct GraphStoreTests {
    let clock = TestClock()

    private func store(
        timeTravel: TimeTravelPipelineHook<Screens, ScreenAction>? = nil
    ) -> GraphStore<ScreensReducer> {
        GraphStore(
            initialState: Screens(), reducer: ScreensReducer(), embedGraphAction: { .graph($0) },
            timeTravel: timeTravel, clock: clock)
    }

    private func scopes(of store: GraphStore<ScreensReducer>) async -> [EffectScope] {
        await store.store.effects.map(\.scope)
    }

    @Test func `it moves`() {
        let store = store()
        store.push("a")
        store.push("b")
        store.push("c")
        #expect(store.graph.activePath == ["root", "a", "b", "c"])
        store.pop()
        #expect(store.state.graph.activePath == ["root", "a", "b"])
        store.popTo("a")
        #expect(store.graph.activePath == ["root", "a"])
        store.popTo("nowhere")
        #expect(store.graph.activePath == ["root", "a"])
        store.push("b")
        store.popToRoot()
        #expect(store.graph.activePath == ["root"])
    }

    @Test func `a node that goes takes its effects with it, and exactly its own`() async {
        let store = store()
        for node: GraphNodeID in ["room", "room:1", "roomy"] {
            store.push(node)
            store.dispatch(.start(node))
        }
        #expect(await scopes(of: store).count == 3)
        store.pop()
        #expect(await scopes(of: store) == [.node("room"), .node("room:1")])
        store.push("other")
        store.push("room:1")
        #expect(await scopes(of: store) == [.node("room"), .node("room:1")])
        store.popTo("room")
        #expect(await scopes(of: store) == [.node("room")])
        store.popToRoot()
        #expect(await store.store.effects.isEmpty)
        #expect(clock.sleepers == 0)
    }

    @Test func `what depends on a node that goes ends too`() async {
        let store = store()
        store.push("room")
        store.dispatch(.mount("people"))
        store.dispatch(.start("people"))
        #expect(await scopes(of: store) == [.node("people")])
        store.pop()
        #expect(await store.store.effects.isEmpty)
    }

    @Test func `an effect for a node that is not there does not stay`() async {
        let store = store()
        store.dispatch(.start("nowhere"))
        #expect(await store.store.effects.isEmpty)
        store.push("room")
        store.dispatch(.startAndPop)
        #expect(await store.store.effects.isEmpty)
        #expect(store.state.ticks == 0)
    }

    @Test func `a node that goes and comes back in one action keeps its effects`() async {
        let store = store()
        store.push("room")
        store.dispatch(.start("room"))
        store.push("room")
        #expect(await scopes(of: store) == [.node("room")])
    }

    @Test func `travel ends no effect`() async {
        let store = store(timeTravel: TimeTravelPipelineHook())
        store.push("room")
        store.dispatch(.start("room"))
        await store.store.undoTimeTravel()
        await store.store.undoTimeTravel()
        #expect(store.graph.activePath == ["root"])
        #expect(await scopes(of: store) == [.node("room")])
    }

    @Test func `as a reducer of its own it refuses what cannot be`() async {
        let store = Store(initialState: Screens(), reducer: GraphNavigationReducer<Screens>())
        await #expect(throws: Refusal.self) { try await store.send(.popTo("nowhere")) }
        #expect(await store.revision == 0)
    }

    @Test func `another hook that aborts the effects keeps none of a node that has gone`() async {
        let aborting = AnyPipelineHook<Screens, ScreenAction> { phase, _ in
            if case .willRunEffects(.graph, _) = phase { .abort } else { .continue }
        }
        let store = GraphStore(
            initialState: Screens(), reducer: ScreensReducer(), embedGraphAction: { .graph($0) },
            pipelineHooks: { [aborting] }, clock: clock)
        store.push("room")
        store.dispatch(.start("room"))
        #expect(await scopes(of: store) == [.node("room")])
        store.pop()
        #expect(await scopes(of: store) == [])
    }
}
