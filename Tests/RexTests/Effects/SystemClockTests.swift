import Synchronization
import Testing

@testable import Rex

/// The clock of the system sleeps for real here: that is what is tested. Nobody waits longer than
/// for what comes of it.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct SystemClockTests {
    let clock = SystemClock()

    @Test func `sleepers wake, and none before its deadline`() async throws {
        let notes = Notebook()
        let start = clock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for milliseconds in [160, 5, 80, 1, 0, -7] {
                group.addTask { [clock] in
                    let deadline = start.advanced(by: .milliseconds(milliseconds))
                    try await clock.sleep(until: deadline)
                    #expect(clock.now >= deadline)
                    notes.write("\(milliseconds)")
                }
            }
            try await group.waitForAll()
        }
        #expect(Set(notes.lines) == ["160", "5", "80", "1", "0", "-7"])
    }

    @Test func `a sleeper that is cancelled is gone at once, however late it was to wake`() async {
        let tasks = (1...1_000).map { number in
            Task { [clock] in try await clock.sleep(for: .seconds(3_600 + number)) }
        }
        while SystemClock.sleeperCount < tasks.count { await Task.yield() }
        for task in tasks { task.cancel() }
        var woken = 0
        for task in tasks where await (try? task.value) != nil { woken += 1 }
        #expect(woken == 0)
        // Other tests may sleep by it too.
        #expect(SystemClock.sleeperCount < tasks.count / 2)
    }

    @Test func `who is cancelled already does not sleep`() async {
        let task = Task { [clock] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(3_600))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `an earlier deadline is not kept waiting by a later one`() async throws {
        let late = Task { [clock] in try await clock.sleep(for: .seconds(3_600)) }
        while SystemClock.sleeperCount == 0 { await Task.yield() }
        let time = try await clock.measure { try await clock.sleep(for: .milliseconds(30)) }
        #expect(time >= .milliseconds(30))
        late.cancel()
    }
}
