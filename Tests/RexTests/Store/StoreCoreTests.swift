import Rex
import Testing

struct StoreCoreTests {
    let inbox = Inbox<TallyAction>()

    func core(_ hooks: [AnyPipelineHook<Tally, TallyAction>] = []) -> StoreCore<TallyReducer> {
        StoreCore(
            initialState: Tally(), reducer: TallyReducer(), hooks: hooks, inbox: inbox.post)
    }

    @Test func `each action takes one revision, also one that changes nothing`() {
        let core = core()
        #expect(core.dispatch(.add(1)).revision == 1)
        #expect(core.dispatch(.nothing).revision == 2)
        #expect(core.state.total == 1)
        #expect(core.revision == 2)
    }

    @Test func `a refused action changes nothing and takes no revision`() {
        let core = core()
        var commits = 0
        core.onCommit = { _ in commits += 1 }
        guard case .refused(let error) = core.dispatch(.refuse) else {
            Issue.record("not refused")
            return
        }
        #expect("\(error)" == "no")
        #expect(core.state == Tally())
        #expect(core.revision == 0)
        #expect(commits == 0)
    }

    @Test func `a dispatch from inside queues behind`() {
        let core = core()
        var seen: [String] = []
        core.onCommit = { [unowned core] commit in
            seen.append("\(commit.revision):\(commit.state.log)")
            if commit.revision == 1 {
                guard case .queued = core.dispatch(.add(2)) else {
                    Issue.record("not queued")
                    return
                }
                seen.append("still \(core.state.log)")
            }
        }
        #expect(core.dispatch(.add(1)).revision == 1)
        #expect(seen == ["1:[1]", "still [1]", "2:[1, 2]"])
    }

    @Test func `sends come in order, behind the action, before dispatch returns`() {
        let core = core()
        core.dispatch(.run(.many(.add(1), .run(.send(.add(3))), .add(2))))
        #expect(core.state.log == [1, 2, 3])
        #expect(core.revision == 5)
        #expect(core.runningEffects.isEmpty)
    }

    @Test func `only a change is committed where that is asked`() {
        let core = core()
        guard case .unchanged = core.dispatch(.nothing, ifItChanges: true) else {
            Issue.record("committed")
            return
        }
        #expect(core.revision == 0)
        #expect(core.dispatch(.add(1), ifItChanges: true).revision == 1)
    }

    @Test func `a dry run leaves no trace`() {
        let core = core()
        var commits = 0
        core.onCommit = { _ in commits += 1 }
        #expect(throws: Never.self) { try #require(core.dryRun(.add(4)).get().total == 4) }
        #expect(throws: Refusal("no")) { try core.dryRun(.refuse).get() }
        #expect(core.state.total == 0)
        #expect(core.revision == 0)
        #expect(commits == 0)
    }

    @Test func `a travel is one commit without an action`() {
        let core = core()
        core.dispatch(.add(1))
        var travels: [Travel?] = []
        core.onCommit = { travels.append($0.action == nil ? $0.travel : nil) }
        #expect(core.travel(to: Tally(), as: Travel(op: .undo, to: 0)) == 2)
        #expect(core.state == Tally())
        #expect(travels == [Travel(op: .undo, to: 0)])
    }

    @Test func `an action that sends itself for ever is stopped`() {
        struct Echo: Reducer {
            func reduce(state: inout Tally, action: TallyAction) -> [Effect<TallyAction>] {
                state.total += 1
                return [.send(action)]
            }
        }
        var limits = StoreLimits()
        limits.chainedActions = 10
        let core = StoreCore(
            initialState: Tally(), reducer: Echo(), limits: limits, inbox: { _ in })
        var faults: [String] = []
        core.onFault = { faults.append("\($0)") }
        core.dispatch(.nothing)
        #expect(core.state.total == 11)
        #expect(faults.count == 1)
    }
}
