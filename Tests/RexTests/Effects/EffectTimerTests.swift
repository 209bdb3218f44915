import Rex
import RexTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct EffectTimerTests {
    let inbox = Inbox<TallyAction>()
    let clock = TestClock()

    func core() -> StoreCore<TallyReducer> {
        StoreCore(
            initialState: Tally(), reducer: TallyReducer(), clock: clock, inbox: inbox.post)
    }

    @Test func `a delay counts from the commit, even where its task starts late`() async {
        let core = core()
        core.dispatch(.run(.delayed(.add(1), delay: .seconds(3))))
        // The task may not even sleep yet.
        clock.advance(by: .seconds(3))
        await inbox.serve(core) { core.runningEffects.isEmpty }
        #expect(core.state.log == [1])
    }

    @Test func `a timer ticks at its due time and then every period`() async {
        let core = core()
        core.dispatch(
            .run(
                .timer(.send(.add(1)), id: "t", dueTime: .seconds(1), period: .seconds(2))))
        #expect(core.runningEffects[0].id == "t")
        for second in 1...7 {
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(1))
            let due = (second + 1) / 2
            await inbox.serve(core) { core.state.total == due }
            #expect(core.state.total == due)
        }
        #expect(core.runningEffects[0].emitted == 4)
        #expect(core.cancelEffect(id: "t") == 1)
    }

    @Test func `an interval comes first after one period`() async {
        let core = core()
        core.dispatch(.run(.interval(.add(1), id: "i", period: .milliseconds(500))))
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(499))
        #expect(clock.sleepers == 1)
        clock.advance(by: .milliseconds(1))
        await inbox.serve(core) { core.state.total == 1 }
        await clock.advance(by: .seconds(2), keeping: 1)
        await inbox.serve(core) { core.state.total == 5 }
        core.cancelAllEffects()
    }

    @Test func `missed ticks are skipped, and the next keeps to its deadline`() async {
        let core = core()
        core.dispatch(.run(.interval(.add(1), period: .seconds(1))))
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(3_700))
        await inbox.serve(core) { core.state.total == 1 }
        await clock.waitForSleepers(1)
        // What it had sent until now is in front of this.
        core.dispatch(.run(Effect { $0.send(.add(100)) }))
        await inbox.serve(core) { core.state.total >= 100 }
        #expect(core.state.log == [1, 100])
        // The tick at 4 s, not at 4.7 s.
        clock.advance(by: .milliseconds(299))
        #expect(clock.sleepers == 1)
        clock.advance(by: .milliseconds(1))
        await inbox.serve(core) { core.state.total == 102 }
        core.cancelAllEffects()
    }

    @Test func `a cancelled timer wakes, ends and does not spin`() async {
        let core = core()
        core.dispatch(.run(.interval(.add(1), id: "i", period: .seconds(1))))
        await clock.waitForSleepers(1)
        core.dispatch(.run(.cancel("i")))
        #expect(core.runningEffects.isEmpty)
        #expect(clock.sleepers == 0)
        clock.advance(by: .seconds(5))
        #expect(core.state.total == 0)
    }

    @Test func `a timer without a period ends by itself`() async {
        let core = core()
        core.dispatch(.run(.timer(.add(1), dueTime: .zero)))
        await inbox.serve(core) { core.runningEffects.isEmpty }
        #expect(core.state.log == [1])
        #expect(!Effect<TallyAction>.timer(.add(1), dueTime: .zero).isLongLived)
        #expect(Effect<TallyAction>.interval(.add(1), period: .seconds(1)).isLongLived)
    }

    @Test func `a tick is missed or not, whatever a Double makes of it`() async {
        // A Double says of some of these that it is a little less than 49 periods.
        for divisor in [3, 7, 17, 31, 59, 101, 997] {
            let period = Duration.seconds(1) / divisor
            let core = core()
            core.dispatch(.run(.interval(.add(1), id: "i", period: period)))
            await clock.waitForSleepers(1)
            clock.advance(by: period * 50)
            await inbox.serve(core) { core.state.total == 1 }
            await clock.waitForSleepers(1)
            clock.advance(by: period - .nanoseconds(1))
            #expect(clock.sleepers == 1)
            clock.advance(by: .nanoseconds(1))
            await inbox.serve(core) { core.state.total == 2 }
            core.cancelAllEffects()
            #expect(clock.sleepers == 0)
        }
    }

    @Test func `periods of any length, and a clock that is moved far`() async {
        let tiny = Duration(secondsComponent: 0, attosecondsComponent: 1)
        let most = Duration.seconds(Int64.max)
        for period in [tiny, .nanoseconds(1), most] {
            let core = core()
            core.dispatch(.run(.interval(.add(1), period: period)))
            for tick in 1...3 {
                await clock.waitForSleepers(1)
                clock.advance(by: .seconds(200 * 365 * 86_400))
                await inbox.serve(core) { core.state.total == tick }
            }
            core.cancelAllEffects()
        }
    }

    @Test func `what is longer than anybody waits does not come, on the clock of the system`() async
    {
        let core = StoreCore(
            initialState: Tally(), reducer: TallyReducer(), inbox: inbox.post)
        let longest = Duration(attoseconds: .max)
        core.dispatch(.run(.delayed(.add(1), delay: longest, id: "late")))
        core.dispatch(.run(.interval(.add(1), id: "late", period: longest)))
        core.dispatch(.run(Effect.send(.add(0)).debounce(id: "late", for: longest)))
        core.dispatch(.run(Effect.send(.add(0)).throttle(id: "last", for: longest)))
        core.dispatch(
            .run(
                .retry(
                    Effect { _ in throw Refusal("again") }, maxAttempts: .max, delay: longest,
                    backoff: .nan, delayLimit: longest
                ).cancellable(id: "late")))
        // Something else comes and goes meanwhile; whatever woke at once would have been heard.
        core.dispatch(.run(Effect { $0.send(.add(7)) }))
        await inbox.serve(core) { core.state.log.contains(7) }
        #expect(core.state.log.allSatisfy { $0 == 0 || $0 == 7 })
        #expect(core.cancelEffect(id: "late") == 2)
        #expect(core.cancelEffect(id: "last") == 1)
    }
}
