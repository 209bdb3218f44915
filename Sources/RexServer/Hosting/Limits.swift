import Rex

/// Every bound of the server, each with the name it has on the wire (in `welcome.limits`) and in a
/// configuration file.
///
/// Sizes are bytes, times whole milliseconds. What happens at a bound is said at each; protocol.md
/// lists them all.
public struct Limits: Sendable, Equatable {
    /// One frame, without its line feed. Over it: `too_large`, and the connection is closed.
    public var frameBytes = 1_048_576
    /// Nesting of arrays and objects in one frame. Over it: `bad_json`.
    public var depth = 128
    /// Connections at one time. Over it a new one gets `overloaded` and is closed.
    public var connections = 10_000
    /// Connections of one address at one time (of IPv6: of one /64); 0 for as many as there are.
    /// Over it a new one gets `overloaded` and is closed.
    public var addressConnections = 10_000
    /// Frames that one connection may send in a second, requests over HTTP among them; 0 for any
    /// number. Over it the connection is not read from until there is room again.
    public var framesPerSecond = 0
    /// Bytes that one connection may send in a second; 0 for any number. Over it as above.
    public var bytesPerSecond = 0
    /// Actions that one user may dispatch in a second, on all connections together; a connection
    /// without a user counts for itself; 0 for any number. Over it: `rate_limited`.
    public var dispatchesPerSecond = 0
    /// Who was silent for so long may send at once what it could have sent in that time.
    public var burstMilliseconds = 1_000
    /// Users whose dispatches are counted at one time. Over it another one gets `overloaded`.
    public var ratedUsers = 10_000
    /// Subscriptions of one connection. Over it: `overloaded`.
    public var subscriptions = 256
    /// Listeners of one connection. Over it: `overloaded`.
    public var listeners = 256
    /// Length of a topic or a pattern. Over it: `bad_topic`.
    public var topicBytes = Topic.byteLimit
    /// Bytes waiting for one connection. Over it patches are merged until it has drained, frames
    /// are no longer read from it, and of its events the oldest are lost.
    public var outboxBytes = 1_048_576
    /// Bytes waiting for all connections; what they share counts once. Over three quarters of it
    /// an eighth of `outboxBytes` may wait for each; over it those with most are closed with
    /// `too_slow`.
    public var outboxTotalBytes = 268_435_456
    /// How long a connection may leave a full outbox unread before it is closed with `too_slow`.
    public var stallMilliseconds = 30_000
    /// Commits of each store that history, time travel and resuming reach back.
    public var historyCommits = 100_000
    /// Bytes of actions and patches that each store's history may hold, with 128 for each commit.
    /// States kept as they are for the sake of speed take about as much again, at most.
    public var historyBytes = 67_108_864
    /// Entries of one `history` reply.
    public var historyEntries = 1_000
    /// Idempotency keys that each store remembers. Over it the oldest are forgotten.
    public var keys = 100_000
    /// Length of one key. Over it: `bad_frame`.
    public var keyBytes = 256
    /// How long a key is remembered.
    public var keyMilliseconds = 86_400_000
    /// Commits that each durable store keeps on disk; older ones go with the next snapshot.
    public var journalCommits = 1_000_000
    /// Bytes of commits that each durable store keeps on disk, and a quarter of that in snapshots.
    public var journalBytes = 1_073_741_824
    /// How long a durable store keeps a commit on disk.
    public var journalMilliseconds = 315_360_000_000
    /// Bytes of commits that may wait for the disk. Over it: `overloaded`.
    public var journalQueueBytes = 16_777_216
    /// Commits of a durable store after which its whole state is stored.
    public var snapshotCommits = 10_000
    /// Bytes of commits after which the whole state is stored, where the last one had less.
    public var snapshotBytes = 8_388_608
    /// Stores, forks included. Over it: `overloaded`.
    public var stores = 64
    /// Length of a fork's name, and of a client's own name in `hello`. Over it: `bad_frame`.
    public var nameBytes = 128
    /// Length of a path into a state. Over it: `bad_frame`.
    public var pathBytes = 1_024
    /// The longest `throttle_ms`. Over it: `bad_frame`.
    public var throttleMilliseconds = 60_000
    /// The shortest `heartbeat_ms` (the longest is an hour). Outside: `bad_frame`.
    public var heartbeatMilliseconds = 100
    /// Acks with `"await":"effects"` that one connection may have outstanding. Over it:
    /// `overloaded`.
    public var awaitedEffects = 1_024
    /// Effects of one store at one time. Over it an effect is not started, and the log says so.
    public var effects = 100_000
    /// How long an HTTP request may take to arrive. Over it: 408.
    public var requestMilliseconds = 10_000
    /// How long a connection of HTTP may be without a request, and a WebSocket without a sign of
    /// life, which is asked for then; 0 for ever. Over it, it is closed with `idle`.
    public var idleMilliseconds = 75_000
    /// Clients that are several HTTP requests (`Rex-Session`). Over it: `overloaded`.
    public var sessions = 10_000
    /// How long such a client lives without a request.
    public var sessionMilliseconds = 60_000
    /// How long a client that was welcomed may take to come back before it counts as gone.
    public var graceMilliseconds = 10_000
    /// How long the frames of one connection are served in a turn, before others have theirs.
    public var turnMilliseconds = 10
    /// How long a shutdown may take.
    public var drainMilliseconds = 5_000
    /// How long a TLS handshake may take, and somebody to say who they are where that is asked.
    public var handshakeMilliseconds = 10_000
    /// How long the program may take to say whether a client may dispatch an action. Over it:
    /// `overloaded`.
    public var authorizeMilliseconds = 10_000
    /// How long a closed connection is still read, so that its reason arrives.
    public var lingerMilliseconds = 1_000

    /// The defaults.
    public init() {}

    /// The values that a bound may be set to. Frames are read by recursion, so their depth has a
    /// highest one of its own; what can be left out may be 0.
    static func range(of name: String) -> ClosedRange<Int> {
        switch name {
        case "depth": 1...512
        case "topic_bytes": 1...Topic.byteLimit
        case "burst_ms": 1...60_000
        case "address_connections", "frames_per_second", "bytes_per_second",
            "dispatches_per_second", "idle_ms":
            0...(1 << 40)
        default: 1...(1 << 40)
        }
    }

    /// Name, value and place of each bound, in the order of the documentation.
    public static let all: [(name: String, bound: any WritableKeyPath<Limits, Int> & Sendable)] = [
        ("frame_bytes", \.frameBytes), ("depth", \.depth), ("connections", \.connections),
        ("address_connections", \.addressConnections),
        ("frames_per_second", \.framesPerSecond), ("bytes_per_second", \.bytesPerSecond),
        ("dispatches_per_second", \.dispatchesPerSecond), ("burst_ms", \.burstMilliseconds),
        ("rated_users", \.ratedUsers),
        ("subscriptions", \.subscriptions), ("listeners", \.listeners),
        ("topic_bytes", \.topicBytes),
        ("outbox_bytes", \.outboxBytes), ("outbox_total_bytes", \.outboxTotalBytes),
        ("stall_ms", \.stallMilliseconds),
        ("history_commits", \.historyCommits), ("history_bytes", \.historyBytes),
        ("history_entries", \.historyEntries), ("keys", \.keys), ("key_bytes", \.keyBytes),
        ("key_ttl_ms", \.keyMilliseconds), ("journal_commits", \.journalCommits),
        ("journal_bytes", \.journalBytes), ("journal_ms", \.journalMilliseconds),
        ("journal_queue_bytes", \.journalQueueBytes), ("snapshot_commits", \.snapshotCommits),
        ("snapshot_bytes", \.snapshotBytes), ("stores", \.stores), ("name_bytes", \.nameBytes),
        ("path_bytes", \.pathBytes),
        ("throttle_ms", \.throttleMilliseconds), ("heartbeat_ms", \.heartbeatMilliseconds),
        ("awaited_effects", \.awaitedEffects), ("effects", \.effects),
        ("handshake_ms", \.handshakeMilliseconds), ("authorize_ms", \.authorizeMilliseconds),
        ("request_ms", \.requestMilliseconds), ("idle_ms", \.idleMilliseconds),
        ("sessions", \.sessions),
        ("session_ms", \.sessionMilliseconds), ("grace_ms", \.graceMilliseconds),
        ("turn_ms", \.turnMilliseconds),
        ("drain_ms", \.drainMilliseconds),
        ("linger_ms", \.lingerMilliseconds),
    ]
}
