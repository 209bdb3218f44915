import Rex

extension TestStore {
    /// Hears what effects have to say, without waiting.
    func hear() {
        for event in inbox.take() { core.receive(event) }
        received += takeSteps()
    }

    /// What was committed since the last time; all but the first came of effects.
    func takeSteps() -> [TestRecord<R>.Step] {
        defer { record.steps = [] }
        return record.steps
    }

    /// What has to be so before the next step: nothing is left of the ones before.
    func prepare(for step: String, at place: TestFailure) {
        hasFinished = false
        hear()
        checkSeen()
        checkFaults(at: place)
        if received.isEmpty { return }
        if exhaustivity == .on {
            fail(
                """
                Before \(step), \(Self.count(received.count, "action")) of effects \
                \(received.count == 1 ? "has" : "have") to be received: …

                \(Self.list(received.map { text(of: $0.action) }))
                """, at: place)
        }
        skipReceivedActions()
    }

    /// Compares the state after a step with what the test expects, and makes it the store's.
    func check(
        _ step: TestRecord<R>.Step, _ change: ((inout R.State) throws -> Void)?,
        at place: TestFailure
    ) {
        let before = last
        last = step.state
        guard let change else {
            if before != last { unseen = (step.action, before, place) }
            return
        }
        var expected = exhaustivity == .on ? before : last
        do {
            try change(&expected)
        } catch {
            fail("The closure of '\(text(of: step.action))' threw: \(error)", at: place)
            return
        }
        if expected == last { return }
        fail(
            """
            The state after '\(text(of: step.action))' is not as expected: …

            \(ValueDifference(expected: expected, actual: last))
            """, at: place)
    }

    /// A change that the test neither said nor looked at.
    func checkSeen() {
        guard let (action, before, place) = unseen.take(), exhaustivity == .on else { return }
        fail(
            """
            '\(text(of: action))' changed the state, and nobody looked: …

            \(ValueDifference(expected: before, actual: last))

            Say what changes in a closure, or read 'state' before the next step.
            """, at: place)
    }

    func checkFaults(at place: TestFailure) {
        for (fault, action) in record.faults {
            switch fault {
            case .effectFailed(let id, let error):
                fail("The effect '\(id)' failed: \(error)", at: place)
            case .actionRefused(let origin, let error):
                fail(
                    "\(action ?? "An action") came from \(origin), and was refused: \(error)",
                    at: place)
            case .effectNotStarted(let limit):
                fail("An effect was not started: \(limit)", at: place)
            }
        }
        record.faults = []
    }

    func text(of action: R.Action) -> String { ValueText(action).line }

    static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }

    static func list(_ lines: [String]) -> String {
        lines.map { "    \($0)" }.joined(separator: "\n")
    }
}
