import Foundation
import Rex
import RexTesting
import Synchronization
import Testing

private class ListComposer: Composer {
    enum Action: Equatable {
        case add(Int)
        case addTwice(Int)
        case addLater(Int)
        case addLaterTwice(Int)
        case startTicking
        case startClock, stopClock
        case flood(Int)
        case count(Int)
        case stop
        case fail
        case show(String?)
    }

    struct State: Equatable {
        var log: [Int] = []
        var counted = 0
        @PresentState var notice: String?
    }

    @ComposableState var state = State()
    var action = ActionInlet<Action>()
    var bag = EffectBag()
    let flooded = DispatchSemaphore(value: 0)

    func reducer(_ state: inout State, _ action: Action) -> Effect<Action> {
        switch action {
        case .add(let number):
            state.log.append(number)
            return .none
        case .addTwice(let number): return .many(.add(number), .add(number))
        case .addLater(let number): return .delayed(.add(number), delay: .seconds(1))
        case .addLaterTwice(let number):
            // And a ticker besides, which nobody waits for.
            return .merge(
                .timer(.send(.addLater(number)), dueTime: .seconds(1)),
                .interval(.send(.add(0)), period: .seconds(100), disposeBag: bag))
        case .startTicking:
            return .merge(
                .interval(.send(.add(1)), period: .seconds(1)),
                .interval(.send(.add(2)), period: .seconds(1))
            ).disposed(by: bag)
        case .startClock:
            return .interval(.send(.add(1)), id: "clock", period: .seconds(1))
        case .stopClock: return .cancel("clock")
        case .flood(let count):
            let flooded = flooded
            return .run { emitter in
                for number in 1...count { emitter.send(.count(number)) }
                flooded.signal()
            }
        case .count(let number):
            // In order, without gap.
            state.counted = state.counted == number - 1 ? number : -1
            return .none
        case .stop: return .cancel(&bag)
        case .fail: return .run { _ in throw Refusal("broken") }
        case .show(let text):
            state.notice = text
            return .none
        }
    }
}

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct ComposerTests {
    private let clock = TestClock()
    private let composer = ListComposer()

    private final class Owner: Composable {
        @Compose var composer = ListComposer()
        private(set) var seen: [[Int]] = []
        let bag = SubscriptionBag()

        func bind() {
            composer.$state.observable.map(\.log).drive { [unowned self] in seen.append($0) }
                .disposed(by: bag)
        }
    }

    @Test func `compose connects, bind shows`() {
        let owner = Owner()
        owner.bind()
        owner.composer.send(.addTwice(1))
        #expect(owner.seen == [[], [1], [1, 1]])
    }

    @Test func `states that are equal come once, unless every one is wanted`() {
        composer.connect()
        var distinct = 0
        var all = 0
        composer.$state.observable.drive { _ in distinct += 1 }
        composer.$state.everyState.drive { _ in all += 1 }
        composer.send(.stop)
        composer.send(.add(1))
        #expect(distinct == 2)
        #expect(all == 3)
    }

    @Test func `presented each time that it is set`() {
        composer.connect()
        var notices: [String?] = []
        composer.$state.present(\.$notice).drive { notices.append($0) }
        composer.send(.show("a"))
        composer.send(.add(1))
        composer.send(.show("a"))
        composer.send(.show(nil))
        composer.send(.show(nil))
        composer.send(.show("a"))
        #expect(notices == [nil, "a", "a", nil, "a"])
    }

    @Test func `what an observer sends waits its turn`() {
        composer.connect()
        var seen: [[Int]] = []
        composer.$state.observable.map(\.log).drive { [composer] log in
            if log.count < 3 { composer.send(.add(log.count)) }
        }
        composer.$state.observable.map(\.log).drive { seen.append($0) }
        composer.send(.add(9))
        #expect(seen == [[0, 1, 2], [0, 1, 2, 9]])
    }

    @Test func `a state that somebody sets is not undone`() {
        composer.connect()
        composer.state.log = [7]
        composer.send(.add(8))
        #expect(composer.state.log == [7, 8])
    }

    @Test func `an awaiting send waits for what follows of what follows`() async throws {
        composer.connect(clock: clock)
        async let done: Void = composer.send(.addLaterTwice(1), waitForEffects: true)
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        try await done
        #expect(composer.state.log == [1])
        #expect(composer.effects.map(\.id) == [composer.bag.id])
        try await composer.send(.add(2), waitForEffects: false)
        #expect(composer.state.log == [1, 2])
    }

    @Test func `a cancelled send ends what it waits for, and nothing else`() async {
        composer.connect(clock: clock)
        let task = Task { [composer] in
            try await composer.send(.addLaterTwice(1), waitForEffects: true)
        }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        await clock.waitForSleepers(2)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(composer.effects.map(\.id) == [composer.bag.id])
        clock.advance(by: .seconds(2))
        #expect(composer.state.log == [])
    }

    @Test func `a bag ends several effects together`() async {
        composer.connect(clock: clock)
        composer.send(.startTicking)
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        for await state in composer.$state.observable.values where state.log.count == 2 { break }
        #expect(composer.state.log.sorted() == [1, 2])
        composer.send(.stop)
        #expect(composer.effects.isEmpty)
    }

    @Test func `an id ends an effect, ticks that were missed are skipped`() async {
        composer.connect(clock: clock)
        composer.send(.startClock)
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(3_500))
        for await state in composer.$state.observable.values where state.log.count == 1 { break }
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(500))
        for await state in composer.$state.observable.values where state.log.count == 2 { break }
        #expect(composer.effects.map(\.emitted) == [2])
        composer.send(.stopClock)
        #expect(composer.effects.isEmpty)
        #expect(composer.state.log == [1, 1])
    }

    @Test func `a composer's parts can be shown too`() {
        composer.connect()
        let store = ScopedStore(composer, states: composer.$state.observable)
        let log = store.scope(
            state: \.log, action: { (number: Int) in ListComposer.Action.add(number) })
        var seen: [[Int]] = []
        log.states.drive { seen.append($0) }
        log.send(1)
        store.send(.show("other"))
        composer.send(.add(2))
        #expect(seen == [[], [1], [1, 2]])
        #expect(log.state == [1, 2])
    }

    @Test func `a composer that goes away ends its effects`() async {
        var composer: ListComposer? = ListComposer()
        composer?.connect(clock: clock)
        let inlet = composer?.action
        composer?.send(.startTicking)
        await clock.waitForSleepers(2)
        weak let remembered = composer
        composer = nil
        #expect(remembered == nil)
        // Whoever still holds the inlet reaches nobody.
        inlet?.accept(.add(1))
        #expect(inlet != nil)
    }

    @Test func `connected again it goes on, without the effects of before`() async {
        composer.connect(clock: clock)
        composer.send(.add(1))
        composer.send(.startTicking)
        composer.connect(clock: clock)
        #expect(composer.effects.isEmpty)
        composer.send(.add(2))
        #expect(composer.state.log == [1, 2])
    }

    @Test func `hooks see its actions, faults are reported`() async throws {
        let lines = FlowSource("")
        var faults: [String] = []
        composer.connect(
            pipelineHooks: [
                AnyPipelineHook { phase, _ in
                    if case .willReceive(let action) = phase, action.value == .add(13) {
                        return .abort
                    }
                    return .continue
                }
            ],
            onFault: { fault in
                if case .effectFailed(_, let error) = fault { faults.append("\(error)") }
            })
        lines.send("")
        composer.send(.addTwice(13))
        composer.send(.add(1))
        #expect(composer.state.log == [1])
        await #expect(throws: ActionAborted.self) {
            try await composer.send(.add(13), waitForEffects: true)
        }
        try await composer.send(.fail, waitForEffects: true)
        #expect(faults == ["broken"])
    }

    @Test func `an effect that floods the main actor loses what is over the bound`() async throws {
        var faults: [StoreFault] = []
        composer.connect(onFault: { faults.append($0) })
        composer.send(.flood(65_536 + 100))
        // The main actor hears nothing until the effect has sent everything.
        block(until: composer.flooded)
        for await state in composer.$state.observable.values where state.counted == 65_536 {
            break
        }
        while !composer.effects.isEmpty { await Task.yield() }
        #expect(composer.state.counted == 65_536)
        guard case .actionRefused(_, let error)? = faults.first else {
            Issue.record("no fault: \(faults)")
            return
        }
        #expect("\(error)" == "queuedActions is at its limit of 65536")
        #expect(faults.count == 1)
    }

    private func block(until semaphore: DispatchSemaphore) {
        #expect(semaphore.wait(timeout: .now() + 30) == .success)
    }

    @Test func `connected once more, nobody waits for the effects of the time before`() async throws
    {
        composer.connect(clock: clock)
        let wait = Task { [composer] in
            try await composer.send(.addLater(1), waitForEffects: true)
        }
        await clock.waitForSleepers(1)
        composer.connect(clock: clock)
        try await wait.value
        #expect(clock.sleepers == 0)
        #expect(composer.state.log == [])
    }
}
