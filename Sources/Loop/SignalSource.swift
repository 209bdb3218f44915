import CUV
import Glibc

/// Signals that arrive as callbacks on the loop.
public final class SignalSource {
    private let core: Core

    private final class Core: LoopHandle {
        var received: (() -> Void)?
        var signal: UnsafeMutablePointer<uv_signal_t> {
            UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_signal_t.self)
        }
        override func didClose() { received = nil }
    }

    /// - Parameter received: called on the loop's thread for each delivery of `number` (such as
    ///   SIGTERM).
    public init(_ number: Int32, on loop: Loop, received: @escaping () -> Void) throws(LoopError) {
        core = Core(bytes: MemoryLayout<uv_signal_t>.size, on: loop)
        uv_signal_init(loop.uv, core.signal)
        core.adopt()
        core.received = received
        let status = uv_signal_start(
            core.signal,
            { handle, _ in LoopHandle.of(handle!.pointee.data, as: Core.self).received?() }, number)
        if status < 0 {
            core.closeHandle()
            throw LoopError("watch signal", "\(number)", code: status)
        }
    }

    /// Stops watching; the signal has its default effect again.
    public func close() { core.closeHandle() }

    deinit { core.abandon() }

    /// Unblocks every signal for this thread and those it starts: a program started by another may
    /// inherit a mask that blocks SIGTERM.
    public static func clearInheritedMask() {
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
    }

    /// SIGINT: Ctrl-C.
    public static let interrupt = SIGINT
    /// SIGTERM: a service manager's wish to end.
    public static let terminate = SIGTERM
    /// SIGHUP: read the configuration again.
    public static let hangUp = SIGHUP
    /// SIGWINCH: the terminal has another size.
    public static let windowChange = SIGWINCH
}
