import CEdit
import Glibc
import RexClient
import RexLoop

/// A terminal that gives each key at once and echoes none, until `leave`.
final class RawMode: Sendable {
    private let before: Before
    private let signals: Signals

    /// The settings to go back to.
    private struct Before: Sendable {
        private var mode = rex_terminal_mode()

        init() { _ = rex_terminal_raw(STDIN_FILENO, &mode) }

        func restore() {
            var mode = mode
            _ = rex_terminal_restore(STDIN_FILENO, &mode)
        }
    }

    /// - Parameter resized: called when the window has another size.
    init(resized: @escaping @Sendable () -> Void) async {
        let before = Before()
        self.before = before
        signals = await Signals(resized: resized) { status in
            before.restore()
            exit(status)
        }
    }

    /// Gives the terminal back as it was.
    func leave() { before.restore() }

    /// Columns of the window; 80 where it does not say.
    static var columns: Int {
        let columns = Int(rex_terminal_columns(STDOUT_FILENO))
        return columns > 0 ? columns : 80
    }

    /// Signals that end the program or tell of a new size, while the terminal is not itself.
    @ClientLoop private final class Signals {
        private var sources: [SignalSource] = []

        init(resized: @escaping @Sendable () -> Void, end: @escaping @Sendable (Int32) -> Void) {
            let loop = ClientLoop.shared.loop
            for (number, status) in [
                (SignalSource.interrupt, Int32(130)), (SignalSource.terminate, 143),
                (SignalSource.hangUp, 129),
            ] {
                if let source = try? SignalSource(number, on: loop, received: { end(status) }) {
                    sources.append(source)
                }
            }
            let change = try? SignalSource(SignalSource.windowChange, on: loop, received: resized)
            if let change { sources.append(change) }
        }
    }
}
