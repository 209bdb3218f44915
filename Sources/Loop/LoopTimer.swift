import CUV

/// A timer on the loop: fires once after a delay until it is armed again.
///
/// Used on the loop's thread only. The loop keeps it alive until `close`; the closure is let go
/// then.
public final class LoopTimer {
    private let core: Core

    private final class Core: LoopHandle {
        var fire: (() -> Void)?
        var timer: UnsafeMutablePointer<uv_timer_t> {
            UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_timer_t.self)
        }
        override func didClose() { fire = nil }
    }

    /// - Parameter fire: called on the loop's thread each time the timer is due.
    public init(on loop: Loop, fire: @escaping () -> Void) {
        core = Core(bytes: MemoryLayout<uv_timer_t>.size, on: loop)
        uv_timer_init(loop.uv, core.timer)
        core.adopt()
        core.fire = fire
    }

    /// Due after `delay` from now (whole milliseconds, rounded up); an earlier arming is replaced.
    public func arm(after delay: Duration) {
        guard !core.isClosing else { return }
        let (seconds, attoseconds) = delay.components
        let milliseconds =
            seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        uv_update_time(core.handle.pointee.loop)
        uv_timer_start(
            core.timer, { LoopHandle.of($0!.pointee.data, as: Core.self).fire?() },
            UInt64(max(0, milliseconds)), 0)
    }

    /// Not due any more, until armed again.
    public func disarm() {
        if !core.isClosing { uv_timer_stop(core.timer) }
    }

    /// True between `arm` and the firing.
    public var isArmed: Bool { !core.isClosing && uv_is_active(core.handle) != 0 }

    /// Ends the timer for good.
    public func close() { core.closeHandle() }

    deinit { core.abandon() }
}
