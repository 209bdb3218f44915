import Rex
import RexExamples
import RexTesting
import Testing

struct CounterTests {
    let stage = Stage(CounterState(), CounterReducer())

    @Test func counts() throws {
        #expect(try stage.dispatch(.increment).count == 1)
        #expect(try stage.dispatch(.add(40)).count == 41)
        #expect(try stage.dispatch(.decrement).count == 40)
        #expect(try stage.dispatch(.add(0)).count == 40)
        #expect(stage.core.revision == 4)
        #expect(stage.effects == [])
    }

    @Test func overflowIsRefused() throws {
        try stage.dispatch(.add(.max))
        #expect(
            stage.refusal(of: .increment)
                == "9223372036854775807 and 1 add up to more than 64 bits hold")
        #expect(stage.refusal(of: .add(.max)) != nil)
        try stage.dispatch(.add(.min))
        #expect(stage.state.count == -1)
        try stage.dispatch(.add(.min + 1))
        #expect(stage.state.count == .min)
        #expect(stage.refusal(of: .decrement) != nil)
    }

    @Test func comingToTenAlerts() throws {
        try stage.dispatch(.add(9))
        #expect(stage.state.$alert.count == 0)
        try stage.dispatch(.increment)
        #expect(stage.state.alert == "Count reached 10!")
        #expect(stage.state.$alert.count == 1)
        #expect(stage.core.revision == 3, "the alert is an action of its own")

        try stage.dispatch(.add(0))
        #expect(stage.state.$alert.count == 1, "it was at 10 before")
        try stage.dispatch(.increment)
        try stage.dispatch(.decrement)
        #expect(stage.state.$alert.count == 2, "it came to 10 again")
        try stage.dispatch(.add(-20))
        #expect(stage.state.alert == "Count reached -10!")
        #expect(stage.state.$alert.count == 3)
        try stage.dispatch(.add(30))
        #expect(stage.state.$alert.count == 3, "it went past 10")
    }

    @Test func theSameAlertTwiceCountsTwice() throws {
        try stage.dispatch(.showAlert("same"))
        try stage.dispatch(.showAlert("same"))
        #expect(stage.state.alert == "same")
        #expect(stage.state.$alert.count == 2)
    }

    @Test func anAlertHasALimit() throws {
        let longest = String(repeating: "é", count: CounterLimits.alertScalarsLimit)
        try stage.dispatch(.showAlert(longest))
        #expect(stage.refusal(of: .showAlert(longest + "x")) != nil)
    }

    // MARK: - The timer

    @Test func theTimerTicksUntilItIsStopped() async throws {
        try stage.dispatch(.startTimer(dueTimeMilliseconds: 0, periodMilliseconds: 50))
        #expect(stage.state.isRunning)
        #expect(stage.effects == ["timer"])
        #expect(stage.core.runningEffects[0].scope == .store)
        await stage.listen { stage.state.ticks == 1 }
        for ticks in 2...4 {
            await stage.advance(by: .milliseconds(50))
            await stage.listen { stage.state.ticks == ticks }
        }
        try stage.dispatch(.stopTimer)
        #expect(!stage.state.isRunning)
        #expect(stage.effects == [])
        #expect(stage.state.ticks == 4)
    }

    @Test func theTimerWaitsItsDueTime() async throws {
        try stage.dispatch(.startTimer(dueTimeMilliseconds: 300, periodMilliseconds: 50))
        await stage.advance(by: .milliseconds(299))
        #expect(stage.clock.sleepers == 1, "it sleeps on")
        stage.clock.advance(by: .milliseconds(1))
        await stage.listen { stage.state.ticks == 1 }
    }

    @Test func aSecondStartChangesNothing() throws {
        try stage.dispatch(.startTimer(dueTimeMilliseconds: 5, periodMilliseconds: 5))
        let before = stage.state
        let first = stage.core.runningEffects[0].fromRevision
        try stage.dispatch(.startTimer(dueTimeMilliseconds: 9, periodMilliseconds: 9))
        #expect(stage.state == before)
        #expect(stage.core.runningEffects.map(\.fromRevision) == [first])
    }

    @Test func aStartWhereAnUndoneOneStillRunsTakesItsPlace() throws {
        try stage.dispatch(.startTimer(dueTimeMilliseconds: 5, periodMilliseconds: 5))
        stage.core.travel(to: CounterState(), as: Travel(op: .undo, to: 0))
        #expect(stage.effects == ["timer"])
        try stage.dispatch(.startTimer(dueTimeMilliseconds: 5, periodMilliseconds: 5))
        #expect(stage.core.runningEffects.map(\.fromRevision) == [3])
        try stage.dispatch(.stopTimer)
        #expect(stage.effects == [])
    }

    @Test(arguments: [(-1, 50), (86_400_001, 50), (0, 0), (0, -5), (0, 86_400_001)])
    func aTimerOutOfBoundsIsRefused(dueTime: Int, period: Int) {
        let words = stage.refusal(
            of: .startTimer(dueTimeMilliseconds: dueTime, periodMilliseconds: period))
        #expect(words?.contains(dueTime == 0 ? "period_ms" : "dueTime_ms") == true)
        #expect(stage.effects == [])
    }

    // MARK: - The fetch

    @Test func anAnswerComesLater() async throws {
        try stage.dispatch(.fetch(delayMilliseconds: 400, fail: false))
        #expect(stage.state.isLoading)
        #expect(stage.effects == ["fetch"])
        try stage.dispatch(.increment)
        #expect(stage.state.count == 1, "nobody waits for an effect")
        await stage.advance(by: .milliseconds(400))
        await stage.listen { !stage.state.isLoading }
        #expect(stage.state.fetched == "the answer to revision 1")
        await stage.listen { stage.effects.isEmpty }
        #expect(stage.state.alert == nil)
    }

    @Test func aFailureIsToldAndEndsTheLoading() async throws {
        try stage.dispatch(.fetch(delayMilliseconds: 10, fail: true))
        await stage.advance(by: .milliseconds(10))
        await stage.listen { !stage.state.isLoading }
        #expect(stage.state.fetched == nil)
        #expect(stage.state.alert == "the fetch of revision 1 failed, as it was told to")
    }

    @Test func aNewerFetchTakesThePlaceOfOneUnderWay() async throws {
        try stage.dispatch(.fetch(delayMilliseconds: 100, fail: true))
        try stage.dispatch(.fetch(delayMilliseconds: 200, fail: false))
        #expect(stage.core.runningEffects.map(\.fromRevision) == [2])
        await stage.advance(by: .milliseconds(200))
        await stage.listen { !stage.state.isLoading }
        #expect(stage.state.fetched == "the answer to revision 2")
        #expect(stage.state.alert == nil)
    }

    @Test(arguments: [-1, 86_400_001])
    func aDelayOutOfBoundsIsRefused(delay: Int) {
        let words = stage.refusal(of: .fetch(delayMilliseconds: delay, fail: false))
        #expect(words == "delay_ms is \(delay), expected 0 to 86400000")
    }

    // MARK: - Reconcile

    @Test func whatClaimsAnEffectThatIsGoneIsPutRight() throws {
        try stage.dispatch(.startTimer(dueTimeMilliseconds: 5, periodMilliseconds: 5))
        try stage.dispatch(.fetch(delayMilliseconds: 5, fail: false))
        let all: CounterAction = .reconcile(clients: [], effects: ["timer", "fetch"])
        guard case .unchanged = stage.dispatchIfItChanges(all) else {
            Issue.record("nothing is to be put right")
            return
        }
        stage.core.cancelEffect(id: "timer")
        _ = stage.dispatchIfItChanges(.reconcile(clients: [], effects: ["fetch"]))
        #expect(!stage.state.isRunning)
        #expect(stage.state.isLoading)
        stage.core.cancelEffect(id: "fetch")
        _ = stage.dispatchIfItChanges(.reconcile(clients: [], effects: []))
        #expect(!stage.state.isLoading)
    }
}
