import Rex
import RexTesting
import Testing

/// A hundred ticks are a hundred turns with the timer's task: beside many other tests, on a machine
/// that has much to do, that takes its time.
@Suite(.timeLimit(.minutes(10)))
struct SlowReducerTests {
    private let inbox = Inbox<TallyAction>()
    private let clock = TestClock()

    /// A reducer that takes 60 ms of the 100 does not move the ticks behind it.
    @Test func `an interval of 100 ms with a slow reducer ticks 100 times in 10 s`() async {
        let slow = Notebook()
        let clock = clock
        let core = StoreCore(
            initialState: Tally(), reducer: TallyReducer(),
            hooks: [
                AnyPipelineHook { phase, _ in
                    guard case .willReduce(.add, _) = phase else { return .continue }
                    slow.write("\(clock.now.offset)")
                    clock.advance(by: .milliseconds(60))
                    return .continue
                }
            ], clock: clock, inbox: inbox.post)
        core.dispatch(.run(.interval(.add(1), id: "i", period: .milliseconds(100))))
        for tick in 1...100 {
            await clock.waitForSleepers(1)
            clock.advance(by: .milliseconds(100 * tick) - clock.now.offset)
            await inbox.serve(core) { core.state.total == tick }
        }
        #expect(slow.lines == (1...100).map { "\(Duration.milliseconds(100 * $0))" })
        await clock.waitForSleepers(1)
        #expect(clock.now.offset == .milliseconds(10_060))
        core.cancelAllEffects()
    }
}
