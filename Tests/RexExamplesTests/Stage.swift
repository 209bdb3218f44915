import Foundation
import Rex
import RexTesting

/// A store whose owner is the test: its clocks stand still, its effects speak when they are heard.
final class Stage<R: Reducer> {
    /// What timers and delays sleep by.
    let clock = TestClock()
    let core: StoreCore<R>
    /// What was published, in order.
    private(set) var events: [StoreEvent] = []
    /// What went wrong where nobody waited for an answer.
    private(set) var faults: [StoreFault] = []
    private let inbox: AsyncStream<EffectEvent<R.Action>>

    /// The time that reducers see: 2026-11-30T12:00:00.000Z.
    static var time: Date { Date(timeIntervalSince1970: 1_796_040_000) }

    init(_ state: R.State, _ reducer: R) {
        let (stream, continuation) = AsyncStream<EffectEvent<R.Action>>.makeStream()
        inbox = stream
        let time = Self.time
        core = StoreCore(
            initialState: state, reducer: reducer, clock: clock, now: { time },
            inbox: { continuation.yield($0) })
        core.onEvent = { [unowned self] in events.append($0) }
        core.onFault = { [unowned self] in faults.append($0) }
    }

    var state: R.State { core.state }

    /// The ids of the effects that run, in the order in which they started.
    var effects: [String] { core.runningEffects.map(\.id.rawValue) }

    /// Dispatches; throws what the reducer threw.
    @discardableResult
    func dispatch(_ action: R.Action, from origin: Origin = .local) throws -> R.State {
        if case .refused(let error) = core.dispatch(action, from: origin) { throw error }
        return core.state
    }

    /// As a host asks a store to put itself right: no commit where nothing changes.
    func dispatchIfItChanges(_ action: R.Action) -> Outcome {
        core.dispatch(action, from: .system, ifItChanges: true)
    }

    /// The words of a refusal that leaves everything as it was; nil where the action was taken.
    func refusal(of action: R.Action, from origin: Origin = .local) -> String? {
        let (before, revision) = (core.state, core.revision)
        guard case .refused(let error) = core.dispatch(action, from: origin),
            core.state == before, core.revision == revision
        else { return nil }
        return "\(error)"
    }

    /// Moves the clock once somebody sleeps by it.
    func advance(by duration: Duration) async {
        await clock.waitForSleepers(1)
        clock.advance(by: duration)
    }

    /// Hears effects until something is so.
    func listen(until isSo: () -> Bool) async {
        if isSo() { return }
        for await event in inbox {
            core.receive(event)
            if isSo() { return }
        }
    }
}
