import RexProtocol

/// Follows a part of a store's state across connections: every change once, in order, without a
/// gap.
///
/// When the connection is lost the link connects again and the watch resumes where it was; where
/// the server cannot continue from there, it gives the whole state anew. Pull by pull: for a
/// watcher that does not ask nothing is read, so a slow one never grows.
@ClientLoop public final class Watch {
    /// What happened to the state.
    public enum Change: Sendable {
        /// The whole state: the first one, or anew because the server could not continue.
        case began(ServerFrame.Subscribed)
        /// The subscription goes on after a reconnect, or from the position it was given; the
        /// changes missed follow.
        case resumed(ServerFrame.Subscribed)
        /// A change, as it was sent.
        case patch(ServerFrame.Patch)
        /// A whole state in a patch's place.
        case state(ServerFrame.State)
    }

    private let link: RexLink
    private let store: String?
    private let path: JSONPointer
    private let slow: ClientFrame.Slow
    private var changes: Pushes.Iterator?
    private var connection: RexConnection?

    /// The state as of the last change taken; nil before the first.
    public private(set) var replica: Replica?

    /// - Parameters:
    ///   - store: nil is the default store.
    ///   - start: where to go on from, with the state there if it is known; nil begins with the
    ///     state.
    ///   - slow: what the server does where changes are not taken: it merges them, or closes the
    ///     connection, after which the watch resumes and sees them as one.
    public nonisolated init(
        _ link: RexLink, store: String? = nil, path: JSONPointer = .root,
        from start: Replica? = nil, slow: ClientFrame.Slow = .merge
    ) {
        self.link = link
        self.store = store
        self.path = path
        self.slow = slow
        replica = start
    }

    /// The next change; waits for one, connecting again as often as it takes.
    ///
    /// - Throws: what another try would not mend, such as an unknown store; `malformed` when a
    ///   change does not follow from the one before.
    public func next() async throws(ConnectionError) -> Change {
        while true {
            do throws(ConnectionError) {
                guard let changes else { return try await begin() }
                guard let frame = try await changes.next() else { throw .cancelled }
                if let change = try take(frame) { return change }
            } catch {
                changes = nil
                connection?.close(because: error)
                guard error.isWorthAnotherTry else { throw error }
            }
        }
    }

    private func begin() async throws(ConnectionError) -> Change {
        let connection = try await link.connection()
        self.connection = connection
        var frame = ClientFrame.Subscribe(store: store)
        frame.path = path
        frame.since = replica?.position
        frame.slow = slow
        let subscription = try await connection.subscribe(frame)
        let start = subscription.start
        changes = subscription.changes.makeAsyncIterator()
        guard start.resumed, var replica else {
            replica = Replica(start)
            return .began(start)
        }
        do throws(Replica.Misfit) { try replica.resume(start) } catch {
            throw .malformed(error.description)
        }
        self.replica = replica
        return .resumed(start)
    }

    private func take(_ frame: ServerFrame) throws(ConnectionError) -> Change? {
        do throws(Replica.Misfit) {
            switch frame {
            case .patch(let patch):
                try replica!.apply(patch)
                return .patch(patch)
            case .state(let state):
                try replica!.replace(state)
                return .state(state)
            default: return nil
            }
        } catch {
            throw .malformed(error.description)
        }
    }
}
