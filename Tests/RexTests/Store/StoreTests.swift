import Foundation
import Rex
import RexTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct StoreTests {
    let clock = TestClock()
    let notes = Notebook()

    func store() -> Store<TallyReducer> {
        Store(
            initialState: Tally(), reducer: TallyReducer(), clock: clock,
            onFault: { [notes] in notes.write("\($0)") })
    }

    @Test func `dispatch reduces at once where nobody is at work`() {
        let store = store()
        store.dispatch(.add(1))
        #expect(store.state.log == [1])
    }

    @Test func `two dispatches in a row never swap`() async {
        let store = Store(initialState: LastSeen(), reducer: LastSeenReducer())
        await withTaskGroup { group in
            for sender in 0..<4 {
                group.addTask {
                    for number in 1...100_000 {
                        store.dispatch(Step(sender: sender, number: number))
                    }
                }
            }
        }
        let revision = await store.revision
        #expect(revision == 400_000)
        #expect(store.state.last == [100_000, 100_000, 100_000, 100_000])
        #expect(store.state.swapped == 0)
    }

    @Test func `send returns the revision, and throws what the reducer threw`() async throws {
        let store = store()
        #expect(try await store.send(.add(1)) == 1)
        #expect(try await store.send(.add(2)) == 2)
        await #expect(throws: Refusal("no")) { try await store.send(.refuse) }
        #expect(await store.revision == 2)
        #expect(notes.lines.isEmpty)
        store.dispatch(.refuse)
        #expect(notes.lines.count == 1)
    }

    @Test func `send can wait for the effects`() async throws {
        let store = store()
        async let revision = store.send(
            .run(.delayed(.run(.delayed(.add(1), delay: 1)), delay: 1)), waitForEffects: true)
        for _ in 1...2 {
            await clock.waitForSleepers(1)
            #expect(store.state.log.isEmpty)
            clock.advance(by: .seconds(1))
        }
        #expect(try await revision == 1)
        #expect(store.state.log == [1])
    }

    @Test func `a cancelled send ends the effects that it waits for, and nothing else`() async {
        let store = store()
        store.dispatch(.run(.interval(.add(1), id: "ticks", period: .seconds(60))))
        store.dispatch(.run(.delayed(.add(2), delay: .seconds(60), id: "other")))
        let effect = Effect<TallyAction>.concurrent(
            .delayed(.run(.delayed(.add(3), delay: 1)), delay: 1),
            .interval(.add(4), id: "more ticks", period: .seconds(60)))
        let task = Task { try await store.send(.run(effect), waitForEffects: true) }
        await clock.waitForSleepers(4)
        clock.advance(by: .seconds(1))
        while await store.effects.last?.fromRevision != 4 { await Task.yield() }
        await clock.waitForSleepers(4)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await store.effects.map(\.id) == ["ticks", "other", "more ticks"])
        #expect(store.state.log.isEmpty)
    }

    @Test func `a task that is cancelled already sends nothing and waits for nothing`() async {
        let store = store()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.send(.add(1), waitForEffects: true)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await store.revision == 0)
    }

    @Test func `an aborted action throws`() async {
        let store = Store(
            initialState: Tally(), reducer: TallyReducer(),
            pipelineHooks: { [AnyPipelineHook { _, _ in .abort }] })
        await #expect(throws: ActionAborted.self) { try await store.send(.add(1)) }
    }

    @Test func `a subscriber sees the state of that moment and then each commit once`() {
        let store = store()
        store.dispatch(.add(1))
        store.subscribe { [notes] in notes.write("\($0.log)") }
        store.dispatch(.add(2))
        store.dispatch(.nothing)
        #expect(notes.lines == ["[1]", "[1, 2]", "[1, 2]"])
    }

    @Test func `every subscriber sees every state once and in order, under load`() async {
        let store = Store(initialState: LastSeen(), reducer: LastSeenReducer())
        let seen = Box<[[Int]]>(Array(repeating: [], count: 8))
        await withTaskGroup { group in
            for sender in 0..<2 {
                group.addTask {
                    for number in 1...2_000 { store.dispatch(Step(sender: sender, number: number)) }
                }
            }
            for subscriber in 0..<8 {
                group.addTask {
                    store.subscribe { state in
                        seen.value.withLock { $0[subscriber].append(state.last.reduce(0, +)) }
                    }
                }
            }
        }
        #expect(await store.revision == 4_000)
        for states in seen.value.withLock({ $0 }) {
            // No gap, no repeat, up to the end.
            #expect(states == Array(states[0]...4_000))
        }
    }

    @Test func `nothing comes after cancel, and letting go of the token is no cancel`() {
        let store = store()
        let token = store.subscribe { [notes] in notes.write("a \($0.total)") }
        store.subscribe { [notes] in notes.write("b \($0.total)") }
        store.dispatch(.add(1))
        token.cancel()
        store.dispatch(.add(1))
        #expect(notes.lines == ["a 0", "b 0", "a 1", "b 1", "b 2"])
    }

    @Test func `a subscriber may dispatch, subscribe, cancel and read`() {
        let store = store()
        let token = Box<SubscriptionToken?>(nil)
        let first = store.subscribe { [store, notes] state in
            notes.write("\(state.log) \(store.state == state)")
            if state.total == 1 {
                store.dispatch(.add(2))
                store.subscribe { notes.write("new \($0.log)") }
                token.value.withLock { $0 }?.cancel()
            }
        }
        token.value.withLock { $0 = first }
        store.dispatch(.add(1))
        #expect(notes.lines == ["[] true", "[1] true", "new [1, 2]"])
        #expect(store.state.log == [1, 2])
    }

    @Test func `states begin with the present one and keep the newest`() async {
        let store = store()
        store.dispatch(.add(1))
        let states = store.states(bufferLimit: 2)
        for _ in 1...3 { store.dispatch(.add(1)) }
        var seen: [Int] = []
        for await state in states {
            seen.append(state.total)
            if state.total == 4 { break }
        }
        #expect(seen == [3, 4])
        var iterator = store.states.makeAsyncIterator()
        #expect(await iterator.next()?.total == 4)
        store.dispatch(.add(1))
        #expect(await iterator.next()?.total == 5)
    }

    @Test func `an effect's actions arrive without anybody's help`() async throws {
        let store = store()
        let states = store.states
        store.dispatch(.run(Effect { emitter in for n in 1...10 { emitter.send(.add(n)) } }))
        for await state in states where state.log.count == 10 { break }
        #expect(store.state.log == Array(1...10))
    }

    @Test func `effects are listed and cancelled`() async {
        let store = store()
        store.dispatch(.run(.delayed(.add(1), delay: 1, id: "a")))
        store.dispatch(.run(.delayed(.add(1), delay: 1).scoped(to: .node("n"))))
        store.dispatch(.run(.delayed(.add(1), delay: 1)))
        #expect(await store.effects.map(\.id) == ["a", "#2", "#3"])
        store.cancelEffect(id: EffectID("a"))
        store.endScope(.node("n"))
        #expect(await store.effects.map(\.id) == ["#3"])
        store.cancelAllEffects()
        #expect(await store.effects.isEmpty)
    }

    @Test func `published events reach the bus`() {
        let store = store()
        store.getEventBus().subscribe(to: Int.self) { [notes] in notes.write("\($0)") }
        store.eventBus.subscribe(topics: "a.*") { [notes] in notes.write($0.topic) }
        store.dispatch(.run(.publish(topic: "a.b", event: 7)))
        #expect(notes.lines == ["7", "a.b"])
    }

    @Test func `effects do not keep the store, and end with it`() async {
        let (ended, end) = AsyncStream.makeStream(of: Bool.self)
        weak var gone: Store<TallyReducer>?
        do {
            let store = store()
            gone = store
            store.dispatch(
                .run(
                    Effect { [clock] _ in
                        defer { end.yield(Task.isCancelled) }
                        try await clock.sleep(for: .seconds(9))
                    }))
            await clock.waitForSleepers(1)
        }
        #expect(gone == nil)
        for await isCancelled in ended {
            #expect(isCancelled)
            break
        }
    }

    @Test func `a full line makes senders wait and loses nothing`() async {
        let store = Store(initialState: LastSeen(), reducer: LastSeenReducer())
        let limit = Store<LastSeenReducer>.queueLimit
        let (isAtWork, lineIsFull) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        store.subscribe { state in
            if state.last[0] != 1 || state.last[1] != 0 { return }
            isAtWork.signal()
            lineIsFull.wait()
        }
        await withCheckedContinuation { done in
            // A thread of its own: it must be able to fill the line while all others are busy.
            Thread.detachNewThread {
                isAtWork.wait()
                for number in 1...limit + 1_000 {
                    store.dispatch(Step(sender: 1, number: number))
                    if number == limit { lineIsFull.signal() }
                }
                done.resume()
            }
            store.dispatch(Step(sender: 0, number: 1))
        }
        #expect(await store.revision == limit + 1_001)
        #expect(store.state.last[1] == limit + 1_000)
        #expect(store.state.swapped == 0)
    }
    @Test func `the end of the store ends the loops of those who read it`() async {
        var store: Store<TallyReducer>? = Store(initialState: Tally(), reducer: TallyReducer())
        guard let states = store?.states, let totals = store?.values(of: \.total),
            let events = store?.eventBus.events(of: Int.self),
            let topics = store?.eventBus.events(topics: "news.>")
        else { return }
        store?.dispatch(.run(.many(.add(1), .add(2))))
        store?.dispatch(.run(.publish(topic: "news.local", event: 7)))
        store = nil
        var seen: [Int] = []
        for await state in states { seen.append(state.total) }
        for await total in totals { seen.append(total) }
        for await number in events { seen.append(number) }
        for await event in topics { seen.append(event.value as? Int ?? -1) }
        #expect(seen == [0, 0, 1, 3, 3, 0, 1, 3, 7, 7])
    }
}

/// Notices when the steps of a sender come out of order.
struct LastSeen: Statable {
    var last = [0, 0, 0, 0]
    var swapped = 0
}

struct Step: Actionable {
    let sender: Int
    let number: Int
}

struct LastSeenReducer: Reducer {
    func reduce(state: inout LastSeen, action: Step) -> [Effect<Step>] {
        if state.last[action.sender] != action.number - 1 { state.swapped += 1 }
        state.last[action.sender] = action.number
        return []
    }
}
