import FoundationEssentials
import Rex

private struct Counter: Statable {
    var count = 0
}

private enum CounterAction: Actionable {
    case increment
    case sendIncrement
    case add(Int)
    case run(Effect<CounterAction>)
}

private struct CounterReducer: Reducer {
    func reduce(state: inout Counter, action: CounterAction) -> [Effect<CounterAction>] {
        switch action {
        case .increment: state.count += 1
        case .add(let number): state.count += number
        case .sendIncrement: return [.send(.increment)]
        case .run(let effect): return [effect]
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
    await effectRows()
    memoryRow()
}

/// Effects that start and are cancelled: each a task that sleeps.
private func effectRows() async {
    let count = 1_000_000
    let core = StoreCore(initialState: Counter(), reducer: CounterReducer(), inbox: { _ in })
    let wait = Effect<CounterAction>.delayed(.increment, delay: .seconds(3600), id: "wait")
    let before = residentBytes()
    let elapsed = ContinuousClock().measure {
        for _ in 0..<count {
            core.dispatch(.run(wait))
            core.cancelEffect(id: "wait")
        }
    }
    let left = core.runningEffects.count
    print(
        "  \(count) effects started and cancelled one by one: \(elapsed), \(left) left, "
            + growth(since: before))

    let many = 100_000
    let rounds = count / many
    let start = residentBytes()
    var peak = 0
    let inBulk = ContinuousClock().measure {
        for _ in 0..<rounds {
            for _ in 0..<many { core.dispatch(.run(wait)) }
            peak = max(peak, residentBytes())
            core.cancelEffect(id: "wait")
        }
    }
    print(
        "  \(count) effects, \(many) at once, cancelled together: \(inBulk), "
            + "\(core.runningEffects.count) left, \((peak - start) / many) bytes each, "
            + growth(since: start))
}

/// Memory over a long time with a history of a thousand entries.
private func memoryRow() {
    let count = 10_000_000
    let history = TimeTravelPipelineHook<Counter, CounterAction>(cap: 1_000)
    let store = Store(initialState: Counter(), reducer: CounterReducer(), timeTravel: history)
    for _ in 0..<count / 10 { store.dispatch(.increment) }
    let before = residentBytes()
    let elapsed = ContinuousClock().measure {
        for _ in 0..<count - count / 10 { store.dispatch(.increment) }
    }
    print(
        "  \(count) actions with a history of 1,000: \(elapsed), \(store.history.count) kept, "
            + growth(since: before))
}

private func growth(since before: Int) -> String {
    "memory \(before / 1024) KiB before, \(residentBytes() / 1024) KiB after"
}

/// What the process holds in memory, by Linux; 0 elsewhere.
private func residentBytes() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else {
        return 0
    }
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * 4096
}
