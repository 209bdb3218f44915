public import Rex

/// Counts, runs a timer, fetches an answer.
///
/// The two effects have ids, `timer` and `fetch`, so each runs at most once. Whether they run is
/// also in the state (`isRunning`, `isLoading`), for those who watch; `reconcile` puts it right
/// where the effect is gone without a word.
public struct CounterReducer: ContextReducer {
    /// The id of the effect that ticks.
    public static let timerID: EffectID = "timer"
    /// The id of the effect that answers.
    public static let fetchID: EffectID = "fetch"

    /// A reducer; it keeps nothing between two actions.
    public init() {}

    /// Throws `Refusal` in words for a person; `state` is then to be dropped.
    public func reduce(
        state: inout CounterState, action: CounterAction, context: ReducerContext
    ) throws -> [Effect<CounterAction>] {
        switch action {
        case .increment: return try add(1, to: &state)
        case .decrement: return try add(-1, to: &state)
        case .add(let number): return try add(number, to: &state)

        case .startTimer(let dueTime, let period):
            return try startTimer(dueTime: dueTime, period: period, in: &state)
        case .stopTimer:
            state.isRunning = false
            return [.cancel(Self.timerID)]
        case .tick:
            state.ticks &+= 1

        case .showAlert(let text):
            guard text.unicodeScalars.count <= CounterLimits.alertScalarsLimit else {
                throw Refusal(
                    "an alert has at most \(CounterLimits.alertScalarsLimit) Unicode scalars")
            }
            state.alert = text

        case .fetch(let delay, let fail):
            try expect(delay, named: "delay_ms", atLeast: 0)
            state.isLoading = true
            return [answer(after: .milliseconds(delay), fail: fail, at: context.revision)]
        case .fetched(let answer):
            state.fetched = answer
            state.isLoading = false
        case .failed(let message):
            state.alert = message
            state.isLoading = false

        case .reconcile(_, let effects):
            if !effects.contains(Self.timerID.rawValue) { state.isRunning = false }
            if !effects.contains(Self.fetchID.rawValue) { state.isLoading = false }
        }
        return []
    }

    /// Adds, and alerts where the count has come to 10 or −10.
    private func add(
        _ number: Int, to state: inout CounterState
    ) throws -> [Effect<CounterAction>] {
        let (sum, overflow) = state.count.addingReportingOverflow(number)
        guard !overflow else {
            throw Refusal("\(state.count) and \(number) add up to more than 64 bits hold")
        }
        let hasArrived = sum != state.count && (sum == 10 || sum == -10)
        state.count = sum
        return hasArrived ? [.send(.showAlert("Count reached \(sum)!"))] : []
    }

    /// A second start while it runs changes nothing.
    private func startTimer(
        dueTime: Int, period: Int, in state: inout CounterState
    ) throws -> [Effect<CounterAction>] {
        try expect(dueTime, named: "dueTime_ms", atLeast: 0)
        try expect(period, named: "period_ms", atLeast: CounterLimits.periodMinimumMilliseconds)
        if state.isRunning { return [] }
        state.isRunning = true
        // In flight though the state says it is not: where an undo took the start back.
        return [
            .timer(
                .tick, id: Self.timerID, dueTime: .milliseconds(dueTime),
                period: .milliseconds(period), cancelInFlight: true)
        ]
    }

    /// A newer one takes the place of one under way.
    private func answer(
        after delay: Duration, fail: Bool, at revision: Int
    ) -> Effect<CounterAction> {
        .delayed(
            fail
                ? .failed("the fetch of revision \(revision) failed, as it was told to")
                : .fetched("the answer to revision \(revision)"),
            delay: delay, id: Self.fetchID, cancelInFlight: true)
    }

    private func expect(_ value: Int, named name: String, atLeast minimum: Int) throws {
        let maximum = CounterLimits.waitLimitMilliseconds
        guard (minimum...maximum).contains(value) else {
            throw Refusal("\(name) is \(value), expected \(minimum) to \(maximum)")
        }
    }
}
