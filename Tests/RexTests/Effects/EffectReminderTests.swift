import Foundation
import Rex
import RexTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1)))
struct EffectReminderTests {
    /// A calendar that a test sets.
    private final class Calendar: Sendable {
        let seconds = Mutex(1_000.0)
        var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }
        func set(_ new: Double) { seconds.withLock { $0 = new } }
    }

    private let inbox = Inbox<TallyAction>()
    private let clock = TestClock()
    private let calendar = Calendar()

    private func core() -> StoreCore<TallyReducer> {
        StoreCore(
            initialState: Tally(), reducer: TallyReducer(), clock: clock,
            now: { [calendar] in calendar.now }, inbox: inbox.post)
    }

    private func date(_ seconds: Double) -> Date { Date(timeIntervalSince1970: seconds) }

    @Test func `it comes once, at its time, and is noted before its commit`() async {
        let core = core()
        var log: [String] = []
        core.onReminder = { id, reminder in
            log.append("\(id.rawValue) \(reminder == nil ? "removed" : "set")")
        }
        core.onCommit = { log.append("commit \($0.revision)") }
        core.dispatch(.run(.reminder(.add(1), id: "r", at: date(1_005))))
        #expect(core.runningEffects.map(\.id) == ["r"])
        await clock.waitForSleepers(1)
        calendar.set(1_005)
        clock.advance(by: .seconds(5))
        await inbox.serve(core) { core.runningEffects.isEmpty }
        #expect(core.state.log == [1])
        #expect(log == ["commit 1", "r set", "r removed", "commit 2"])
    }

    @Test func `one whose time has passed comes at once`() async {
        let core = core()
        core.resume(Reminder(id: "late", date: date(10), action: .add(7)))
        await inbox.serve(core) { core.runningEffects.isEmpty }
        #expect(core.state.log == [7] && core.revision == 1)
    }

    @Test func `a clock that is set forward brings it, one that is set back does not`() async {
        let core = core()
        core.dispatch(.run(.reminder(.add(1), id: "r", at: date(1_000 + 3_600))))
        await clock.waitForSleepers(1)
        calendar.set(900)
        await clock.advance(by: .seconds(60), keeping: 1)
        #expect(core.state.log.isEmpty)
        calendar.set(5_000)
        clock.advance(by: .seconds(60))
        await inbox.serve(core) { core.runningEffects.isEmpty }
        #expect(core.state.log == [1])
    }

    @Test func `a later one under the same id takes its place, and cancel removes it`() {
        let core = core()
        var set = 0
        var removed = 0
        core.onReminder = { if $1 == nil { removed += 1 } else { set += 1 } }
        core.dispatch(.run(.reminder(.add(1), id: "r", at: date(2_000))))
        core.dispatch(.run(.reminder(.add(2), id: "r", at: date(3_000))))
        #expect(core.runningEffects.count == 1 && set == 2 && removed == 1)
        #expect(core.cancelEffect(id: "r") == 1)
        #expect(removed == 2 && core.runningEffects.isEmpty)
    }
}
