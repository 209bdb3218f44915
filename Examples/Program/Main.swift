import Rex
import RexExamples
import RexLoop
import RexTesting

/// Plays one of the examples: a line in, lines out.
@main @MainActor struct Main {
    private static let usageStatus: Int32 = 2

    static func main() async {
        StandardStreams.openMissing()
        let words = CommandLine.arguments.dropFirst()
        let isStepped = words.contains("--stepped")
        let names = words.filter { $0 != "--stepped" }
        guard names.count == 1, let name = names.first,
            let example = ExampleTerminal.examples.first(where: { $0.name == name })
        else {
            StandardStreams.writeError(Array(usage.utf8))
            StandardStreams.exit(usageStatus)
        }
        await play(example, isStepped ? SteppedTime() : RealTime(), echoes: isStepped)
    }

    private static var usage: String {
        let list = ExampleTerminal.examples.map { example in
            let name = example.name + String(repeating: " ", count: 8 - example.name.count)
            return "  \(name)\(example.summary)\n"
        }
        return """
            usage: rex-examples NAME [--stepped]
            \(list.joined())
            --stepped   time passes only where a line says 'wait SECONDS', and lines are repeated

            """
    }

    private static func play(
        _ example: any TerminalExample.Type, _ time: any ExampleTime, echoes: Bool
    ) async {
        let input = InputLines()
        let terminal = ExampleTerminal(
            example, clock: time.clock, write: { say("\($0)\n") },
            pass: { await time.pass($1, for: $0) })
        say("> ")
        while let line = await input.next() {
            if echoes { say("\(line)\n") }
            guard await terminal.take(line) else { return }
            say("> ")
        }
        say("\n")
    }

    /// Ends the program where nobody reads any more.
    private static func say(_ text: String) {
        do {
            if try !StandardStreams.writeOutput(Array(text.utf8)) { StandardStreams.exit(0) }
        } catch {
            StandardStreams.writeError(Array("\(error)\n".utf8))
            StandardStreams.exit(1)
        }
    }
}

/// Standard input, read on a thread of its own, because reading waits.
private actor InputLines {
    private nonisolated let thread = LoopThread()
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.loop.asUnownedSerialExecutor()
    }

    /// The next line; nil at the end.
    func next() -> String? { readLine() }
}
