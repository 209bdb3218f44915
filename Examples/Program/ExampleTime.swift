import Rex
import RexExamples
import RexTesting

/// How time passes for an example.
@MainActor
protocol ExampleTime {
    var clock: any Clock<Duration> { get }

    /// Returns when that much time has passed; see `ExampleTerminal`.
    func pass(_ duration: Duration, for example: any TerminalExample) async
}

/// As it does for everybody.
struct RealTime: ExampleTime {
    var clock: any Clock<Duration> { SystemClock() }

    func pass(_ duration: Duration, for example: any TerminalExample) async {
        try? await Task.sleep(for: duration)
    }
}

/// Only when it is told to, second by second: what an example does in one has been done before the
/// next, so it says the same each time.
struct SteppedTime: ExampleTime {
    private let own = TestClock()

    var clock: any Clock<Duration> { own }

    func pass(_ duration: Duration, for example: any TerminalExample) async {
        await rest(example)
        let end = own.now.advanced(by: duration)
        while own.now < end {
            own.advance(by: min(.seconds(1), own.now.duration(to: end)))
            await rest(example)
        }
    }

    /// Returns when each effect sleeps, and what it had to say before has been heard.
    private func rest(_ example: any TerminalExample) async {
        while await example.effectCount() != own.sleepers { await Task.yield() }
        // Words for the main actor were on their way before the effect slept.
        await Task.yield()
    }
}
