import Rex
import RexProtocol

extension Server {
    func handle(_ get: ClientFrame.Get, for connection: Connection) throws(WireError) {
        let permissions = connection.permissions
        let store = try store(named: get.store, for: permissions)
        let host = store.host
        let place = try permissions.place(get.path, in: store)
        let snapshot = try snapshot(of: host, at: get.at, "at")
        let state = try host.state(in: snapshot, at: place)
        reply(
            .state(
                ServerFrame.State(
                    id: get.id, store: host.name, path: get.path,
                    epoch: place.epoch(of: host), rev: snapshot.revision, state: state)),
            to: connection)
    }

    /// The state at a revision that a member of the frame names, or the present one.
    private func snapshot(
        of host: any StoreHost, at revision: Int?, _ member: String
    ) throws(WireError) -> any StateSnapshot {
        guard let revision else { return host.snapshot }
        return try naming(member) { () throws(WireError) in try host.snapshot(at: revision) }
    }

    /// An error that names no place is about this member of the frame.
    func naming<T>(
        _ member: String, _ body: () throws(WireError) -> T
    ) throws(WireError) -> T {
        do throws(WireError) {
            return try body()
        } catch {
            var error = error
            if error.at == nil { error.at = JSONPointer(tokens: [member]) }
            throw error
        }
    }

    func handle(_ diff: ClientFrame.DiffQuery, for connection: Connection) throws(WireError) {
        let permissions = connection.permissions
        let store = try store(named: diff.store, for: permissions)
        let host = store.host
        let place = try permissions.place(diff.path, in: store)
        let old = try snapshot(of: host, at: diff.from, "from")
        let new = try snapshot(of: host, at: diff.to, "to")
        let patch = try host.patch(from: old, to: new, at: place) ?? JSONPatch().raw
        reply(
            .diff(
                ServerFrame.Diff(
                    id: diff.id, store: host.name, from: diff.from, to: new.revision,
                    patch: patch)),
            to: connection)
    }

    func handleHash(_ hash: ClientFrame.StoreQuery, for connection: Connection) throws(WireError) {
        let permissions = connection.permissions
        let store = try store(named: hash.store, for: permissions)
        let host = store.host
        let whole = try permissions.whole(of: store)
        reply(
            .hash(
                ServerFrame.Hash(
                    id: hash.id, store: host.name, rev: host.revision,
                    hash: try host.hash(of: whole))),
            to: connection)
    }

    func handle(_ history: ClientFrame.HistoryQuery, for connection: Connection) throws(WireError) {
        let permissions = connection.permissions
        let store = try store(named: history.store, for: permissions)
        let host = store.host
        let whole = try permissions.place(.root, in: store)
        if let path = history.path { _ = try permissions.place(path, in: store) }
        let limit = history.limit ?? 100
        guard limit > 0 else {
            throw WireError(.badFrame, "limit is 1 or more", at: JSONPointer(tokens: ["limit"]))
        }
        let entries = try host.history(
            HistoryRequest(after: history.after, limit: limit, path: history.path), seeing: whole)
        reply(
            .history(ServerFrame.History(id: history.id, store: host.name, entries: entries)),
            to: connection)
    }

    func listClients(_ clients: ClientFrame.Bare, for connection: Connection) {
        var list = connections.values.filter { $0.isServed && $0.webSession == nil }.map {
            ServerFrame.Client(
                client: $0.session.client, name: $0.session.clientName, transport: $0.transport,
                since: $0.opened)
        }
        list += webSessions.values.map {
            ServerFrame.Client(
                client: $0.session.client, name: nil, transport: "http", since: $0.opened)
        }
        // c2 comes before c10.
        list.sort {
            ($0.client.id.utf8.count, $0.client.id) < ($1.client.id.utf8.count, $1.client.id)
        }
        reply(.clients(ServerFrame.Clients(id: clients.id, clients: list)), to: connection)
    }
}
