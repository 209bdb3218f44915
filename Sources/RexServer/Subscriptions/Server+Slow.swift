import RexLoop
import RexProtocol

/// Readers that are too slow: when one is behind, what it gets then, and who has to go where all of
/// them together hold too much.
extension Server {
    /// Bytes that may wait for one connection. Where the outboxes together hold three quarters of
    /// what they may, it is an eighth: then everybody counts as slow earlier, which costs them only
    /// steps between, before anybody is closed.
    var outboxLimit: Int {
        ledger.bytes <= limits.outboxTotalBytes / 4 * 3
            ? limits.outboxBytes : limits.outboxBytes / 8
    }

    /// Only a socket that the kernel does not take from is behind, or one that waits for the disk:
    /// a full outbox may just not have been written in this turn.
    func isBehind(_ connection: Connection) -> Bool {
        connection.outbox.pendingBytes > outboxLimit && isWaiting(connection)
    }

    private func isWaiting(_ connection: Connection) -> Bool {
        connection.socket.isDraining || connection.outbox.isHeld
    }

    /// Closes those who would rather be closed than get less.
    func closeSlow() {
        // To close one cuts, which comes back here: the loop below takes what that brings.
        guard !isClosingSlow else { return }
        isClosingSlow = true
        defer { isClosingSlow = false }
        while let connection = slow.popLast() {
            connection.isListedAsSlow = false
            close(connection, .tooSlow, "more than \(outboxLimit) bytes wait unread")
        }
    }

    /// Notes one that would rather be closed, once.
    func noteSlow(_ connection: Connection) {
        guard !connection.isListedAsSlow, connection.isServed else { return }
        connection.isListedAsSlow = true
        slow.append(connection)
    }

    // MARK: Events

    /// Sends events to a listener. Half of what may wait for its connection may be in its outbox;
    /// what comes then waits behind that, the other half, and loses its oldest where it is more.
    func send(_ events: Chunk, count: Int, to listener: Listener) {
        let connection = listener.connection
        guard connection.isServed else { return }
        if connection.backlog != nil || connection.outbox.pendingBytes > outboxLimit / 2 {
            // A full outbox may just not have been written in this turn.
            if connection.backlog == nil { flush(connection) }
            guard connection.isServed else { return }
            if connection.backlog != nil
                || connection.outbox.pendingBytes > outboxLimit / 2 && isWaiting(connection)
            {
                return keepBack(events, count: count, for: listener)
            }
        }
        holdBack(connection)
        connection.outbox.addEvents(events)
        touch(connection)
    }

    private func keepBack(_ events: Chunk, count: Int, for listener: Listener) {
        let connection = listener.connection
        if connection.backlog == nil { metrics.count(.outboxBytes) }
        let backlog = connection.backlog ?? EventBacklog(ledger)
        connection.backlog = backlog
        let lost = backlog.add(
            events, events: count, for: listener.number, closes: listener.slow == .close,
            limit: outboxLimit / 2)
        guard let lost else { return noteSlow(connection) }
        metrics.eventsDropped += lost
    }

    /// Puts what waited behind an outbox into it. There is room for that, or it has to leave before
    /// what comes now.
    func releaseEvents(of connection: Connection) {
        guard let backlog = connection.backlog else { return }
        connection.backlog = nil
        guard connection.isServed else { return _ = backlog.takeAll() }
        holdBack(connection)
        for item in backlog.takeAll() {
            switch item {
            case .events(let chunk): connection.outbox.addEvents(chunk)
            case .dropped(let listener, let count):
                var writer = JSONWriter(capacity: 64)
                let start = connection.encoding.begin(&writer)
                ServerFrame.dropped(listen: "t\(listener)", count: count).encode(into: &writer)
                connection.encoding.end(&writer, from: start)
                connection.outbox.addEvents(Chunk(writer.bytes))
            }
        }
        touch(connection)
    }

    /// A cut after which nothing waits behind the outbox of one connection either.
    func cutAll(before connection: Connection) {
        cut()
        releaseEvents(of: connection)
        connection.outbox.seal()
    }

    // MARK: All outboxes together

    /// Closes those with the most where the outboxes together hold more than they may, until a
    /// quarter is free again: what a look at all connections costs is paid for by the bytes that
    /// came in between.
    func relieveOutboxes() {
        guard ledger.bytes > limits.outboxTotalBytes else { return }
        let greatest = connections.values
            .map { (connection: $0, share: share(of: $0)) }
            .filter { $0.share > 0 }
            .sorted { ($0.share, $1.connection.id) > ($1.share, $0.connection.id) }
        let before = ledger.bytes
        var closed = 0
        for (connection, _) in greatest {
            guard ledger.bytes > limits.outboxTotalBytes / 4 * 3 else { break }
            // What it has may just not have been written in this turn.
            flush(connection)
            guard isWaiting(connection) else { continue }
            if connection.isServed { closed += 1 }
            relieve(connection, ledgerBytes: before)
        }
        metrics.count(.outboxTotalBytes, times: closed)
        note(
            .warning, "outboxes_full", about: "",
            ["bytes": "\(before)", "limit": "\(limits.outboxTotalBytes)", "closed": "\(closed)"])
    }

    /// The memory that would be free without a connection.
    private func share(of connection: Connection) -> Int {
        connection.outbox.share + (connection.backlog?.share ?? 0) + connection.cipheredBytes
    }

    /// Closes a connection and drops what has not begun to leave. What has cannot be taken back
    /// but with the socket; where that is nearly all, nobody is told why.
    private func relieve(_ connection: Connection, ledgerBytes: Int) {
        let share = share(of: connection)
        close(
            connection, .tooSlow,
            "readers leave \(ledgerBytes) bytes unread, \(share) of them this one; "
                + "all together may leave \(limits.outboxTotalBytes)",
            discarding: true)
        guard self.share(of: connection) > share / 4 * 3 else { return }
        forgetOutput(of: connection)
        connection.socket.close()
    }

    /// Nothing more is written to it.
    func forgetOutput(of connection: Connection) {
        connection.outbox.clear()
        ledger.change(by: -connection.cipheredBytes)
        connection.cipheredBytes = 0
    }
}
