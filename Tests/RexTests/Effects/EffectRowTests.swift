import RexTesting
import Testing

@testable import Rex

/// Effects that go on in others: long rows, and what takes another's place.
@Suite(.timeLimit(.minutes(1)))
struct EffectRowTests {
    let inbox = Inbox<TallyAction>()
    let clock = TestClock()

    func core() -> StoreCore<TallyReducer> {
        StoreCore(
            initialState: Tally(), reducer: TallyReducer(), clock: clock, inbox: inbox.post)
    }

    @Test func `an effect whose last act is to do itself again does not pile up`() async {
        let core = core()
        @Sendable func poll(_ left: Int) -> Effect<TallyAction> {
            Effect(id: left % 2 == 0 ? "poll" : nil) { emitter in
                emitter.send(.nothing)
                if left > 0 { emitter.run(poll(left - 1)) }
            }
        }
        core.dispatch(.run(poll(5_000)))
        var most = 0
        await inbox.serve(core) {
            most = max(most, core.table.count)
            return core.runningEffects.isEmpty
        }
        #expect(core.revision == 5_002)
        #expect(most <= 4)
    }

    @Test func `a long row of effects within one another ends, each way`() async {
        for way in 1...3 {
            var owner: StoreCore<TallyReducer>? = core()
            guard let core = owner else { return }
            let length = 20_000
            let (gate, open) = AsyncStream.makeStream(of: Void.self)
            @Sendable func nested(_ left: Int) -> Effect<TallyAction> {
                Effect(id: EffectID("n\(left)")) { emitter in
                    if left > 0 { return emitter.run(nested(left - 1)) }
                    for await _ in gate {}
                }
            }
            core.dispatch(.run(nested(length)))
            await inbox.serve(core) { core.table.count == length + 1 }
            switch way {
            case 1:
                open.finish()
                await inbox.serve(core) { core.runningEffects.isEmpty }
            case 2: #expect(core.cancelEffect(id: EffectID("n\(length)")) == 1)
            default: owner = nil
            }
            if way < 3 { #expect(core.runningEffects.isEmpty) }
        }
    }

    @Test func `a long-lived effect that takes the place of a failed one has its names`() async {
        let core = core()
        let broken = Effect<TallyAction>.run(id: "feed") { _ in
            throw Refusal("broken")
        } catch: { _ in
            .interval(.add(1), period: .seconds(1))
        }
        for id in ["feed", "all"] as [EffectID] {
            core.dispatch(.run(.sequence(broken, .send(.add(5))).cancellable(id: "all")))
            await inbox.serve(core) { core.runningEffects.allSatisfy(\.isLongLived) }
            // Nobody waits for its end: what comes behind it goes on.
            #expect(core.state.log.last == 5)
            #expect(core.cancelEffect(id: id) >= 1)
            #expect(core.runningEffects.isEmpty)
        }
    }
}
