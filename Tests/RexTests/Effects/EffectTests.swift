import Rex
import RexTesting
import Synchronization
import Testing

/// The runner, played by a test that owns the core.
@Suite(.timeLimit(.minutes(1)))
struct EffectTests {
    let inbox = Inbox<TallyAction>()
    let clock = TestClock()

    func core() -> StoreCore<TallyReducer> {
        StoreCore(
            initialState: Tally(), reducer: TallyReducer(), clock: clock, inbox: inbox.post)
    }

    @Test func `an effect does not delay the next action`() async {
        let core = core()
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        core.dispatch(
            .run(
                Effect { emitter in
                    for await _ in gate { break }
                    emitter.send(.add(2))
                }))
        core.dispatch(.add(1))
        #expect(core.state.log == [1])
        open.yield()
        await inbox.serve(core) { core.runningEffects.isEmpty }
        #expect(core.state.log == [1, 2])
    }

    @Test func `what one effect sends arrives in order`() async {
        let core = core()
        core.dispatch(.run(Effect { emitter in for n in 1...500 { emitter.send(.add(n)) } }))
        await inbox.serve(core) { core.runningEffects.isEmpty }
        #expect(core.state.log == Array(1...500))
    }

    @Test func `work sleeps by the store's clock, also as a child's`() async {
        let core = core()
        let countdown = Effect<Int> { emitter in
            for number in [2, 1] {
                emitter.send(number)
                try await emitter.sleep(for: .seconds(1))
            }
        }
        core.dispatch(.run(countdown.map { .add($0) }))
        await inbox.serve(core) { core.state.log == [2] }
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(999))
        #expect(clock.sleepers == 1)
        clock.advance(by: .milliseconds(1))
        await inbox.serve(core) { core.state.log == [2, 1] }
        await clock.waitForSleepers(1)
        #expect(core.cancelAllEffects() == 1)
        while clock.sleepers > 0 { await Task.yield() }
    }

    @Test func `an effect is listed before it has run, with or without an id`() async {
        let core = core()
        core.dispatch(.run(.delayed(.add(1), delay: .seconds(5), id: "late")))
        core.dispatch(.run(.delayed(.add(2), delay: 5.0).scoped(to: .client("c7"))))
        clock.advance(by: .seconds(2))
        let effects = core.runningEffects
        #expect(effects.map(\.id) == ["late", "#2"])
        #expect(effects.map(\.scope.description) == ["store", "client:c7"])
        #expect(effects.map(\.fromRevision) == [1, 2])
        #expect(effects.allSatisfy { $0.age == .seconds(2) && $0.emitted == 0 })
        #expect(core.cancelEffect(id: "#2") == 1)
        #expect(core.cancelEffect(id: "#2") == 0)
        #expect(core.cancelEffect(id: "#1") == 0)
        #expect(core.cancelEffect(id: "late") == 1)
        #expect(core.runningEffects.isEmpty)
    }

    @Test func `the same id twice: both are there, and both can be cancelled`() {
        let core = core()
        for _ in 1...2 { core.dispatch(.run(.delayed(.add(1), delay: 1, id: "twin"))) }
        #expect(core.runningEffects.count == 2)
        #expect(core.cancelEffect(id: "twin") == 2)
        #expect(core.runningEffects.isEmpty)
    }

    @Test func `the end of a replaced effect does not forget the new one`() async {
        let core = core()
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        core.dispatch(
            .run(
                Effect(id: "search", cancelInFlight: true) { [clock] _ in
                    defer { end.yield() }
                    try await clock.sleep(for: .seconds(9))
                }))
        await clock.waitForSleepers(1)
        core.dispatch(.run(.delayed(.add(2), delay: 1, id: "search", cancelInFlight: true)))
        for await _ in ended { break }
        core.dispatch(.run(Effect { $0.send(.add(1)) }))
        await inbox.serve(core) { core.state.log == [1] && core.runningEffects.count == 1 }
        #expect(core.runningEffects.map(\.id) == ["search"])
        #expect(core.cancelEffect(id: "search") == 1)
    }

    @Test func `what a cancelled effect still sends is dropped`() async {
        let core = core()
        let (emitters, give) = AsyncStream.makeStream(of: EffectEmitter<TallyAction>.self)
        core.dispatch(
            .run(
                Effect(id: "x") { emitter in
                    emitter.send(.add(1))
                    give.yield(emitter)
                }))
        for await emitter in emitters {
            #expect(core.cancelEffect(id: "x") == 1)
            #expect(emitter.isOver)
            emitter.send(.add(2))
            break
        }
        core.dispatch(.run(Effect { $0.send(.add(3)) }))
        await inbox.serve(core) { core.runningEffects.isEmpty }
        #expect(core.state.log == [3])
    }

    @Test func `an error becomes what catch returns, and without catch a fault`() async {
        let core = core()
        var faults: [String] = []
        core.onFault = { fault in
            if case .effectFailed(let id, let error) = fault { faults.append("\(id): \(error)") }
        }
        core.dispatch(
            .run(
                .run {
                    $0.send(.add(1))
                    throw Refusal("lost")
                } catch: {
                    "\($0)" == "lost" ? .many(.add(2), .add(3)) : .none
                }))
        await inbox.serve(core) { core.runningEffects.isEmpty }
        #expect(core.state.log == [1, 2, 3])
        core.dispatch(.run(.run(id: "bad") { _ in throw Refusal("gone") }))
        await inbox.serve(core) { core.runningEffects.isEmpty }
        #expect(faults == ["bad: gone"])
    }

    @Test func `an action that an effect sends and the reducer refuses is a fault`() async {
        let core = core()
        var faults: [String] = []
        core.onFault = { fault in
            if case .actionRefused(let origin, let error) = fault {
                faults.append("\(origin == .effect("bad")) \(error)")
            }
        }
        core.dispatch(.run(Effect(id: "bad") { $0.send(.refuse) }))
        await inbox.serve(core) { core.runningEffects.isEmpty }
        #expect(faults == ["true no"])
    }

    @Test func `streams and sequences dispatch each element and end with it`() async {
        let core = core()
        let stream = AsyncStream<TallyAction> { continuation in
            for n in 1...3 { continuation.yield(.add(n)) }
            continuation.finish()
        }
        core.dispatch(.run(.stream(id: "feed") { stream }))
        await inbox.serve(core) { core.runningEffects.isEmpty }
        struct Countdown: AsyncSequence, AsyncIteratorProtocol {
            var left = 2
            mutating func next() async throws -> TallyAction? {
                if left == 0 { throw Refusal("zero") }
                left -= 1
                return .add(10 * left)
            }
            func makeAsyncIterator() -> Countdown { self }
        }
        core.dispatch(.run(.run(Countdown(), catch: { _ in .send(.add(99)) })))
        await inbox.serve(core) { core.runningEffects.isEmpty }
        #expect(core.state.log == [1, 2, 3, 10, 0, 99])
    }

    @Test func `a stream that is faster than the store waits for it`() async {
        let core = core()
        let made = Box(0)
        let limit = EffectEmitter<TallyAction>.inFlightLimit
        core.dispatch(
            .run(
                .stream {
                    AsyncStream {
                        made.value.withLock { made in
                            made += 1
                            return made > 3 * limit ? nil : .add(1)
                        }
                    }
                }))
        // Nothing is taken up while the test holds the core, so no more than the limit comes.
        var seen = 0
        await inbox.serve(core) {
            seen += 1
            #expect(made.value.withLock { $0 } <= core.state.log.count + limit + 1)
            return core.runningEffects.isEmpty
        }
        #expect(core.state.log.count == 3 * limit)
        #expect(seen > 3 * limit)
    }

    @Test func `whoever waits for the end of an effect may cancel from there`() {
        let core = core()
        let group = EffectGroup()
        let parts = Effect<TallyAction>.concurrent(
            .delayed(.add(1), delay: 1), .interval(.add(2), period: .seconds(1)))
        core.dispatch(.run(parts.cancellable(id: "both")), group: group)
        var ends = 0
        group.onEnd = { [unowned core] in
            ends += 1
            #expect(core.cancelEffect(id: "both") == 0)
            core.dispatch(.add(3))
        }
        #expect(group.pending == 1)
        #expect(core.cancelEffect(id: "both") == 1)
        #expect(ends == 1)
        #expect(core.runningEffects.isEmpty)
        #expect(group.pending == 0)
        #expect(core.state.log == [3])
    }

    @Test func `ending a scope ends exactly that scope`() {
        let core = core()
        for scope in [EffectScope.node("room"), .node("room:1"), .client("room"), .store] {
            core.dispatch(.run(.delayed(.add(1), delay: 1).scoped(to: scope)))
        }
        #expect(core.endScope(.node("room")) == 1)
        #expect(
            core.runningEffects.map(\.scope) == [.node("room:1"), .client("room"), .store])
        #expect(core.cancelAllEffects() == 3)
        #expect(core.runningEffects.isEmpty)
    }

    @Test func `cancelAll and cancel work as effects`() {
        let core = core()
        core.dispatch(.run(.delayed(.add(1), delay: 1, id: "a")))
        core.dispatch(.run(.delayed(.add(1), delay: 1)))
        core.dispatch(.run(.cancel(id: "a")))
        #expect(core.runningEffects.map(\.id) == ["#2"])
        core.dispatch(.run(.cancelAll))
        #expect(core.runningEffects.isEmpty)
    }

    @Test func `travel starts no effect and ends none`() {
        let core = core()
        core.dispatch(.run(.delayed(.add(1), delay: 1, id: "a")))
        core.travel(to: Tally(), as: Travel(op: .undo, to: 0))
        #expect(core.runningEffects.map(\.id) == ["a"])
    }

    @Test func `no more effects start than may run`() {
        var limits = StoreLimits()
        limits.runningEffects = 2
        let core = StoreCore(
            initialState: Tally(), reducer: TallyReducer(), limits: limits, clock: clock,
            inbox: inbox.post)
        var faults = 0
        core.onFault = { if case .effectNotStarted = $0 { faults += 1 } }
        for _ in 1...3 { core.dispatch(.run(.delayed(.add(1), delay: 1))) }
        #expect(core.runningEffects.count == 2)
        #expect(faults == 1)
    }

    @Test func `events come after their commit, with its revision`() {
        let core = core()
        var seen: [String] = []
        core.onCommit = { seen.append("commit \($0.revision)") }
        core.onEvent = { seen.append("\($0.topic) \($0.value) \($0.revision)") }
        core.dispatch(.add(1))
        core.dispatch(.run(.publish(topic: "news", event: 7)))
        #expect(seen == ["commit 1", "commit 2", "news 7 2"])
    }

    @Test func `a core that goes away cancels what runs`() async {
        let (ended, end) = AsyncStream.makeStream(of: Bool.self)
        do {
            let core = core()
            core.dispatch(
                .run(
                    Effect { [clock] _ in
                        defer { end.yield(Task.isCancelled) }
                        try await clock.sleep(for: .seconds(9))
                    }))
            await clock.waitForSleepers(1)
        }
        for await isCancelled in ended {
            #expect(isCancelled)
            break
        }
    }

    /// A sequence that never ends, and does not notice that its task was cancelled.
    private struct Endless: AsyncSequence, AsyncIteratorProtocol {
        let end: AsyncStream<Void>.Continuation
        let life: Life
        let isSilent: Bool

        final class Life: Sendable {
            let end: AsyncStream<Void>.Continuation
            init(_ end: AsyncStream<Void>.Continuation) { self.end = end }
            deinit { end.finish() }
        }

        init(_ end: AsyncStream<Void>.Continuation, isSilent: Bool = false) {
            self.end = end
            self.isSilent = isSilent
            life = Life(end)
        }

        mutating func next() async -> TallyAction? { .nothing }
        func makeAsyncIterator() -> Endless { self }
    }

    @Test func `a sequence that does not notice its end is left all the same`() async {
        for kind in 1...4 {
            let core = core()
            let (ended, end) = AsyncStream.makeStream(of: Void.self)
            do {
                let endless = Endless(end)
                let effect: Effect<TallyAction> =
                    switch kind {
                    case 1: .stream(id: "s") { endless }
                    case 2: .run(endless, id: "s")
                    case 3: .fromSequence(endless, id: "s") { $0 }
                    default: .fromSequence(endless, id: "s") { _ in nil }
                    }
                core.dispatch(.run(effect))
            }
            if kind < 4 { await inbox.serve(core) { core.revision > 10 } }
            #expect(core.cancelEffect(id: "s") == 1)
            // It is let go of: nobody goes round in it any more.
            for await _ in ended {}
        }
    }
}
