public import Rex

extension TestStore {
    /// Waits until the effects that end by themselves have ended, and then looks for what is left:
    /// a change that nobody looked at, actions that nobody received, effects that still run. A test
    /// whose effects send nothing ends with it; any other may. What is sent or received after it is
    /// looked at again when the test ends.
    public func finish(
        timeout: Duration? = nil,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
        column: UInt = #column
    ) async {
        let place = TestFailure("", fileID: fileID, filePath: filePath, line: line, column: column)
        let deadline = ContinuousClock.now.advanced(by: timeout ?? self.timeout)
        hear()
        while ContinuousClock.now < deadline,
            core.runningEffects.contains(where: { !$0.isLongLived })
        {
            await inbox.wait(until: deadline)
            hear()
        }
        checkEnd(at: place)
        hasFinished = true
    }

    /// Ends every effect, so that none is left.
    public func cancelAllEffects() {
        hear()
        core.cancelAllEffects()
    }

    /// Ends every effect with this id and returns how many there were.
    @discardableResult
    public func cancelEffect(id: EffectID) -> Int {
        hear()
        return core.cancelEffect(id: id)
    }

    /// What is left when the test ends.
    func checkEnd(at place: TestFailure) {
        hear()
        checkSeen()
        checkFaults(at: place)
        guard exhaustivity == .on else { return }
        if !received.isEmpty {
            fail(
                """
                At the end of the test \(Self.count(received.count, "action")) of effects \
                \(received.count == 1 ? "was" : "were") not received: …

                \(Self.list(received.map { text(of: $0.action) }))

                Receive what is expected, or say 'skipReceivedActions()'.
                """, at: place)
        }
        let effects = core.runningEffects
        if effects.isEmpty { return }
        fail(
            """
            At the end of the test \(Self.count(effects.count, "effect")) still \
            \(effects.count == 1 ? "runs" : "run"): …

            \(Self.list(effects.map(record.text)))

            Wait with 'await finish()', move the clock with 'await advance(by:)', or end them with \
            an action or 'cancelAllEffects()'.
            """, at: place)
    }
}
