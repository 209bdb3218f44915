import RexTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TestClockTests {
    let clock = TestClock()
    let notes = Notebook()

    @Test func `it stands still, and wakes whoever's time has come`() async throws {
        let early = Task { [clock] in try await clock.sleep(for: .seconds(1)) }
        let late = Task { [clock] in try await clock.sleep(for: .seconds(2)) }
        await clock.waitForSleepers(2)
        clock.advance(by: .milliseconds(999))
        #expect(clock.sleepers == 2)
        clock.advance(by: .milliseconds(1))
        #expect(clock.sleepers == 1)
        try await early.value
        clock.run()
        try await late.value
        #expect(clock.now.offset == .seconds(2))
    }

    @Test func `a moment that has passed is not waited for`() async throws {
        clock.advance(by: .seconds(3))
        try await clock.sleep(until: .init(offset: .seconds(3)))
    }

    @Test func `a cancelled sleeper wakes with an error`() async {
        let sleeper = Task { [clock] in try await clock.sleep(for: .seconds(1)) }
        await clock.waitForSleepers(1)
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleepers == 0)
        let dead = Task { [clock] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await dead.value }
    }

    @Test func `a cancelled wait for sleepers ends`() async {
        let waiter = Task { [clock] in await clock.waitForSleepers(1) }
        waiter.cancel()
        await waiter.value
    }

    @Test func `it can go from deadline to deadline`() async {
        let ticker = Task { [clock, notes] in
            for second in 1...4 {
                try await clock.sleep(until: .init(offset: .seconds(second)))
                notes.write("\(clock.now.offset)")
            }
            try await clock.sleep(for: .seconds(100))
        }
        // It need not sleep yet.
        await clock.advance(by: .milliseconds(4_500), keeping: 1)
        #expect(notes.lines == (1...4).map { "\(Duration.seconds($0))" })
        #expect(clock.now.offset == .milliseconds(4_500))
        ticker.cancel()
    }

    @Test func `it may be moved as far as a Duration goes`() async throws {
        let far = Duration.seconds(Int64.max)
        let sleeper = Task { [clock] in try await clock.sleep(for: far) }
        await clock.waitForSleepers(1)
        clock.advance(by: far - .nanoseconds(1))
        #expect(clock.sleepers == 1)
        clock.advance(by: .nanoseconds(1))
        try await sleeper.value
    }

    @Test func `who waits for sleepers that do not come fails the test`() async {
        let ahead = clock.now
        await withKnownIssue {
            await clock.waitForSleepers(2, timeout: .milliseconds(1), line: 7)
        } matching: { issue in
            issue.sourceLocation?.line == 7
                && issue.comments.map(\.rawValue) == [
                    """
                    Waited 0.001 seconds until 2 tasks sleep by the clock: there are 0.

                    Was the timer started, and does it sleep by this clock?
                    """
                ]
        }
        await withKnownIssue {
            await clock.advance(by: .seconds(1), keeping: 1, timeout: .milliseconds(1))
        }
        #expect(clock.now == ahead.advanced(by: .seconds(1)))
    }
}
