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

    /// What an effect says, said by the test: so nothing waits for a task to have its turn.
    private func say(
        _ signal: EffectSignal<TallyAction>, by number: UInt64,
        to core: StoreCore<TallyReducer>
    ) {
        core.receive(EffectEvent(number: number, signal: signal))
    }

    private func waiting(_ id: EffectID?) -> Effect<TallyAction> {
        Effect(id: id) { [clock] _ in try await clock.sleep(for: .seconds(1)) }
    }

    @Test func `an effect whose last act is to do itself again does not pile up`() {
        for id in [nil, "poll"] as [EffectID?] {
            let core = core()
            core.dispatch(.run(waiting("poll")))
            for _ in 1...1_000 {
                let number = core.lastNumber
                say(.effect(waiting(id)), by: number, to: core)
                say(.ended, by: number, to: core)
                #expect(core.table.count <= 2)
            }
            #expect(core.runningEffects.first?.emitted ?? 0 >= 1)
            say(.ended, by: core.lastNumber, to: core)
            #expect(core.runningEffects.isEmpty)
        }
    }

    @Test func `a long row of effects within one another ends, each way`() {
        for way in 1...3 {
            var owner: StoreCore<TallyReducer>? = core()
            guard let core = owner else { return }
            core.dispatch(.run(waiting("first")))
            for number in 1...20_000 {
                say(.effect(waiting(EffectID("n\(number)"))), by: core.lastNumber, to: core)
            }
            #expect(core.table.count == 20_001)
            switch way {
            case 1: for number in 1...core.lastNumber { say(.ended, by: number, to: core) }
            case 2: #expect(core.cancelEffect(id: "first") == 1)
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
