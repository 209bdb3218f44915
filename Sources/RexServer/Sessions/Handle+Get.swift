import Rex
import RexProtocol

extension Server {
    func handle(_ get: Get, for connection: Connection) throws(WireError) {
        let host = try store(named: get.store).host
        let snapshot = try get.at.map { revision throws(WireError) in
            try host.snapshot(at: revision)
        } ?? host.snapshot
        let state = try host.state(in: snapshot, at: get.path)
        reply(
            .state(
                StateFrame(
                    id: get.id, store: host.name, path: get.path, epoch: host.epoch,
                    rev: snapshot.revision, state: state)), to: connection)
    }

    func handle(_ diff: Diff, for connection: Connection) throws(WireError) {
        let host = try store(named: diff.store).host
        let old = try host.snapshot(at: diff.from)
        let new = try host.snapshot(at: diff.to)
        let patch = try host.patch(from: old, to: new, at: diff.path) ?? RawJSON(JSONPatch())
        reply(
            .diff(
                DiffReply(
                    id: diff.id, store: host.name, from: diff.from, to: diff.to, patch: patch)),
            to: connection)
    }

    func handle(_ hash: Hash, for connection: Connection) throws(WireError) {
        let host = try store(named: hash.store).host
        reply(
            .hash(
                HashReply(id: hash.id, store: host.name, rev: host.revision, hash: try host.hash())),
            to: connection)
    }

    func handle(_ history: HistoryRequest, for connection: Connection) throws(WireError) {
        let host = try store(named: history.store).host
        let limit = history.limit ?? 100
        guard limit > 0 else {
            throw WireError(.badFrame, "limit is 1 or more", at: JSONPointer(tokens: ["limit"]))
        }
        let entries = try host.history(
            HistoryQuery(after: history.after, limit: limit, path: history.path))
        reply(
            .history(HistoryReply(id: history.id, store: host.name, entries: entries)),
            to: connection)
    }

    func handle(_ clients: Clients, for connection: Connection) {
        let list = connections.values.filter(\.isServed).sorted { $0.id < $1.id }.map {
            ClientEntry(
                client: $0.session.client.id, user: $0.session.client.user,
                name: $0.session.clientName, transport: "lines", since: $0.opened)
        }
        reply(.clients(ClientsReply(id: clients.id, clients: list)), to: connection)
    }
}
