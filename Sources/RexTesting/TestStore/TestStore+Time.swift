import Rex

extension TestStore {
    /// How long an effect that neither sleeps by the clock nor ends holds up `advance`, in real
    /// time, where the machine is idle; in one call the same one does so once.
    public static var idleLimit: Duration { .milliseconds(100) }
    /// How many turns of all tasks it is given at least, however long they take.
    static var idleTurns: Int { 200 }

    /// Moves the clock from deadline to deadline, and at each lets the effects do what follows: a
    /// timer ticks every time, what failed is tried again, the next step of a sequence begins. What
    /// they send is there to be received.
    ///
    /// It goes on when every effect sleeps by the clock or has ended; one that follows a stream is
    /// not waited for, one that waits for something else no longer than `idleLimit`. To move the
    /// clock at once, and have timers skip what they missed, there is `clock.advance(by:)`.
    public func advance(by duration: Duration) async {
        let end = clock.now.advanced(by: duration)
        var idle = 0
        await rest(but: &idle)
        while let next = clock.nextDeadline, next <= end {
            clock.advance(by: clock.now.duration(to: next))
            await rest(but: &idle)
        }
        clock.advance(by: clock.now.duration(to: end))
    }

    /// Waits until every task of an effect but so many sleeps; those that still do not sleep when
    /// the time is up are added to these.
    private func rest(but idle: inout Int) async {
        let deadline = ContinuousClock.now.advanced(by: Self.idleLimit)
        var turns = 0
        while true {
            let sleepers = clock.sleepers
            hear()
            // Who had slept has been heard; who was cancelled just now does not sleep any more.
            let missing = core.workingTasks - idle - min(sleepers, clock.sleepers)
            if missing <= 0 { return }
            if turns >= Self.idleTurns && ContinuousClock.now >= deadline {
                idle += missing
                return
            }
            // Behind whatever is ready to run: on a busy machine a turn takes longer.
            await Task.detached { await Task.yield() }.value
            turns += 1
        }
    }
}
