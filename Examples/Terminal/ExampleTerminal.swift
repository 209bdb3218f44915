import Rex

/// A person at an example: hands it line by line, and answers those that every example has.
@MainActor
public final class ExampleTerminal {
    /// Every example.
    public static let examples: [any TerminalExample.Type] = [
        AlertScreen.self, ChatTerminal.self, GameTerminal.self, LoginTerminal.self,
        StepScreen.self,
    ]

    /// The example that is used.
    public let example: any TerminalExample
    private let write: @MainActor (String) -> Void
    private let pass: @MainActor (any TerminalExample, Duration) async -> Void

    /// Begins an example.
    ///
    /// - Parameters:
    ///   - clock: what its timers sleep by.
    ///   - write: puts out a line.
    ///   - pass: returns when that much time has passed for the example; asked for zero, when what
    ///     it has begun has come to rest.
    public init(
        _ example: any TerminalExample.Type, clock: any Clock<Duration>,
        write: @escaping @MainActor (String) -> Void,
        pass: @escaping @MainActor (any TerminalExample, Duration) async -> Void
    ) {
        self.example = example.init(clock: clock, write: write)
        self.write = write
        self.pass = pass
    }

    /// Takes a line. False when it was the last: `quit`.
    public func take(_ line: String) async -> Bool {
        let words = line.split(separator: " ").map(String.init)
        switch words.first {
        case nil: return true
        case "quit": return false
        case "help": help()
        case "wait": await wait(words)
        default: await act(words)
        }
        await example.show()
        return true
    }

    private func act(_ words: [String]) async {
        do {
            try await example.take(words)
        } catch {
            write("! \(error)")
        }
        await pass(example, .zero)
    }

    /// The longest `wait`, in seconds.
    public static var waitLimitSeconds: Int { 3_600 }

    private func wait(_ words: [String]) async {
        let seconds = words.count == 2 ? Int(words[1]) : nil
        guard let seconds, (0...Self.waitLimitSeconds).contains(seconds) else {
            return write("! wait SECONDS, up to \(Self.waitLimitSeconds)")
        }
        await pass(example, .seconds(seconds))
    }

    private func help() {
        for line in type(of: example).usage { write(line) }
        write("wait SECONDS, help, quit")
    }
}
