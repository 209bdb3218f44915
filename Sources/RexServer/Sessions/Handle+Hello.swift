import Rex
import RexLoop
import RexProtocol

extension Server {
    /// The protocol version that is spoken.
    static let protocolVersion = 1
    /// The longest time between heartbeats, in milliseconds.
    private static let heartbeatLimit = 3_600_000

    func handle(_ hello: ClientFrame.Hello, for connection: Connection) throws(WireError) {
        guard hello.version == Self.protocolVersion else {
            throw WireError(
                .unsupportedProtocol,
                "this server speaks protocol \(Self.protocolVersion), not \(hello.version)",
                at: JSONPointer(tokens: ["protocol"]))
        }
        guard !connection.session.hasSpoken else {
            throw WireError(
                .badFrame, "hello comes first, and once", at: JSONPointer(tokens: ["op"]))
        }
        try admit(hello, of: connection)
        if let name = hello.client {
            guard name.utf8.count <= limits.nameBytes else {
                throw limit(
                    .nameBytes,
                    WireError(
                        .badFrame, "a client's name may have \(limits.nameBytes) bytes",
                        at: JSONPointer(tokens: ["client"])))
            }
            connection.session.clientName = name
        }
        if let heartbeat = hello.heartbeatMilliseconds {
            let bounds = limits.heartbeatMilliseconds...Self.heartbeatLimit
            guard bounds.contains(heartbeat) else {
                throw limit(
                    .heartbeatMilliseconds,
                    WireError(
                        .badFrame,
                        "a heartbeat is between \(bounds.lowerBound) and \(bounds.upperBound) ms",
                        at: JSONPointer(tokens: ["heartbeat_ms"])))
            }
            connection.session.heartbeat = UInt64(heartbeat)
            add(.heartbeat(connection: connection.id), after: heartbeat)
        }
        if let name = hello.session { resume(name, on: connection) }
        reply(
            .welcome(welcome(hello.id, &connection.session, connection.permissions)), to: connection
        )
    }

    private func welcome(
        _ id: FrameID?, _ session: inout Session, _ permissions: Permissions
    ) -> ServerFrame.Welcome {
        var frame = ServerFrame.Welcome(
            id: id, server: "rex/\(Self.version)", session: session.issueID(),
            client: session.client)
        frame.stores = storeOrder.compactMap { stores[$0] }.filter(permissions.mayUse).map {
            ServerFrame.Store(name: $0.host.name, epoch: $0.host.epoch, rev: $0.host.revision)
        }
        for (name, bound) in Limits.all { frame.limits[name] = limits[keyPath: bound] }
        return frame
    }

    /// How often a silent client is asked before it counts as gone, an interval after the last.
    private static let pingsBeforeIdle = 2

    /// Asks a client that has been silent whether it is there, and lets go of one that does not
    /// answer.
    func beat(_ connection: Connection) {
        let interval = connection.session.heartbeat
        guard interval > 0, connection.isServed else { return }
        // Nobody answers on a stream of events; a reader that is gone shows when it is written to.
        if case .events = connection.wire {
            replyBytes(to: connection, isPublic: true) { $0.literal(":\n\n") }
            return beat(connection, after: interval)
        }
        // Who is not read from cannot be heard.
        if connection.isPaused { return beat(connection, after: interval) }
        let silence = loop.milliseconds - connection.session.lastHeard
        if silence < interval { return beat(connection, after: interval - silence) }
        if connection.session.unansweredPings < Self.pingsBeforeIdle {
            connection.session.unansweredPings += 1
            reply(to: connection, isPublic: true) { ServerFrame.ping(id: nil).encode(into: &$0) }
            return beat(connection, after: interval)
        }
        // The loop may have been busy for longer than that: what came meanwhile is read first.
        guard connection.session.isSuspect else {
            connection.session.isSuspect = true
            return beat(connection, after: 0)
        }
        close(connection, .idle, "nothing was heard for \(silence) ms")
    }

    private func beat(_ connection: Connection, after milliseconds: UInt64) {
        add(.heartbeat(connection: connection.id), at: loop.milliseconds + milliseconds)
    }
}
