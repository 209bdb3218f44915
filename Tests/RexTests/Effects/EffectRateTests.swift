import Rex
import RexTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct EffectRateTests {
    let inbox = Inbox<TallyAction>()
    let clock = TestClock()

    func core() -> StoreCore<TallyReducer> {
        StoreCore(
            initialState: Tally(), reducer: TallyReducer(), clock: clock, inbox: inbox.post)
    }

    @Test func `what repeats so many times ends by itself`() async {
        let core = core()
        let group = EffectGroup()
        core.dispatch(
            .run(.repeating(.send(.add(1)), interval: .seconds(1), count: 3)), group: group)
        #expect(core.state.log == [1])
        for count in 2...3 {
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(1))
            await inbox.serve(core) { core.state.log.count == count }
        }
        #expect(core.runningEffects.isEmpty)
        #expect(group.isEnded)
    }

    @Test func `what repeats for ever waits until it has ended, and stops when cancelled`() async {
        let store = Store(initialState: Tally(), reducer: TallyReducer(), clock: clock)
        let once = Effect<TallyAction>.delayed(.add(1), delay: .seconds(2))
        let states = store.states
        store.dispatch(.run(.repeating(once, interval: 1.0).cancellable(id: "r")))
        #expect(await store.effects.map(\.id) == ["r"])
        for count in 1...3 {
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(2))
            for await state in states where state.log.count == count { break }
            await clock.waitForSleepers(1)
            clock.advance(by: .milliseconds(999))
            #expect(clock.sleepers == 1)
            clock.advance(by: .milliseconds(1))
        }
        await clock.waitForSleepers(1)
        store.cancelEffect(id: "r")
        #expect(clock.sleepers == 0)
        clock.advance(by: .seconds(99))
        #expect(await store.effects.isEmpty)
        #expect(store.state.log.count == 3)
        #expect(Effect<TallyAction>.repeating(once, interval: 1.0).isLongLived)
    }

    @Test func `a time that fails ends the repeating`() async {
        let core = core()
        var faults = 0
        core.onFault = { _ in faults += 1 }
        core.dispatch(.run(.repeating(Effect { _ in throw Refusal("x") }, interval: .seconds(1))))
        await inbox.serve(core) { core.runningEffects.isEmpty }
        #expect(faults == 1)
        #expect(clock.sleepers == 0)
    }

    @Test func `debounce does the last of them, once it is quiet`() async {
        let core = core()
        for number in 1...3 {
            core.dispatch(.run(.send(.add(number)).debounce(id: "d", for: .seconds(1))))
            await clock.waitForSleepers(1)
            clock.advance(by: .milliseconds(900))
        }
        #expect(core.state.log == [])
        #expect(core.runningEffects.map(\.id) == ["d"])
        clock.advance(by: .milliseconds(100))
        await inbox.serve(core) { core.runningEffects.isEmpty }
        #expect(core.state.log == [3])
    }

    @Test func `throttle does the first at once and the latest at the end`() async {
        let core = core()
        for number in 1...3 {
            core.dispatch(.run(.send(.add(number)).throttle(id: "t", for: .seconds(1))))
        }
        #expect(core.state.log == [1])
        #expect(core.runningEffects.map(\.id) == ["t"])
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        await inbox.serve(core) { core.state.log == [1, 3] }
        core.dispatch(.run(.send(.add(4)).throttle(id: "t", for: .seconds(1))))
        #expect(core.state.log == [1, 3], "the time began again")
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        await inbox.serve(core) { core.state.log == [1, 3, 4] }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        await inbox.serve(core) { core.runningEffects.isEmpty }
        core.dispatch(.run(.send(.add(5)).throttle(id: "t", for: .seconds(1))))
        #expect(core.state.log == [1, 3, 4, 5])
        #expect(core.cancelEffect(id: "t") == 1)
        #expect(clock.sleepers == 0)
    }

    @Test func `throttle without the latest drops what comes meanwhile`() async {
        let core = core()
        for number in 1...3 {
            core.dispatch(
                .run(.send(.add(number)).throttle(id: "t", for: .seconds(1), latest: false)))
        }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        await inbox.serve(core) { core.runningEffects.isEmpty }
        #expect(core.state.log == [1])
    }

    @Test func `conditional and fromSequence`() async {
        let core = core()
        core.dispatch(.run(.conditional({ true }, action: .add(1))))
        core.dispatch(.run(.conditional({ false }, action: .add(2))))
        core.dispatch(.run(.conditional({ false }, then: .none, else: .send(.add(3)))))
        await inbox.serve(core) { core.runningEffects.isEmpty }
        #expect(core.state.log.sorted() == [1, 3])
        let words = AsyncStream { continuation in
            for word in ["1", "two", "30"] { continuation.yield(word) }
            continuation.finish()
        }
        core.dispatch(.run(.fromSequence(words, map: { Int($0).map { .add($0) } })))
        await inbox.serve(core) { core.runningEffects.isEmpty }
        #expect(core.state.log.suffix(2) == [1, 30])
    }

    @Test func `combined effects are one, a sequence of actions is many`() async {
        let core = core()
        core.dispatch(
            .run(.combine(.delayed(.add(1), delay: 1.0), .delayed(.add(2), delay: 2.0))))
        #expect(core.runningEffects.map(\.id) == ["#1"])
        #expect(core.cancelEffect(id: "#1") == 1)
        #expect(clock.sleepers == 0)
        core.dispatch(.run(.sequence(.add(1), .add(2))))
        #expect(core.state.log == [1, 2])
    }

    @Test func `a scope is ended by an effect, and only that scope`() {
        let core = core()
        for node in ["room", "room:1"] {
            core.dispatch(.run(.delayed(.add(1), delay: 1.0).scoped(to: .node(node))))
        }
        core.dispatch(.run(.endScope(.node("room"))))
        #expect(core.runningEffects.map(\.scope) == [.node("room:1")])
        core.cancelAllEffects()
    }

    @Test func `map keeps what happens when`() async {
        let core = core()
        let child: Effect<Int> = .combine(
            .repeating(.send(1), interval: .seconds(1), count: 2),
            .retryWithErrorAction(
                Effect { _ in throw Refusal("x") }, maxAttempts: 1, errorAction: { _ in 100 }),
            .send(10).throttle(id: "t", for: .seconds(1)), .endScope(.node("n")))
        core.dispatch(.run(child.map { .add($0) }))
        await inbox.serve(core) { core.state.total == 111 }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        await inbox.serve(core) { core.runningEffects.isEmpty }
        #expect(core.state.total == 112)
    }
}
