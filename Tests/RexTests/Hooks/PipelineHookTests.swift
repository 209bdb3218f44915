import Rex
import RexTesting
import Synchronization
import Testing

/// Lines that a hook wrote, for a test to read.
final class Notebook: Sendable {
    private let notes = Mutex<[String]>([])

    var lines: [String] { notes.withLock { $0 } }

    func write(_ line: String) {
        notes.withLock { $0.append(line) }
    }

    func clear() {
        notes.withLock { $0 = [] }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct PipelineHookTests {
    typealias Hook = AnyPipelineHook<Tally, TallyAction>

    let inbox = Inbox<TallyAction>()
    let clock = TestClock()
    let notes = Notebook()

    func core(_ hooks: Hook...) -> StoreCore<TallyReducer> {
        StoreCore(
            initialState: Tally(), reducer: TallyReducer(), hooks: hooks, label: "tally",
            clock: clock, inbox: inbox.post)
    }

    /// Writes every phase by its name.
    var observer: Hook {
        Hook { [notes] phase, context in
            let dry = context.isDryRun ? " dry" : ""
            switch phase {
            case .willReceive: notes.write("willReceive\(dry)")
            case .willReduce(_, let state): notes.write("willReduce \(state.total)\(dry)")
            case .didReduce(_, let before, let after):
                notes.write("didReduce \(before.total) \(after.total)\(dry)")
            case .willRunEffects(_, let effects): notes.write("willRunEffects \(effects.count)")
            case .didRunEffects: notes.write("didRunEffects")
            case .didComplete: notes.write("didComplete")
            }
            return .continue
        }
    }

    @Test func `six phases, the commit between the third and the fourth`() {
        let core = core(observer)
        core.onCommit = { [notes] _ in notes.write("commit") }
        core.dispatch(.add(2))
        #expect(
            notes.lines == [
                "willReceive", "willReduce 0", "didReduce 0 2", "commit", "willRunEffects 0",
                "didRunEffects", "didComplete",
            ])
    }

    @Test func `an abort of the effects keeps none from the end that the state is for them`() {
        let core = core(
            Hook { phase, _ in
                if case .willRunEffects(.run(let effect), _) = phase, "\(effect)".contains("end") {
                    .abort
                } else {
                    .continue
                }
            })
        let gone = EffectScope.node("gone")
        core.dispatch(.run(.delayed(.add(1), delay: 1).scoped(to: gone)))
        core.dispatch(.run(.delayed(.add(1), delay: 1, id: "stays")))
        core.dispatch(.run(.merge(.endScope(gone), .cancel("stays"), .send(.add(1)))))
        #expect(core.runningEffects.map(\.id) == ["stays"])
        #expect(core.state.log == [])
    }

    @Test func `didRunEffects comes when the effects have run, and nobody waits for it`() async {
        let core = core(observer)
        core.dispatch(
            .run(.merge(.delayed(.add(1), delay: 1), .interval(.add(5), period: .seconds(9)))))
        #expect(notes.lines.last == "willRunEffects 1")
        notes.clear()
        core.dispatch(.add(1))
        #expect(notes.lines.last == "didComplete")
        notes.clear()
        clock.advance(by: .seconds(1))
        await inbox.serve(core) { core.runningEffects.count == 1 }
        #expect(
            notes.lines == [
                "willReceive", "willReduce 1", "didReduce 1 2", "willRunEffects 0",
                "didRunEffects", "didComplete", "didRunEffects", "didComplete",
            ])
        core.cancelAllEffects()
    }

    @Test func `a hook may abort before the commit, and then nothing has happened`() {
        for phase in ["willReceive", "willReduce", "didReduce"] {
            let aborting = Hook { seen, _ in "\(seen)".hasPrefix(phase) ? .abort : .continue }
            let core = core(aborting, observer)
            core.onCommit = { _ in Issue.record("committed") }
            guard case .aborted = core.dispatch(.add(1)) else {
                Issue.record("not aborted")
                return
            }
            #expect(core.state == Tally())
            #expect(core.revision == 0)
            #expect(!notes.lines.contains { $0.hasPrefix(phase) || $0 == "didComplete" })
            notes.clear()
        }
    }

    @Test func `an abort at willRunEffects drops the effects of a commit that stands`() {
        let aborting = Hook { seen, _ in
            if case .willRunEffects = seen { .abort } else { .continue }
        }
        let core = core(aborting)
        core.dispatch(.run(.many(.add(1))))
        #expect(core.revision == 1)
        #expect(core.state == Tally())
    }

    @Test func `a transformed action is what the hooks behind and the reducer see`() {
        let doubling = Hook { phase, _ in
            if case .willReceive(.add(let number)) = phase { return .transform(.add(2 * number)) }
            return .continue
        }
        let plusOne = Hook { phase, _ in
            if case .willReduce(.add(let number), _) = phase { return .transform(.add(number + 1)) }
            return .continue
        }
        let core = core(doubling, plusOne)
        var committed: TallyAction?
        core.onCommit = { committed = $0.action }
        core.dispatch(.add(5))
        #expect(core.state.log == [11])
        #expect(committed == .add(11))
    }

    @Test func `appended effects run behind the reducer's own`() {
        let appending = Hook { phase, _ in
            switch phase {
            case .willReceive(.run): .appendEffects([.send(.add(2))])
            case .didReduce(.run, _, _): .appendEffects([.send(.add(3))])
            case .willRunEffects(.run, let effects) where effects.count == 3:
                .appendEffects([.send(.add(4))])
            case .didComplete(.run): .appendEffects([.send(.add(5))])
            default: .continue
            }
        }
        let core = core(appending)
        core.dispatch(.run(.send(.add(1))))
        #expect(core.state.log == [1, 2, 3, 4, 5])
    }

    @Test func `a refused action gets no phase behind the reducer`() {
        let core = core(observer)
        core.dispatch(.refuse)
        #expect(notes.lines == ["willReceive", "willReduce 0"])
    }

    @Test func `a dry run is seen to be one and starts nothing`() {
        let core = core(observer)
        guard case .success(let state) = core.dryRun(.run(.send(.add(1)))) else {
            Issue.record("refused")
            return
        }
        #expect(state == Tally())
        #expect(core.revision == 0)
        #expect(notes.lines == ["willReceive dry", "willReduce 0 dry", "didReduce 0 0 dry"])
        let aborting = self.core(Hook { _, _ in .abort })
        #expect(throws: ActionAborted.self) { try aborting.dryRun(.add(1)).get() }
    }

    @Test func `a hook knows the store, the revision and who asked`() {
        let core = core(
            Hook { [notes] phase, context in
                notes.write("\(context.label) \(context.revision) \(context.origin)")
                return .continue
            })
        core.dispatch(.add(1), from: .system)
        #expect(Set(notes.lines) == ["tally 1 system"])
    }

    @Test func `an unchanged action that must change gets no further phase`() {
        let core = core(observer)
        core.dispatch(.nothing, ifItChanges: true)
        #expect(notes.lines == ["willReceive", "willReduce 0", "didReduce 0 0"])
    }
}

struct LoggingPipelineHookTests {
    enum ChatAction: Actionable { case triggerUserJoin, joined }

    struct ChatReducer: Reducer {
        func reduce(state: inout Tally, action: ChatAction) -> [Effect<ChatAction>] {
            action == .triggerUserJoin ? [.publish(topic: "join", event: 1)] : []
        }
    }

    @Test func `the lines are those of Swift-Rex`() {
        let notes = Notebook()
        let store = Store(
            initialState: Tally(), reducer: ChatReducer(),
            pipelineHooks: {
                [AnyPipelineHook(LoggingPipelineHook(label: "ChatApp", output: notes.write))]
            })
        store.dispatch(.triggerUserJoin)
        #expect(
            notes.lines == [
                "[ChatApp] willReceive: triggerUserJoin", "[ChatApp] willReduce: triggerUserJoin",
                "[ChatApp] didReduce: triggerUserJoin",
                "[ChatApp] willRunEffects: triggerUserJoin (1 effects)",
                "[ChatApp] didComplete: triggerUserJoin",
            ])
    }

    @Test func `in full it also says the states and the end of the effects`() {
        let notes = Notebook()
        let store = Store(
            initialState: Tally(), reducer: ChatReducer(),
            pipelineHooks: {
                [AnyPipelineHook(LoggingPipelineHook(detail: .full, output: notes.write))]
            })
        store.dispatch(.joined)
        #expect(notes.lines.contains("[Rex] didRunEffects: joined"))
        #expect(notes.lines.contains { $0.hasPrefix("[Rex]   before: Tally(") })
        #expect(notes.lines.contains { $0.hasPrefix("[Rex]   after:  Tally(") })
    }
}
