import Rex

private struct Counter: Statable {
    var count = 0
}

private enum CounterAction: Actionable {
    case increment
    case sendIncrement
    case add(Int)
}

private struct CounterReducer: Reducer {
    func reduce(state: inout Counter, action: CounterAction) -> [Effect<CounterAction>] {
        switch action {
        case .increment: state.count += 1
        case .add(let number): state.count += number
        case .sendIncrement: return [.send(.increment)]
        }
        return []
    }
}

private struct QuietHook: PipelineHook {
    func handle(
        phase: PipelinePhase<CounterAction, Counter>,
        context: PipelineContext<CounterAction, Counter>
    ) -> HookResult<CounterAction> { .continue }
}

/// Actions through one store in one process, from one thread.
func storeTable() async {
    let count = 1_000_000
    print("store: \(count) actions that add to an Int, one thread, median of 5")
    let hook: () -> [AnyPipelineHook<Counter, CounterAction>] = { [AnyPipelineHook(QuietHook())] }

    let core = StoreCore(initialState: Counter(), reducer: CounterReducer(), inbox: { _ in })
    await row("StoreCore", count: count, unit: "actions") {
        for _ in 0..<count { core.dispatch(.increment) }
    }
    var sum = 0
    core.onCommit = { sum &+= $0.state.count }
    await row("StoreCore, commits observed", count: count, unit: "actions") {
        for _ in 0..<count { core.dispatch(.increment) }
    }
    let hooked = StoreCore(
        initialState: Counter(), reducer: CounterReducer(), hooks: hook(), inbox: { _ in })
    await row("StoreCore, one hook", count: count, unit: "actions") {
        for _ in 0..<count { hooked.dispatch(.increment) }
    }
    await row("StoreCore, each with a .send", count: count, unit: "actions") {
        for _ in 0..<count / 2 { core.dispatch(.sendIncrement) }
    }

    let plain = Store(initialState: Counter(), reducer: CounterReducer())
    await row("Store", count: count, unit: "actions") {
        for _ in 0..<count { plain.dispatch(.increment) }
    }
    let one = Store(initialState: Counter(), reducer: CounterReducer(), pipelineHooks: hook)
    await row("Store, one hook", count: count, unit: "actions") {
        for _ in 0..<count { one.dispatch(.increment) }
    }
    let watched = Store(initialState: Counter(), reducer: CounterReducer())
    watched.subscribe { keep($0.count) }
    await row("Store, one subscriber", count: count, unit: "actions") {
        for _ in 0..<count { watched.dispatch(.increment) }
    }
    let shared = Store(initialState: Counter(), reducer: CounterReducer())
    await row("Store, four tasks at once", count: count, unit: "actions") {
        await withTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<count / 4 { shared.dispatch(.increment) }
                }
            }
        }
        _ = await shared.revision
    }
    keep(sum)
}
