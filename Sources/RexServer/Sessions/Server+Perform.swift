import Rex
import RexProtocol

/// The one switch over ops: each goes to the file that is named after it.
extension Server {
    func perform(_ frame: ClientFrame, for connection: Connection) throws(WireError) {
        switch frame {
        case .hello(let hello): try handle(hello, for: connection)
        case .dispatch(let dispatch): try handle(dispatch, for: connection)
        case .get(let get): try handle(get, for: connection)
        case .subscribe(let subscribe): try handle(subscribe, for: connection)
        case .unsubscribe(let unsubscribe): try handle(unsubscribe, for: connection)
        case .listen(let listen): try handle(listen, for: connection)
        case .unlisten(let unlisten): try handle(unlisten, for: connection)
        case .publish(let publish): try handle(publish, for: connection)
        case .effects(let effects): try listEffects(effects, for: connection)
        case .cancel(let cancel): try handle(cancel, for: connection)
        case .undo(let undo): try travel(.undo, undo.id, undo.store, for: connection)
        case .redo(let redo): try travel(.redo, redo.id, redo.store, for: connection)
        case .jump(let jump): try travel(.jump(jump.rev), jump.id, jump.store, for: connection)
        case .history(let history): try handle(history, for: connection)
        case .diff(let diff): try handle(diff, for: connection)
        case .fork(let fork): try handle(fork, for: connection)
        case .hash(let hash): try handleHash(hash, for: connection)
        case .clients(let clients): listClients(clients, for: connection)
        case .ping(let ping):
            reply(to: connection) { ServerFrame.writePong(id: ping.id, into: &$0) }
        case .pong: break
        }
    }

    /// The store that a frame names, or the default store.
    func store(named name: String?) throws(WireError) -> HostedStore {
        guard let name = name ?? storeOrder.first else {
            throw WireError(.unknownStore, "no store is hosted")
        }
        guard let store = stores[name] else {
            throw WireError(
                .unknownStore,
                "there is no store \(name); hosted: \(storeOrder.joined(separator: ", "))",
                at: JSONPointer(tokens: ["store"]))
        }
        return store
    }
}
