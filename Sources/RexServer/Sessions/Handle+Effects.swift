import Rex
import RexProtocol

extension Server {
    func listEffects(_ effects: ClientFrame.StoreQuery, for connection: Connection)
        throws(WireError)
    {
        let host = try store(named: effects.store, for: connection.permissions).host
        let list = host.effects.map {
            ServerFrame.Effect(
                id: $0.id.rawValue, scope: "\($0.scope)", fromRev: $0.fromRevision,
                emitted: $0.emitted, ageMilliseconds: $0.age.wholeMilliseconds)
        }
        reply(
            .effects(ServerFrame.Effects(id: effects.id, store: host.name, effects: list)),
            to: connection)
    }

    func handle(_ cancel: ClientFrame.Cancel, for connection: Connection) throws(WireError) {
        let store = try store(named: cancel.store, for: connection.permissions)
        try checkStorage(of: store)
        let host = store.host
        let count = host.cancel(effect: cancel.effect)
        guard count > 0 else {
            throw WireError(
                .notFound, "no effect \(cancel.effect) runs on \(host.name)",
                at: JSONPointer(tokens: ["effect"]))
        }
        var ack = ServerFrame.Ack(id: cancel.id)
        ack.cancelled = count
        reply(.ack(ack), to: connection)
    }

    func travel(
        _ move: TravelMove, _ id: FrameID?, _ name: String?, for connection: Connection
    ) throws(WireError) {
        let store = try store(named: name, for: connection.permissions)
        try checkStorage(of: store)
        let host = store.host
        let client = connection.session.client
        let revision =
            if case .jump = move {
                try naming("rev") { () throws(WireError) in try host.travel(move, from: client) }
            } else {
                try host.travel(move, from: client)
            }
        reply(to: connection) {
            ServerFrame.writeAck(id: id, store: host.name, rev: revision, into: &$0)
        }
    }

    func handle(_ fork: ClientFrame.Fork, for connection: Connection) throws(WireError) {
        let store = try store(named: fork.store, for: connection.permissions)
        let host = store.host
        guard Self.isStoreName(fork.name, limits) else {
            if fork.name.utf8.count > limits.nameBytes { metrics.count(.nameBytes) }
            throw WireError(
                .badFrame,
                "a store's name is one topic token of at most \(limits.nameBytes) bytes",
                at: JSONPointer(tokens: ["as"]))
        }
        guard stores[fork.name] == nil else {
            throw WireError(
                .rejected, "there is a store \(fork.name) already", at: JSONPointer(tokens: ["as"]))
        }
        guard stores.count < limits.stores else {
            throw limit(
                .stores,
                WireError(
                    .overloaded, "no more than \(limits.stores) stores are hosted",
                    retryMilliseconds: 1_000))
        }
        let copy = try naming("at") { () throws(WireError) in
            try host.fork(as: fork.name, at: fork.at)
        }
        // A copy of what is not for everybody is not for everybody.
        add(copy, under: store.ruleName)
        reply(to: connection) {
            ServerFrame.writeAck(id: fork.id, store: copy.name, rev: copy.revision, into: &$0)
        }
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1_000 + Int(attoseconds / 1_000_000_000_000_000)
    }
}
