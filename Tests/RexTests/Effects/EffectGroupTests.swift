import Rex
import RexTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct EffectGroupTests {
    let inbox = Inbox<TallyAction>()
    let clock = TestClock()

    func core() -> StoreCore<TallyReducer> {
        StoreCore(
            initialState: Tally(), reducer: TallyReducer(), clock: clock, inbox: inbox.post)
    }

    @Test func `with nothing to wait for it ends at once`() {
        let core = core()
        let group = EffectGroup()
        core.dispatch(.run(.many(.add(1), .run(.send(.add(2))))), group: group)
        var ends = 0
        group.onEnd = { ends += 1 }
        #expect(ends == 1)
        #expect(core.state.log == [1, 2])
    }

    @Test func `it waits for effects, and for those of the actions that they dispatch`() async {
        let core = core()
        let group = EffectGroup()
        let inner = Effect<TallyAction>.delayed(.add(2), delay: 1)
        core.dispatch(.run(Effect { $0.send(.run(inner)) }), group: group)
        var log: [Int]?
        group.onEnd = { log = core.state.log }
        await inbox.serve(core) { core.revision == 2 }
        #expect(log == nil)
        clock.advance(by: .seconds(1))
        await inbox.serve(core) { log != nil }
        #expect(log == [2])
        #expect(group.isEnded)
    }

    @Test func `it does not wait for timers, intervals and streams`() {
        let core = core()
        let group = EffectGroup()
        core.dispatch(
            .run(
                .merge(
                    .interval(.add(1), period: .seconds(1)),
                    .timer(.add(1), dueTime: .zero, period: .seconds(1)),
                    .stream { AsyncStream { _ in } })),
            group: group)
        #expect(group.isEnded)
        #expect(core.runningEffects.count == 3)
        core.cancelAllEffects()
    }

    @Test func `a cancelled effect has ended`() {
        let core = core()
        let group = EffectGroup()
        core.dispatch(.run(.sequence(.delayed(.add(1), delay: 1), .send(.add(2)))), group: group)
        var ends = 0
        group.onEnd = { ends += 1 }
        #expect(ends == 0)
        core.cancelAllEffects()
        #expect(ends == 1)
        #expect(group.pending == 0)
    }

    @Test func `a refused action leaves nothing to wait for`() {
        let core = core()
        let group = EffectGroup()
        core.dispatch(.refuse, group: group)
        #expect(group.isEnded)
    }

    @Test func `it waits for a dispatch that queued`() {
        let core = core()
        let group = EffectGroup()
        core.onCommit = { [unowned core] commit in
            if commit.revision == 1 {
                core.dispatch(.add(2), group: group)
                #expect(!group.isEnded)
            }
        }
        core.dispatch(.add(1))
        #expect(group.isEnded)
    }
}
