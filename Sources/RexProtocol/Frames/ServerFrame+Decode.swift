import Rex

// From a parsed text to a frame: the client's side.
extension ServerFrame {
    /// Reads a frame. Unknown members are ignored.
    ///
    /// Throws `badJSON` where the text is no object, `unknownOp`, and `badFrame` with the place
    /// where a member is missing or of another kind.
    public static func decode(_ node: JSONNode) throws(WireError) -> ServerFrame {
        guard node.kind == .object else {
            throw WireError(.badJSON, "expected an object, got \(node.kind.words)")
        }
        let fields = FrameFields(node: node)
        switch try fields.text("op") {
        case "welcome": return .welcome(try Welcome(fields))
        case "ack": return .ack(try Ack(fields))
        case "state": return .state(try State(fields))
        case "subscribed": return .subscribed(try Subscribed(fields))
        case "patch":
            return .patch(
                Patch(
                    sub: try fields.text("sub"), store: try fields.text("store"),
                    from: try fields.number("from"), rev: try fields.number("rev"),
                    patch: try fields.raw("patch")))
        case "listening":
            return .listening(
                Listening(
                    id: try fields.id(), listen: try fields.text("listen"),
                    topic: try fields.text("topic")))
        case "event": return .event(try Event(fields))
        case "effects": return .effects(try Effects(fields))
        case "history": return .history(try History(fields))
        case "diff": return .diff(try Diff(fields))
        case "hash":
            return .hash(
                Hash(
                    id: try fields.id(), store: try fields.text("store"),
                    rev: try fields.number("rev"), hash: try fields.text("hash")))
        case "clients": return .clients(try Clients(fields))
        case "pong": return .pong(id: try fields.id())
        case "ping": return .ping(id: try fields.id())
        case "dropped":
            return .dropped(listen: try fields.text("listen"), count: try fields.number("count"))
        case "error": return .error(id: try fields.id(), try WireError(fields))
        case "bye":
            return .bye(
                Bye(
                    CloseReason(rawValue: try fields.text("code")) ?? .internal,
                    try fields.text("message"), reconnect: try fields.bool("reconnect")))
        case let op:
            throw WireError(
                .unknownOp, "there is no op '\(op.prefix(64))' from a server",
                at: JSONPointer(tokens: ["op"]))
        }
    }
}

extension FrameFields {
    func client() throws(WireError) -> ClientIdentity {
        ClientIdentity(id: try text("client"), user: try string("user"))
    }

    func sender(_ name: StaticString) throws(WireError) -> ServerFrame.Sender? {
        guard let fields = try object(name) else { return nil }
        if let effect = try fields.string("effect") { return .effect(effect) }
        return .client(try fields.client())
    }

    /// Any value; nil where there is no such member. A null is a value.
    func rawIfPresent(_ name: StaticString) -> RawJSON? { node[name]?.compact }
}

extension WireError {
    /// A code that is not known here reads as `internal`.
    init(_ fields: FrameFields) throws(WireError) {
        self.init(
            ErrorCode(rawValue: try fields.text("code")) ?? .internal,
            try fields.text("message"), at: try fields.pointer("at"),
            rev: try fields.count("rev"), retryMilliseconds: try fields.count("retry_ms"),
            duplicate: try fields.bool("duplicate") ?? false)
        sub = try fields.string("sub")
        listen = try fields.string("listen")
    }
}

extension ServerFrame.Welcome {
    init(_ fields: FrameFields) throws(WireError) {
        self.init(
            id: try fields.id(), server: try fields.text("server"),
            session: try fields.text("session"), client: try fields.client())
        version = try fields.number("protocol")
        for store in try fields.list("stores") {
            stores.append(
                ServerFrame.Store(
                    name: try store.text("name"), epoch: try store.text("epoch"),
                    rev: try store.number("rev")))
        }
        // A limit that is no integer is one of a later version.
        guard let known = try fields.object("limits") else { return }
        for (name, value) in known.node.members {
            if let name = name.string, let value = value.int { limits[name] = value }
        }
    }
}

extension ServerFrame.Ack {
    init(_ fields: FrameFields) throws(WireError) {
        self.init(
            id: try fields.id(), store: try fields.string("store"), rev: try fields.count("rev"))
        duplicate = try fields.bool("duplicate") ?? false
        dryRun = try fields.bool("dry_run") ?? false
        patch = fields.rawIfPresent("patch")
        listeners = try fields.count("listeners")
        cancelled = try fields.count("cancelled")
    }
}

extension ServerFrame.State {
    init(_ fields: FrameFields) throws(WireError) {
        self.init(
            id: try fields.id(), sub: try fields.string("sub"), store: try fields.text("store"),
            path: try fields.pointer("path") ?? .root, epoch: try fields.text("epoch"),
            rev: try fields.number("rev"), state: try fields.raw("state"))
    }
}

extension ServerFrame.Subscribed {
    init(_ fields: FrameFields) throws(WireError) {
        self.init(
            id: try fields.id(), sub: try fields.text("sub"), store: try fields.text("store"),
            path: try fields.pointer("path") ?? .root, view: try fields.string("view"),
            epoch: try fields.text("epoch"), rev: try fields.number("rev"),
            resumed: try fields.bool("resumed") ?? false, state: fields.rawIfPresent("state"))
    }
}

extension ServerFrame.Event {
    init(_ fields: FrameFields) throws(WireError) {
        self.init(
            listen: try fields.text("listen"), topic: try fields.text("topic"),
            data: try fields.raw("data"), from: try fields.sender("from"))
        store = try fields.string("store")
        rev = try fields.count("rev")
    }
}

extension ServerFrame.Effects {
    init(_ fields: FrameFields) throws(WireError) {
        self.init(id: try fields.id(), store: try fields.text("store"), effects: [])
        for effect in try fields.list("effects") {
            effects.append(
                ServerFrame.Effect(
                    id: try effect.text("id"), scope: try effect.text("scope"),
                    fromRev: try effect.number("from_rev"), emitted: try effect.number("emitted"),
                    ageMilliseconds: try effect.number("age_ms")))
        }
    }
}

extension ServerFrame.History {
    init(_ fields: FrameFields) throws(WireError) {
        self.init(id: try fields.id(), store: try fields.text("store"), entries: [])
        for entry in try fields.list("entries") {
            var travel: ServerFrame.Travel?
            if let fields = try entry.object("travel") {
                travel = ServerFrame.Travel(
                    op: try fields.text("op"), to: try fields.number("to"))
            }
            entries.append(
                ServerFrame.Entry(
                    rev: try entry.number("rev"), at: try entry.date("at"),
                    action: entry.rawIfPresent("action"), travel: travel,
                    from: try entry.sender("from"), patch: entry.rawIfPresent("patch")))
        }
    }
}

extension ServerFrame.Diff {
    init(_ fields: FrameFields) throws(WireError) {
        self.init(
            id: try fields.id(), store: try fields.text("store"), from: try fields.number("from"),
            to: try fields.number("to"), patch: try fields.raw("patch"))
    }
}

extension ServerFrame.Clients {
    init(_ fields: FrameFields) throws(WireError) {
        self.init(id: try fields.id(), clients: [])
        for client in try fields.list("clients") {
            clients.append(
                ServerFrame.Client(
                    client: try client.client(), name: try client.string("name"),
                    transport: try client.text("transport"),
                    since: try client.date("since")))
        }
    }
}
