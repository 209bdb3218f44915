import Rex
import RexTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct EffectCompositionTests {
    let inbox = Inbox<TallyAction>()
    let clock = TestClock()

    func core() -> StoreCore<TallyReducer> {
        StoreCore(
            initialState: Tally(), reducer: TallyReducer(), clock: clock, inbox: inbox.post)
    }

    func wait(_ seconds: Int, _ number: Int, id: EffectID? = nil) -> Effect<TallyAction> {
        .delayed(.add(number), delay: .seconds(seconds), id: id)
    }

    @Test func `a sequence is one effect and goes step by step`() async {
        let core = core()
        core.dispatch(.run(.sequence(wait(2, 1), .send(.add(2)), wait(1, 3), .send(.add(4)))))
        #expect(core.runningEffects.map(\.id) == ["#1"])
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        await inbox.serve(core) { core.state.log.count == 2 }
        await clock.waitForSleepers(1)
        #expect(core.state.log == [1, 2])
        #expect(core.runningEffects.map(\.id) == ["#1"])
        clock.advance(by: .seconds(1))
        await inbox.serve(core) { core.runningEffects.isEmpty }
        #expect(core.state.log == [1, 2, 3, 4])
    }

    @Test func `cancelling a sequence drops the steps behind`() async {
        let core = core()
        core.dispatch(.run(.sequence(wait(1, 1), .send(.add(2))).cancellable(id: "s")))
        #expect(core.runningEffects.map(\.id) == ["s"])
        await clock.waitForSleepers(1)
        #expect(core.cancelEffect(id: "s") == 1)
        #expect(core.state.log.isEmpty)
        #expect(clock.sleepers == 0)
    }

    @Test func `a step that is cancelled by its own id counts as ended`() {
        let core = core()
        core.dispatch(.run(.sequence(wait(1, 1, id: "step"), .send(.add(2)))))
        #expect(core.runningEffects.map(\.id) == ["#1", "step"])
        #expect(core.cancelEffect(id: "step") == 1)
        #expect(core.state.log == [2])
        #expect(core.runningEffects.isEmpty)
    }

    @Test func `a step that fails without catch ends the sequence, with catch it goes on`() async {
        let core = core()
        var faults = 0
        core.onFault = { _ in faults += 1 }
        let failing = Effect<TallyAction>.run { _ in throw Refusal("x") }
        core.dispatch(.run(.sequence(.sequence(failing, .send(.add(1))), .send(.add(2)))))
        await inbox.serve(core) { core.runningEffects.isEmpty }
        #expect(core.state.log.isEmpty)
        #expect(faults == 1)
        let caught = Effect<TallyAction>.run {
            _ in
            throw Refusal("x")
        } catch: {
            _ in
            Effect { $0.send(.add(3)) }
        }
        core.dispatch(.run(.sequence(caught, .send(.add(4)))))
        await inbox.serve(core) { core.runningEffects.isEmpty }
        #expect(core.state.log == [3, 4])
    }

    @Test func `merged effects are each their own; under one name they are one`() async {
        let core = core()
        core.dispatch(.run(.merge(wait(1, 1), wait(1, 2), .send(.add(3)))))
        #expect(core.state.log == [3])
        #expect(core.runningEffects.map(\.id) == ["#1", "#2"])
        core.cancelAllEffects()
        core.dispatch(.run(.concurrent(wait(1, 1), wait(2, 2)).cancellable(id: "both")))
        #expect(core.runningEffects.map(\.id) == ["both"])
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        await inbox.serve(core) { core.state.log == [3, 1] }
        #expect(core.runningEffects.map(\.emitted) == [1])
        #expect(core.cancelEffect(id: "both") == 1)
        #expect(clock.sleepers == 0)
        #expect(core.runningEffects.isEmpty)
    }

    @Test func `an effect with two names answers to both`() {
        let core = core()
        for name: EffectID in ["inner", "outer"] {
            core.dispatch(.run(wait(1, 1, id: "inner").cancellable(id: "outer")))
            #expect(core.runningEffects.map(\.id) == ["outer", "inner"])
            #expect(core.cancelEffect(id: name) == 1)
            #expect(core.runningEffects.isEmpty)
        }
    }

    @Test func `a step may cancel the sequence it is in`() {
        let core = core()
        core.dispatch(
            .run(
                .sequence(wait(1, 1, id: "step"), .cancel("me"), .send(.add(2)))
                    .cancellable(id: "me")))
        core.cancelEffect(id: "step")
        #expect(core.state.log.isEmpty)
        #expect(core.runningEffects.isEmpty)
    }

    @Test func `of several at once, those behind a cancel of them all do not start`() {
        let core = core()
        core.dispatch(.run(.merge(wait(1, 1), .cancel("me"), wait(1, 2)).cancellable(id: "me")))
        #expect(core.runningEffects.isEmpty)
    }

    @Test func `scopes reach the parts, and the innermost holds`() {
        let core = core()
        let parts = Effect<TallyAction>.sequence(wait(1, 1), wait(1, 2).scoped(to: .node("n")))
        core.dispatch(.run(parts.scoped(to: .client("c1"))))
        #expect(core.runningEffects.map(\.scope) == [.client("c1")])
        #expect(core.endScope(.client("c1")) == 1)
        #expect(core.runningEffects.isEmpty)
        core.dispatch(.run(wait(1, 1).scoped(to: .node("a")).scoped(to: .node("b"))))
        #expect(core.runningEffects.map(\.scope) == [.node("a")])
    }

    @Test func `map carries everything over, ids and errors included`() async {
        let core = core()
        let child: Effect<Int> = .sequence(
            .many(1, 2),
            .run(id: "r") {
                $0.send(3)
                $0.run(.many(4, 5))
                throw Refusal("x")
            } catch: { _ in
                .delayed(6, delay: 1, id: "late")
            })
        core.dispatch(.run(child.map { .add($0) }))
        await inbox.serve(core) { core.state.log == [1, 2, 3, 4, 5] }
        await inbox.serve(core) { core.runningEffects.map(\.id).contains("late") }
        clock.advance(by: .seconds(1))
        await inbox.serve(core) { core.runningEffects.isEmpty }
        #expect(core.state.log == [1, 2, 3, 4, 5, 6])
    }

    @Test func `an effect has not ended before what it had the store run`() async {
        let core = core()
        core.dispatch(.run(Effect(id: "e") { $0.run(.delayed(.add(1), delay: 1)) }))
        var polls = 0
        await inbox.serve(core) {
            polls += 1
            return polls == 3
        }
        #expect(core.runningEffects.map(\.id) == ["e"])
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        await inbox.serve(core) { core.runningEffects.isEmpty }
        #expect(core.state.log == [1])
    }
}
