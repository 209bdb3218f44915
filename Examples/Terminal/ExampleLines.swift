import Synchronization

/// Lines that come from any thread, put out on the main actor in the order in which they came.
final class ExampleLines: Sendable {
    private let waiting = Mutex<[String]>([])
    /// Puts out a line.
    @MainActor var write: (@MainActor (String) -> Void)?

    init() {}

    /// Has the line put out soon.
    func post(_ line: String) {
        let isFirst = waiting.withLock { lines in
            lines.append(line)
            return lines.count == 1
        }
        if isFirst { Task { @MainActor in flush() } }
    }

    /// Puts out what waits.
    @MainActor
    func flush() {
        let lines = waiting.withLock { lines in
            defer { lines = [] }
            return lines
        }
        for line in lines { write?(line) }
    }
}
