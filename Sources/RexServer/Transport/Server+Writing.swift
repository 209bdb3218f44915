import Rex
import RexLoop
import RexProtocol
import RexWebSocket

/// From frames to bytes: replies, flushing, and the end of a connection.
extension Server {
    /// Adds one frame to a connection's replies of this turn; its line feed is added here.
    ///
    /// - Parameter isPublic: it says nothing of any store, and need not wait for the disk.
    func reply(
        to connection: Connection, isPublic: Bool = false, _ body: (inout JSONWriter) -> Void
    ) {
        if !isPublic { holdBack(connection) }
        connection.outbox.reply(as: connection.encoding, body)
        touch(connection)
    }

    /// Adds bytes that are no frame.
    func replyBytes(
        to connection: Connection, isPublic: Bool = false, _ body: (inout JSONWriter) -> Void
    ) {
        if !isPublic { holdBack(connection) }
        connection.outbox.replyBytes(body)
        touch(connection)
    }

    /// Adds one frame.
    func reply(_ frame: ServerFrame, to connection: Connection) {
        reply(to: connection) { frame.encode(into: &$0) }
    }

    func reply(_ error: WireError, id: FrameID?, to connection: Connection) {
        noteRefusal(error, of: connection)
        reply(to: connection) { ServerFrame.writeError(id: id, error, into: &$0) }
    }

    /// Notes that a connection has something to send at the end of the turn.
    func touch(_ connection: Connection) {
        guard !connection.isTouched else { return }
        connection.isTouched = true
        touched.append(connection)
    }

    /// Writes what the kernel takes; the rest follows as the other side reads.
    func flush(_ connection: Connection) {
        guard connection.phase != .closed, !connection.socket.isClosing else { return }
        write(connection, sealing: true)
        if connection.outbox.isEmpty { didEmpty(connection) }
    }

    /// Writes what has its place already. Within a turn only where an outbox is full: what the
    /// kernel takes need not be held, and whom it takes nothing for is seen to be behind.
    ///
    /// - Parameter sealing: all that there is gets its place first.
    func write(_ connection: Connection, sealing: Bool = false) {
        let socket = connection.socket
        guard connection.phase != .closed else { return }
        metrics.bytesSent += connection.outbox.write(to: socket, sealing: sealing)
        if connection.outbox.isWaiting, !socket.isDraining, !socket.isClosing {
            let (chunks, bytes) = connection.outbox.first(Self.laterBytes)
            connection.writingBytes = bytes
            socket.writeLater(chunks, offset: connection.outbox.offset)
        }
        if socket.isDraining, connection.stalledSince == nil { noteStall(connection) }
        if socket.isSecured { noteCiphered(connection) }
    }

    /// Counts what the cipher has made and the kernel does not take: it is in no outbox any more.
    private func noteCiphered(_ connection: Connection) {
        let bytes = connection.socket.queuedBytes
        ledger.change(by: bytes - connection.cipheredBytes)
        connection.cipheredBytes = bytes
    }

    /// About how much is handed to the kernel at a time once it is full: what is not handed over
    /// yet can still be merged.
    private static let laterBytes = 65_536

    private func noteStall(_ connection: Connection) {
        connection.stalledSince = loop.milliseconds
        connection.stalledBytes = connection.socket.unsentBytes
        add(.stall(connection: connection.id), after: limits.stallMilliseconds)
    }

    func didDrain(_ connection: Connection) {
        beginTurn()
        connection.outbox.didWrite(connection.writingBytes)
        metrics.bytesSent += connection.writingBytes
        connection.writingBytes = 0
        // Bytes left, so the reader lives: the stall begins anew.
        connection.stalledSince = nil
        flush(connection)
        guard connection.isServed, connection.outbox.pendingBytes <= outboxLimit / 2 else { return }
        catchUp(connection)
        releaseEvents(of: connection)
        resume(connection)
    }

    private func didEmpty(_ connection: Connection) {
        switch connection.phase {
        case .open, .undecided:
            guard connection.inputEnded, !connection.isPaused, connection.session.isOwedNothing
            else { return }
            finish(connection)
            endOutput(of: connection)
        case .finishing: endOutput(of: connection)
        case .closed: break
        }
    }

    private func endOutput(of connection: Connection) {
        guard !connection.outputEnded else { return }
        connection.outputEnded = true
        if connection.inputEnded {
            // Both halves are done: a close with nothing unread loses nothing.
            connection.socket.close()
        } else {
            connection.socket.finish()
            add(.linger(connection: connection.id), after: limits.lingerMilliseconds)
        }
    }

    // MARK: The end of a connection

    /// Ends a connection that has had its last answer: no reason needs to be said.
    func finish(_ connection: Connection) {
        guard connection.isServed else { return }
        stopServing(connection, .finishing)
        add(.linger(connection: connection.id), after: 2 * limits.lingerMilliseconds)
        touch(connection)
    }

    /// Answers with an error, then closes for the reason that goes with it.
    func refuse(_ connection: Connection, _ error: WireError, _ reason: CloseReason) {
        reply(error, id: nil, to: connection)
        close(connection, reason, error.message)
    }

    /// Says why, ends our sending half, reads on and discards until the other side ends or the time
    /// for it is over: a close with unread input would destroy the reason on its way.
    ///
    /// - Parameter discarding: what has not begun to leave is dropped, for its memory's sake.
    func close(
        _ connection: Connection, _ reason: CloseReason, _ message: String,
        discarding: Bool = false
    ) {
        guard connection.isServed else { return }
        // What it was acknowledged and what it watched leaves before the reason.
        if reason == .tooSlow { cut(before: connection) } else { cutAll(before: connection) }
        guard connection.isServed else { return }
        metrics.closes[reason, default: 0] += 1
        if discarding { connection.outbox.drop(after: connection.writingBytes) }
        sayBye(ServerFrame.Bye(reason, message), to: connection)
        connection.isPaused = false
        stopServing(connection, .finishing)
        connection.socket.startReading()
        // Even one who reads nothing is gone after twice the time.
        add(.linger(connection: connection.id), after: 2 * limits.lingerMilliseconds)
        note(
            .info, "closing", about: "\(reason) \(connection.origin)",
            ["client": connection.session.client.id, "code": reason.rawValue])
    }

    /// The reason, as it is said on that wire.
    private func sayBye(_ bye: ServerFrame.Bye, to connection: Connection) {
        switch connection.wire {
        case .lines: reply(.bye(bye), to: connection)
        case .webSocket(let framer):
            reply(.bye(bye), to: connection)
            replyBytes(to: connection) {
                $0.bytes += framer.close(bye.code.webSocketCode, bye.message)
            }
        case .events:
            replyBytes(to: connection) { $0.literal("event: bye\n") }
            reply(.bye(bye), to: connection)
        // Between two answers there is nothing to say it in.
        case .http: touch(connection)
        }
    }

    func didClose(_ connection: Connection, error: LoopError?) {
        if connection.phase != .closed { stopServing(connection, .closed) }
        forgetOutput(of: connection)
        connections[connection.id] = nil
        if connection.isSurplusOfAddress { refusedAddresses -= 1 } else { leave(connection) }
        log.event(
            .debug, "disconnected",
            ["client": connection.session.client.id, "reason": error?.reason ?? "closed"])
        if phase == .saying, connections.isEmpty { didStop() }
    }

    /// The one place where a connection leaves those that are served.
    private func stopServing(_ connection: Connection, _ phase: Connection.Phase) {
        if connection.isServed {
            if !connection.isSurplusOfAddress { servedCount -= 1 }
            if case .events = connection.wire { connection.webSession?.streams -= 1 }
        }
        connection.authorization?.task.cancel()
        connection.enter(phase)
        releaseEvents(of: connection)
        var part = connection.session.takeParticipation()
        if park(connection.session, part.presentOn) { part.presentOn = [] }
        leave(part, connection.session.client)
    }

    /// Takes a client out of everything it took part in.
    func leave(_ part: Session.Participation, _ client: ClientIdentity) {
        for subscription in part.subscriptions { subscription.store.remove(subscription) }
        for listener in part.listeners { remove(listener) }
        for name in part.presentOn.sorted() {
            stores[name]?.host.disconnect(client)
            publishPresence(of: client, "leave", on: name)
        }
    }
}
