import RexLoop

/// Notices when the other side has gone without a word: a cable pulled, a machine stopped.
@ClientLoop final class Heartbeat {
    private var timer: LoopTimer?
    private var hasHeard = false
    private var hasAsked = false

    /// - Parameter silent: called after each span of silence: first with false (ask for a sign of
    ///   life), then, when none came, with true.
    init(every span: Duration, silent: @escaping (Bool) -> Void) {
        timer = LoopTimer(on: ClientLoop.shared.loop) { [unowned self] in
            if hasHeard {
                hasAsked = false
            } else {
                silent(hasAsked)
                hasAsked = true
            }
            hasHeard = false
            timer?.arm(after: span)
        }
        timer?.arm(after: span)
    }

    /// Something came.
    func heard() { hasHeard = true }

    func close() {
        timer?.close()
        timer = nil
    }
}
