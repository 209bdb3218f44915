import RexLoop

/// Where a client's sockets live: one event loop on one thread for all connections of the process.
///
/// A global actor, so connections are plain classes on it: they call each other without a hop and
/// without a lock, and the compiler keeps everybody else out. The thread starts with the first
/// connection.
@globalActor public actor ClientLoop {
    /// The one loop of the process.
    public static let shared = ClientLoop()

    private nonisolated let thread: LoopThread

    /// The loop itself, for timers and signals.
    package nonisolated var loop: Loop { thread.loop }

    /// The loop's thread.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        loop.asUnownedSerialExecutor()
    }

    private init() { thread = LoopThread() }
}

/// Act now, write later: connections that have something to send are noted here and written once,
/// at the end of the loop's turn.
@ClientLoop enum ClientTurn {
    private static var dirty: [Wire] = []
    private static var isHooked = false

    /// Has the connection written at the end of this turn.
    static func note(_ wire: Wire) {
        if !isHooked {
            isHooked = true
            ClientLoop.shared.loop.onTurnEnd = { flush() }
        }
        dirty.append(wire)
    }

    private static func flush() {
        guard !dirty.isEmpty else { return }
        let wires = dirty
        dirty.removeAll(keepingCapacity: true)
        for wire in wires { wire.flush() }
    }
}
