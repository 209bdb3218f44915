import CEdit
import Glibc
import RexClient
import RexLoop

/// The terminal's settings as the program found them, to be given back however it ends.
struct TerminalMode: Sendable {
    private var mode = rex_terminal_mode()

    /// The present settings of standard input.
    init() { _ = rex_terminal_save(STDIN_FILENO, &mode) }

    /// Gives each key at once and echoes none; Ctrl-C is a key.
    func enterRaw() {
        var mode = mode
        _ = rex_terminal_raw(STDIN_FILENO, &mode)
    }

    /// Gives the terminal back as it was.
    func restore() {
        var mode = mode
        _ = rex_terminal_restore(STDIN_FILENO, &mode)
    }

    /// Columns of the window; 80 where it does not say.
    static var columns: Int {
        let columns = Int(rex_terminal_columns(STDOUT_FILENO))
        return columns > 0 ? columns : 80
    }
}

/// While the terminal is not as it was: a signal that ends the program gives it back first.
@ClientLoop final class TerminalGuard {
    private var sources: [SignalSource] = []

    /// - Parameter resized: called when the window has another size.
    init(_ mode: TerminalMode, resized: @escaping @Sendable () -> Void = {}) {
        let loop = ClientLoop.shared.loop
        for (number, status) in [
            (SignalSource.interrupt, Int32(130)), (SignalSource.terminate, 143),
            (SignalSource.hangUp, 129),
        ] {
            let source = try? SignalSource(number, on: loop) {
                mode.restore()
                exit(status)
            }
            if let source { sources.append(source) }
        }
        let change = try? SignalSource(SignalSource.windowChange, on: loop, received: resized)
        if let change { sources.append(change) }
    }
}
