import Rex
import RexLoop
import RexProtocol

/// How much a connection may send in a second. What is over it is neither refused nor lost: the
/// connection is not read from until there is room again, so its frames wait in the kernel and then
/// at whoever sends them, in their order.
extension Server {
    /// A frame, a request of HTTP or a control frame of a WebSocket is about to be served.
    func spendFrame(of connection: Connection) {
        guard limits.framesPerSecond > 0 else { return }
        spend(1, &connection.frameBucket, perSecond: limits.framesPerSecond)
    }

    /// So much has come. It is served, whatever it was; what follows may have to wait.
    func spend(bytes: Int, of connection: Connection) {
        guard connection.isServed else { return }
        if limits.bytesPerSecond > 0 {
            spend(bytes, &connection.byteBucket, perSecond: limits.bytesPerSecond)
        }
        if !connection.isPaused { _ = pauseIfSpent(connection) }
    }

    private func spend(_ count: Int, _ bucket: inout TokenBucket?, perSecond: Int) {
        let now = loop.milliseconds
        if bucket == nil {
            bucket = TokenBucket(
                perSecond: perSecond, burstMilliseconds: limits.burstMilliseconds, at: now)
        }
        bucket?.take(count, at: now)
    }

    /// Stops reading from a connection that has had its share, until it has some again.
    func pauseIfSpent(_ connection: Connection) -> Bool {
        guard connection.isServed else { return false }
        let now = loop.milliseconds
        let frames = connection.frameBucket?.wait(at: now) ?? 0
        let bytes = connection.byteBucket?.wait(at: now) ?? 0
        let wait = UInt64(max(frames, bytes))
        guard wait > 0 else { return false }
        let limit: LimitName = frames >= bytes ? .framesPerSecond : .bytesPerSecond
        metrics.count(limit)
        note(
            .info, "rate_limited", about: connection.session.client.id,
            [
                "client": connection.session.client.id, "peer": connection.socket.peer,
                "limit": limit.rawValue,
            ])
        connection.delayedUntil = now + wait
        connection.isPaused = true
        connection.socket.stopReading()
        // The time that it waits for us is not its own.
        if let began = connection.requestBegan { connection.requestBegan = began + wait }
        add(.goOn(connection: connection.id), at: connection.delayedUntil)
        return true
    }
}
