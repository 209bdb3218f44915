import Rex
import Testing

struct StoreTimeTravelTests {
    func store(
        cap: Int = Timeline.defaultLimit, hooks: [AnyPipelineHook<Tally, TallyAction>] = []
    ) -> Store<TallyReducer> {
        Store(
            initialState: Tally(), reducer: TallyReducer(), pipelineHooks: { hooks },
            timeTravel: TimeTravelPipelineHook(cap: cap))
    }

    @Test func `undo reaches the initial state and redo comes back`() async {
        let store = store()
        for number in 1...3 { store.dispatch(.add(number)) }
        #expect(await store.undoTimeTravel() == 4)
        #expect(store.state.log == [1, 2])
        await store.undoTimeTravel()
        await store.undoTimeTravel()
        #expect(store.state == Tally())
        #expect(await store.undoTimeTravel() == nil)
        #expect(await store.redoTimeTravel() == 7)
        #expect(store.state.log == [1])
        store.dispatch(.add(9))
        #expect(await store.redoTimeTravel() == nil)
        #expect(store.state.log == [1, 9])
    }

    @Test func `a jump is a step that undo takes back`() async {
        let store = store()
        for number in 1...3 { store.dispatch(.add(number)) }
        #expect(await store.jump(to: 0) == 4)
        #expect(store.state == Tally())
        #expect(await store.undoTimeTravel() == 5)
        #expect(store.state.log == [1, 2, 3])
        #expect(await store.jump(to: 99) == nil)
        #expect(await store.jump(to: 4) == 6)
        #expect(store.state == Tally())
        #expect(store.history.map(\.revision) == Array(0...6))
        #expect(store.history.last?.travel == Travel(op: .jump, to: 4))
    }

    @Test func `what a hook aborted or the reducer refused is not in the history`() async {
        let aborting = AnyPipelineHook<Tally, TallyAction> { phase, _ in
            if case .didReduce(.add(13), _, _) = phase { .abort } else { .continue }
        }
        let store = store(hooks: [aborting])
        store.dispatch(.add(1))
        store.dispatch(.add(13))
        store.dispatch(.refuse)
        store.dispatch(.nothing)
        #expect(store.history.map(\.state.total) == [0, 1, 1])
        await store.undoTimeTravel()
        await store.undoTimeTravel()
        #expect(store.state == Tally())
    }

    @Test func `an abort of the effects does not keep a commit from the history`() async {
        let aborting = AnyPipelineHook<Tally, TallyAction> { phase, _ in
            if case .willRunEffects = phase { .abort } else { .continue }
        }
        let store = store(hooks: [aborting])
        store.dispatch(.add(1))
        #expect(store.history.map(\.state.total) == [0, 1])
    }

    @Test func `the history is bounded`() async {
        let store = store(cap: 10)
        for _ in 1...1_000 { store.dispatch(.add(1)) }
        #expect(store.history.count == 11)
        var steps = 0
        while await store.undoTimeTravel() != nil { steps += 1 }
        #expect(steps == 10)
        #expect(store.state.total == 990)
    }

    @Test func `travelling to and fro as often as one likes stays possible`() async {
        let store = store(cap: 4)
        for _ in 1...4 { store.dispatch(.add(1)) }
        for _ in 1...50 {
            #expect(await store.undoTimeTravel() != nil)
            #expect(store.state.total == 3)
            #expect(await store.redoTimeTravel() != nil)
            #expect(store.state.total == 4)
        }
        for _ in 1...4 { #expect(await store.undoTimeTravel() != nil) }
        #expect(store.state.total == 0)
    }

    @Test func `travel takes its turn between actions under way`() async {
        let store = store()
        await withTaskGroup { group in
            group.addTask { for _ in 1...500 { store.dispatch(.add(1)) } }
            group.addTask { for _ in 1...100 { await store.undoTimeTravel() } }
        }
        let revision = await store.revision
        #expect(revision == store.history.last?.revision)
        #expect(store.history.last?.state == store.state)
        for (before, after) in zip(store.history, store.history.dropFirst())
        where after.action != nil {
            #expect(after.state.total == before.state.total + 1)
        }
    }

    @Test func `without time travel there is none`() async {
        let store = Store(initialState: Tally(), reducer: TallyReducer())
        store.dispatch(.add(1))
        #expect(await store.undoTimeTravel() == nil)
        #expect(store.history.isEmpty)
    }

    @Test func `exactly so many steps are kept as the cap says, whenever one looks`() async {
        for cap in [1, 2, 7] {
            let store = store(cap: cap)
            for step in 1...40 {
                store.dispatch(.add(1))
                #expect(store.history.count == min(step, cap) + 1)
                #expect(store.history.first?.revision == max(step - cap, 0))
            }
            for gone in [Int.min, -1, 0, 39 - cap, 41, Int.max] {
                #expect(await store.jump(to: gone) == nil, "\(gone)")
            }
            #expect(await store.jump(to: 40 - cap) == 41)
            #expect(store.state.total == 40 - cap)
        }
    }

    @Test func `what can be undone to can be jumped to, however old it is`() async {
        let store = store(cap: 2)
        store.dispatch(.add(1))
        for _ in 1...20 {
            await store.undoTimeTravel()
            await store.redoTimeTravel()
        }
        #expect(await store.jump(to: 0) != nil)
        #expect(store.state.total == 0)
    }
}
