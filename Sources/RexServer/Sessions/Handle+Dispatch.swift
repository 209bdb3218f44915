import Rex
import RexLoop
import RexProtocol

extension Server {
    func handle(_ dispatch: ClientFrame.Dispatch, for connection: Connection) throws(WireError) {
        if limits.dispatchesPerSecond > 0 { try checkRate(of: connection) }
        let permissions = connection.permissions
        let store = try store(named: dispatch.store, for: permissions)
        guard phase != .saying else {
            throw WireError(.shuttingDown, "the server is shutting down")
        }
        if let key = dispatch.key, key.utf8.count > limits.keyBytes || key.isEmpty {
            throw limit(
                .keyBytes,
                WireError(
                    .badFrame, "a key has 1 to \(limits.keyBytes) bytes",
                    at: JSONPointer(tokens: ["key"])))
        }
        if !dispatch.dryRun { try checkStorage(of: store) }
        let awaitsEffects = dispatch.await == .effects && dispatch.ack
        if awaitsEffects { try checkAwait(dispatch, connection) }
        guard let action = dispatch.action.node else {
            throw WireError(.internal, "an action came without its text")
        }
        let leave = try permissions.leave(
            toDispatch: action["type"]?.string ?? "", on: store, at: dispatch.actionPlace)
        let request = DispatchRequest(
            leave: leave, action: action, place: dispatch.actionPlace, key: dispatch.key,
            expect: dispatch.expect, dryRun: dispatch.dryRun, awaitsEffects: awaitsEffects)
        let client = connection.session.client
        try checkAuthorization(of: request, on: store, from: client, by: connection)
        let result = try store.host.dispatch(request, from: client, at: loop.milliseconds) {
            notePresence(of: connection, on: store)
        }
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
        guard connection.session.awaited.count < limits.awaitedEffects else {
            throw limit(
                .awaitedEffects,
                WireError(
                    .overloaded, "\(limits.awaitedEffects) acks wait for effects already",
                    at: JSONPointer(tokens: ["await"]), retryMilliseconds: 1_000))
        }
    }

    private func answer(
        _ dispatch: ClientFrame.Dispatch, with result: DispatchResult, of store: HostedStore,
        to connection: Connection
    ) {
        let name = store.host.name
        if store.host.journal != nil { noteUnstored(dispatch, for: connection) }
        switch result {
        case .committed(let revision, let effects?) where !effects.isEnded:
            let number = connection.session.await(
                AwaitedAck(id: dispatch.id, store: name, revision: revision))
            let connection = connection.id
            effects.onEnd = { [weak self] in
                self?.assumeIsolated { $0.didEndEffects(awaitedAs: number, by: connection) }
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
    private func didEndEffects(awaitedAs number: Int, by connection: Int) {
        guard let connection = connections[connection], connection.isServed,
            let ack = connection.session.awaited.removeValue(forKey: number)
        else { return }
        reply(to: connection) {
            ServerFrame.writeAck(id: ack.id, store: ack.store, rev: ack.revision, into: &$0)
        }
    }

    /// The server ends before the effects do: whoever waits is told what is certain.
    func giveUpAwaited(by connection: Connection) {
        for (_, ack) in connection.session.awaited.sorted(by: { $0.key < $1.key }) {
            let error = WireError(
                .shuttingDown,
                "the action is committed as revision \(ack.revision) of \(ack.store); the server "
                    + "shuts down before its effects have ended",
                rev: ack.revision)
            reply(error, id: ack.id, to: connection)
        }
        connection.session.awaited = [:]
    }
}
