/// A loop that runs on a thread of its own, from the moment this is made.
///
/// For programs that are not servers: a client's sockets live on such a loop while the program's
/// own code runs elsewhere. What must be set up before the first turn goes into `prepare`.
public final class LoopThread: Sendable {
    /// The loop; an executor for actors and tasks.
    public let loop: Loop

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: what `top -H` shows; at most 15 bytes.
    ///   - prepare: called once on the calling thread, before the loop runs; the place for
    ///     `onTurnEnd` and `onWake`.
    public init(named name: String = "rex-loop", prepare: (Loop) -> Void = { _ in }) {
        let loop = Loop()
        self.loop = loop
        prepare(loop)
        loop.start(named: name)
    }

    /// Ends the loop after its present turn; its sockets and timers are closed. The thread ends by
    /// itself.
    public func stop() { loop.stop() }
}
