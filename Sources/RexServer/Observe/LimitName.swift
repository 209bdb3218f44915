import RexProtocol

/// The bounds at which somebody is refused, delayed or ended: how often is counted. Named as in
/// `Limits.all`; those that only say how much is kept, or for how long, are not among them.
enum LimitName: String, CaseIterable {
    case frameBytes = "frame_bytes"
    case depth
    case connections
    case addressConnections = "address_connections"
    case framesPerSecond = "frames_per_second"
    case bytesPerSecond = "bytes_per_second"
    case dispatchesPerSecond = "dispatches_per_second"
    case ratedUsers = "rated_users"
    case subscriptions
    case listeners
    case topicBytes = "topic_bytes"
    case outboxBytes = "outbox_bytes"
    case outboxTotalBytes = "outbox_total_bytes"
    case stallMilliseconds = "stall_ms"
    case keyBytes = "key_bytes"
    case journalQueueBytes = "journal_queue_bytes"
    case stores
    case nameBytes = "name_bytes"
    case pathBytes = "path_bytes"
    case throttleMilliseconds = "throttle_ms"
    case heartbeatMilliseconds = "heartbeat_ms"
    case awaitedEffects = "awaited_effects"
    case effects
    case handshakeMilliseconds = "handshake_ms"
    case authorizeMilliseconds = "authorize_ms"
    case requestMilliseconds = "request_ms"
    case idleMilliseconds = "idle_ms"
    case sessions
    case turnMilliseconds = "turn_ms"
}

extension Server {
    /// Counts that a bound was met, and hands the error for it on.
    func limit(_ name: LimitName, _ error: WireError) -> WireError {
        metrics.count(name)
        return error
    }
}
