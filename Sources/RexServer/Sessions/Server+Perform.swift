import Rex
import RexProtocol

/// The one switch over ops: each goes to the file that is named after it.
extension Server {
    func perform(_ frame: ClientFrame, for connection: Connection) throws(WireError) {
        if let path = frame.path { try check(path) }
        try admit(frame, of: connection)
        // The one that comes most often first: what it needs leave for is asked for where the type
        // of its action is known.
        if case .dispatch(let dispatch) = frame { return try handle(dispatch, for: connection) }
        try check(frame, for: connection)
        switch frame {
        case .hello(let hello): try handle(hello, for: connection)
        case .dispatch: break  // above
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
            reply(to: connection, isPublic: true) {
                ServerFrame.writePong(id: ping.id, into: &$0)
            }
        case .pong: break
        }
    }

    /// A path is kept as long as somebody follows it.
    func check(_ path: JSONPointer) throws(WireError) {
        let size = path.tokens.reduce(0) { $0 + 1 + $1.utf8.count }
        guard size <= limits.pathBytes else {
            throw limit(
                .pathBytes,
                WireError(
                    .badFrame,
                    "a path has at most \(limits.pathBytes) bytes, this one has \(size)",
                    at: JSONPointer(tokens: ["path"])))
        }
    }

    /// Whether the client may ask this at all. What gives something of a state away, dispatches,
    /// publishes or listens is asked for where the place, the type or the topic is known.
    private func check(_ frame: ClientFrame, for connection: Connection) throws(WireError) {
        let permissions = connection.permissions
        let name: String?
        switch frame {
        case .hello, .ping, .pong, .unsubscribe, .unlisten: return
        case .dispatch, .get, .subscribe, .diff, .hash, .listen, .publish: return
        case .clients: return try permissions.checkClients()
        case .effects(let frame), .undo(let frame), .redo(let frame): name = frame.store
        case .cancel(let frame): name = frame.store
        case .jump(let frame): name = frame.store
        case .history(let frame): name = frame.store
        case .fork(let frame): name = frame.store
        }
        try permissions.checkSteering(try store(named: name, for: permissions))
    }

    /// The store that a request names, or the default store, if it is there for who asks.
    func store(
        named name: String?, for permissions: Permissions
    ) throws(WireError) -> HostedStore {
        let store = try store(named: name, permissions)
        guard permissions.mayUse(store) else {
            throw WireError(
                .forbidden, "you have no permission for \(store.host.name)",
                at: JSONPointer(tokens: ["store"]))
        }
        return store
    }

    private func store(
        named name: String?, _ permissions: Permissions
    ) throws(WireError) -> HostedStore {
        guard let name = name ?? storeOrder.first else {
            throw WireError(.unknownStore, "no store is hosted")
        }
        // Most frames name the store that the one before named. By bytes: a name that only looks
        // alike is another one.
        if let named = lastNamed, named.host.name.hasSameBytes(as: name) { return named }
        guard let store = stores[name], store.host.name.hasSameBytes(as: name) else {
            let known = storeOrder.filter { stores[$0].map(permissions.mayUse) ?? false }
            throw WireError(
                .unknownStore,
                "there is no store \(name); hosted: \(known.joined(separator: ", "))",
                at: JSONPointer(tokens: ["store"]))
        }
        lastNamed = store
        return store
    }
}

extension ClientFrame {
    /// The place in a state that it asks for.
    fileprivate var path: JSONPointer? {
        switch self {
        case .get(let frame): frame.path
        case .subscribe(let frame): frame.path
        case .history(let frame): frame.path
        case .diff(let frame): frame.path
        default: nil
        }
    }
}
