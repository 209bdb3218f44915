import RexProtocol

/// What the server sends by itself, in order, without loss; for one reader at a time.
///
/// Ends when the connection is closed by its owner; throws why when it ends otherwise.
public struct Pushes: AsyncSequence, Sendable {
    let box: Mailbox<ServerFrame>
    /// Kept while somebody reads: a connection that nobody holds is closed.
    let connection: RexConnection

    /// Takes one frame after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let box: Mailbox<ServerFrame>
        let connection: RexConnection

        /// The next frame; waits for one.
        public func next() async throws(ConnectionError) -> ServerFrame? { try await box.take() }

        /// The next frame; waits for one.
        public func next(
            isolation actor: isolated (any Actor)?
        ) async throws(ConnectionError) -> ServerFrame? { try await box.take() }
    }

    /// An iterator; only one may wait at a time.
    public func makeAsyncIterator() -> Iterator {
        Iterator(box: box, connection: connection)
    }
}

/// A subscription to a part of a store's state: the first state, then each change.
@ClientLoop public final class RexSubscription {
    /// The server's answer: position, and the state unless the subscription was resumed.
    public nonisolated let start: ServerFrame.Subscribed
    private nonisolated let box: Mailbox<ServerFrame>
    private nonisolated let connection: RexConnection

    init(
        _ start: ServerFrame.Subscribed, _ box: Mailbox<ServerFrame>, _ connection: RexConnection
    ) {
        self.start = start
        self.box = box
        self.connection = connection
    }

    /// The changes: `patch` frames, or `state` frames in that mode (or where a state is smaller).
    public nonisolated var changes: Pushes { Pushes(box: box, connection: connection) }

    /// Ends it: nothing comes after the server's answer.
    public func cancel() async throws(ConnectionError) {
        try await connection.endRoute(start.sub, with: .unsubscribe(.init(sub: start.sub)))
    }
}

/// A listener to topics.
@ClientLoop public final class RexListener {
    /// The server's answer.
    public nonisolated let start: ServerFrame.Listening
    private nonisolated let box: Mailbox<ServerFrame>
    private nonisolated let connection: RexConnection

    init(_ start: ServerFrame.Listening, _ box: Mailbox<ServerFrame>, _ connection: RexConnection) {
        self.start = start
        self.box = box
        self.connection = connection
    }

    /// `event` frames, and `dropped` where this reader was too slow.
    public nonisolated var events: Pushes { Pushes(box: box, connection: connection) }

    /// Ends it: nothing comes after the server's answer.
    public func cancel() async throws(ConnectionError) {
        let frame = ClientFrame.unlisten(.init(listen: start.listen))
        try await connection.endRoute(start.listen, with: frame)
    }
}
