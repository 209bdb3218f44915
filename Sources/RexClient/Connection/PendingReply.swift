import RexLoop
import RexProtocol

/// The answer to a request that has been sent: there, or still to come.
///
/// Made by `RexConnection.post`, so that many requests can be under way at once, their order
/// certain.
@ClientLoop public final class PendingReply {
    private var result: Result<ServerFrame, ConnectionError>?
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var timer: LoopTimer?
    private let giveUp: (ConnectionError) -> Void

    /// What is done with the answer before anybody else sees it.
    let onReply: ((ServerFrame) -> Void)?

    init(
        timeout: Duration, onReply: ((ServerFrame) -> Void)?,
        giveUp: @escaping (ConnectionError) -> Void
    ) {
        self.onReply = onReply
        self.giveUp = giveUp
        timer = LoopTimer(on: ClientLoop.shared.loop) { [unowned self] in
            self.giveUp(.timedOut(after: timeout))
        }
        timer!.arm(after: timeout)
    }

    /// True once the answer is there, good or bad.
    public var isSettled: Bool { result != nil }

    func settle(_ result: Result<ServerFrame, ConnectionError>) {
        guard self.result == nil else { return }
        self.result = result
        timer?.close()
        timer = nil
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    /// The answer; waits for it.
    ///
    /// - Throws: `refused` when the server said no, `timedOut`, `closed`, `lost`. Cancelling the
    ///   task that waits throws `cancelled`; the request itself is not taken back.
    public func frame() async throws(ConnectionError) -> ServerFrame {
        if result == nil {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    if result != nil { return continuation.resume() }
                    waiters.append(continuation)
                    if Task.isCancelled { giveUp(.cancelled) }
                }
            } onCancel: {
                Task { @ClientLoop in giveUp(.cancelled) }
            }
        }
        return try result!.get()
    }
}
