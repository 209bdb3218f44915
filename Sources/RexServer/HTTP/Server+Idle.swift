import RexLoop
import RexProtocol
import RexWebSocket

/// Connections that say nothing: one of HTTP without a request is closed, a WebSocket is asked for
/// a sign of life before that. Lines may be silent for ever: who only watches has nothing to say.
extension Server {
    func awaitSilence(of connection: Connection) {
        guard limits.idleMilliseconds > 0 else { return }
        add(.idle(connection: connection.id), after: limits.idleMilliseconds)
    }

    func checkIdle(_ connection: Connection) {
        guard connection.isServed else { return }
        let idle = UInt64(limits.idleMilliseconds)
        let now = loop.milliseconds
        let silence = now - connection.session.lastHeard
        switch connection.wire {
        case .lines, .events: return
        // Who asked for a heartbeat is looked after by that.
        case .webSocket where connection.session.heartbeat > 0: return
        case _ where silence < idle:
            return add(.idle(connection: connection.id), at: connection.session.lastHeard + idle)
        // It waits for us, not we for it; or for the rest of a request, which has its own time.
        case _
        where connection.isPaused || connection.requestBegan != nil
            || connection.outbox.pendingBytes > 0:
            return add(.idle(connection: connection.id), at: now + idle)
        case .webSocket(let framer) where connection.session.unansweredPings == 0:
            connection.session.unansweredPings = 1
            replyBytes(to: connection, isPublic: true) { $0.bytes += framer.ping() }
            return add(.idle(connection: connection.id), at: now + idle)
        default: break
        }
        // The loop may have been busy for longer than that: what came meanwhile is read first.
        guard connection.session.isSuspect else {
            connection.session.isSuspect = true
            return add(.idle(connection: connection.id), at: now)
        }
        metrics.count(.idleMilliseconds)
        close(connection, .idle, "nothing was heard for \(silence) ms")
    }
}
