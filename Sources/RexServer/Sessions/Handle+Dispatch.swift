import Rex
import RexLoop
import RexProtocol

extension Server {
    func handle(_ dispatch: ClientFrame.Dispatch, for connection: Connection) throws(WireError) {
        let store = try store(named: dispatch.store)
        guard phase != .saying else {
            throw WireError(.shuttingDown, "the server is shutting down")
        }
        if let key = dispatch.key, key.utf8.count > limits.keyBytes || key.isEmpty {
            throw WireError(
                .badFrame, "a key has 1 to \(limits.keyBytes) bytes",
                at: JSONPointer(tokens: ["key"]))
        }
        let awaitsEffects = dispatch.await == .effects
        if awaitsEffects { try checkAwait(dispatch, connection) }
        guard let action = dispatch.action.node else {
            throw WireError(.internal, "an action came without its text")
        }
        let result = try store.host.dispatch(
            DispatchRequest(
                action: action, place: dispatch.actionPlace, key: dispatch.key,
                expect: dispatch.expect, dryRun: dispatch.dryRun,
                awaitsEffects: awaitsEffects),
            from: connection.session.client, at: loop.milliseconds
        ) { notePresence(of: connection, on: store) }
        answer(dispatch, with: result, of: store, to: connection)
    }

    private func checkAwait(_ dispatch: ClientFrame.Dispatch, _ connection: Connection)
        throws(WireError)
    {
        guard dispatch.id != nil else {
            throw WireError(
                .badFrame, "\"await\":\"effects\" needs an id, for its ack comes out of order",
                at: JSONPointer(tokens: ["id"]))
        }
        guard connection.session.awaitedEffects < limits.awaitedEffects else {
            throw WireError(
                .overloaded, "\(limits.awaitedEffects) acks wait for effects already",
                at: JSONPointer(tokens: ["await"]), retryMilliseconds: 1_000)
        }
    }

    private func answer(
        _ dispatch: ClientFrame.Dispatch, with result: DispatchResult, of store: HostedStore,
        to connection: Connection
    ) {
        let name = store.host.name
        switch result {
        case .committed(let revision, let effects?) where !effects.isEnded:
            connection.session.awaitedEffects += 1
            let number = connection.id
            let id = dispatch.id
            effects.onEnd = { [weak self] in
                self?.assumeIsolated {
                    $0.didEndEffects(of: id, store: name, revision, connection: number)
                }
            }
        case .committed(let revision, _):
            guard dispatch.ack else { return }
            reply(to: connection) {
                ServerFrame.writeAck(id: dispatch.id, store: name, rev: revision, into: &$0)
            }
        case .duplicate(let revision):
            guard dispatch.ack else { return }
            reply(to: connection) {
                ServerFrame.writeAck(
                    id: dispatch.id, store: name, rev: revision, duplicate: true, into: &$0)
            }
        case .dryRun(let revision, let patch):
            var ack = ServerFrame.Ack(id: dispatch.id, store: name, rev: revision)
            ack.dryRun = true
            ack.patch = patch
            reply(.ack(ack), to: connection)
        }
    }

    /// The effects of an action have ended, and its client waits to hear of it.
    private func didEndEffects(
        of id: FrameID?, store: String, _ revision: Int, connection number: Int
    ) {
        guard let connection = connections[number], connection.isServed else { return }
        connection.session.awaitedEffects -= 1
        reply(to: connection) {
            ServerFrame.writeAck(id: id, store: store, rev: revision, into: &$0)
        }
    }
}
