public import Rex

extension TestStore {
    /// How long an effect has to end after its last action, where nothing else holds it up.
    static var settleLimit: Duration { .milliseconds(200) }

    /// Waits for the next action of an effect, which has to be this one.
    ///
    /// - Parameter change: makes of the state before the one expected after; see `send`.
    public func receive(
        _ action: R.Action, timeout: Duration? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column, _ change: ((inout R.State) throws -> Void)? = nil
    ) async where R.Action: Equatable {
        let place = TestFailure("", fileID: fileID, filePath: filePath, line: line, column: column)
        await receive("'\(text(of: action))'", timeout, at: place, change) { step in
            if step.action == action { return nil }
            return """
                Received an action that was not expected: …

                \(ValueDifference(expected: action, actual: step.action))
                """
        }
    }

    /// Waits for the next action of an effect, which has to be one of this kind.
    public func receive(
        where isExpected: (R.Action) -> Bool, timeout: Duration? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column, _ change: ((inout R.State) throws -> Void)? = nil
    ) async {
        let place = TestFailure("", fileID: fileID, filePath: filePath, line: line, column: column)
        await receive("an action", timeout, at: place, change) { step in
            if isExpected(step.action) { return nil }
            return """
                Received an action that was not expected: …

                \(Self.list(ValueText(step.action).lines))
                """
        }
    }

    /// Passes over the actions of effects that were not received, and what they did.
    public func skipReceivedActions() {
        hear()
        received = []
        last = core.state
        unseen = nil
    }

    private func receive(
        _ name: String, _ timeout: Duration?, at place: TestFailure,
        _ change: ((inout R.State) throws -> Void)?,
        objection: (TestRecord<R>.Step) -> String?
    ) async {
        hasFinished = false
        checkSeen()
        let deadline = ContinuousClock.now.advanced(by: timeout ?? self.timeout)
        while let step = await next(until: deadline) {
            if let objection = objection(step) {
                if exhaustivity == .off {
                    last = step.state
                    continue
                }
                fail(objection, at: place)
                last = step.state
            } else {
                check(step, change, at: place)
            }
            checkFaults(at: place)
            await settle(after: step)
            return
        }
        checkFaults(at: place)
        fail(missing(name, after: timeout ?? self.timeout), at: place)
    }

    /// The next action of an effect; nil where none comes in time.
    private func next(until deadline: ContinuousClock.Instant) async -> TestRecord<R>.Step? {
        while true {
            hear()
            if let step = received.popFirst() { return step }
            if ContinuousClock.now >= deadline || !record.faults.isEmpty { return nil }
            await inbox.wait(until: deadline)
        }
    }

    /// Waits for the end of an effect that has nothing more to do, so that a test that ends here
    /// does not find it running.
    private func settle(after step: TestRecord<R>.Step) async {
        guard case .effect(let id) = step.origin else { return }
        let deadline = ContinuousClock.now.advanced(by: Self.settleLimit)
        while received.isEmpty, clock.sleepers == 0, ContinuousClock.now < deadline,
            core.runningEffects.contains(where: { $0.id == id && !$0.isLongLived })
        {
            await inbox.wait(until: deadline)
            hear()
        }
    }

    private func missing(_ name: String, after time: Duration) -> String {
        let effects = core.runningEffects
        if effects.isEmpty {
            return "Expected to receive \(name), but nothing came, and no effect runs."
        }
        let hint =
            clock.sleepers == 0
            ? "" : "\n\nSomebody sleeps by the store's clock: move it with 'await advance(by:)'."
        return """
            Expected to receive \(name), but nothing came within \(time). These effects run: …

            \(Self.list(effects.map(record.text)))\(hint)
            """
    }
}
