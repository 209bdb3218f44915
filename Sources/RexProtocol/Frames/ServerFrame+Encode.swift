import Rex

// From a frame to its text. The frames that are written most have functions of their own, which
// allocate nothing but what the writer needs and append in few pieces.
extension ServerFrame {
    /// Appends the ack of an action.
    public static func writeAck(
        id: FrameID?, store: String? = nil, rev: Int? = nil, duplicate: Bool = false,
        into writer: inout JSONWriter
    ) {
        writer.literal("{\"op\":\"ack\"")
        writer.member(id: id)
        if let store {
            writer.literal(",\"store\":")
            writer.string(store)
        }
        if let rev {
            writer.literal(",\"rev\":")
            writer.int(rev)
        }
        writer.literal(duplicate ? ",\"duplicate\":true}" : "}")
    }

    /// Appends the answer to a ping.
    public static func writePong(id: FrameID?, into writer: inout JSONWriter) {
        writer.open(op: "pong", id: id)
        writer.close()
    }

    /// Appends an error.
    public static func writeError(
        id: FrameID?, _ error: WireError, into writer: inout JSONWriter
    ) {
        writer.open(op: "error", id: id)
        writer.member("code", error.code.rawValue)
        writer.member("message", error.message)
        writer.member("at", error.at)
        writer.member("rev", error.rev)
        writer.member("retry_ms", error.retryMilliseconds)
        if error.duplicate { writer.member("duplicate", true) }
        writer.member("sub", error.sub)
        writer.member("listen", error.listen)
        writer.close()
    }

    /// Appends a patch that was encoded once for all subscriptions.
    public static func writePatch(
        sub: String, store: String, from: Int, rev: Int, patch: RawJSON,
        into writer: inout JSONWriter
    ) {
        writer.literal("{\"op\":\"patch\",\"sub\":")
        writer.string(sub)
        writer.literal(",\"store\":")
        writer.string(store)
        writer.literal(",\"from\":")
        writer.int(from)
        writer.literal(",\"rev\":")
        writer.int(rev)
        writer.literal(",\"patch\":")
        writer.raw(patch)
        writer.close()
    }

    /// Appends the frame as one object, without a line end. Absent members are left out.
    public func encode(into writer: inout JSONWriter) {
        switch self {
        case .welcome(let frame): frame.encode(into: &writer)
        case .ack(let frame): frame.encode(into: &writer)
        case .state(let frame): frame.encode(into: &writer)
        case .subscribed(let frame): frame.encode(into: &writer)
        case .patch(let frame):
            Self.writePatch(
                sub: frame.sub, store: frame.store, from: frame.from, rev: frame.rev,
                patch: frame.patch, into: &writer)
        case .listening(let frame):
            writer.open(op: "listening", id: frame.id)
            writer.member("listen", frame.listen)
            writer.member("topic", frame.topic)
            writer.close()
        case .event(let frame): frame.encode(into: &writer)
        case .effects(let frame): frame.encode(into: &writer)
        case .history(let frame): frame.encode(into: &writer)
        case .diff(let frame): frame.encode(into: &writer)
        case .hash(let frame):
            writer.open(op: "hash", id: frame.id)
            writer.member("store", frame.store)
            writer.member("rev", frame.rev)
            writer.member("hash", frame.hash)
            writer.close()
        case .clients(let frame): frame.encode(into: &writer)
        case .pong(let id): Self.writePong(id: id, into: &writer)
        case .ping(let id):
            writer.open(op: "ping", id: id)
            writer.close()
        case .dropped(let listen, let count):
            writer.open(op: "dropped")
            writer.member("listen", listen)
            writer.member("count", count)
            writer.close()
        case .error(let id, let error): Self.writeError(id: id, error, into: &writer)
        case .bye(let frame):
            writer.open(op: "bye")
            writer.member("code", frame.code.rawValue)
            writer.member("message", frame.message)
            writer.member("reconnect", frame.reconnect)
            writer.close()
        }
    }

    /// The text of the frame, without a line end.
    public var text: String {
        var writer = JSONWriter()
        encode(into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSONWriter {
    /// Appends a list of objects, each of whose members begin with a comma.
    fileprivate mutating func list<T>(
        _ name: StaticString, _ elements: [T], _ body: (inout JSONWriter, T) -> Void
    ) {
        self.name(name)
        byte(0x5B)
        for (index, element) in elements.enumerated() {
            if index > 0 { byte(0x2C) }
            object { body(&$0, element) }
        }
        byte(0x5D)
    }

    /// Appends an object whose members all begin with a comma: the first one becomes the bracket.
    fileprivate mutating func object(_ body: (inout JSONWriter) -> Void) {
        let start = bytes.count
        body(&self)
        bytes[start] = 0x7B
        close()
    }

    fileprivate mutating func member(_ name: StaticString, _ sender: ServerFrame.Sender?) {
        guard let sender else { return }
        self.name(name)
        object { writer in
            switch sender {
            case .client(let client): writer.members(of: client)
            case .effect(let id): writer.member("effect", id)
            }
        }
    }

    fileprivate mutating func members(of client: ClientIdentity) {
        member("client", client.id)
        member("user", client.user)
    }
}

extension ServerFrame.Welcome {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.open(op: "welcome", id: id)
        writer.member("protocol", version)
        writer.member("server", server)
        writer.member("session", session)
        writer.members(of: client)
        writer.list("stores", stores) { writer, store in
            writer.member("name", store.name)
            writer.member("epoch", store.epoch)
            writer.member("rev", store.rev)
        }
        writer.name("limits")
        writer.value(.object(JSONObject(limits.map { ($0.key, .int($0.value)) })))
        writer.close()
    }
}

extension ServerFrame.Ack {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.open(op: "ack", id: id)
        writer.member("store", store)
        writer.member("rev", rev)
        if duplicate { writer.member("duplicate", true) }
        if dryRun { writer.member("dry_run", true) }
        writer.member("patch", patch)
        writer.member("listeners", listeners)
        writer.member("cancelled", cancelled)
        writer.close()
    }
}

extension ServerFrame.State {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.open(op: "state", id: id)
        writer.member("sub", sub)
        writer.member("store", store)
        writer.member("path", path)
        writer.member("epoch", epoch)
        writer.member("rev", rev)
        writer.member("state", state)
        writer.close()
    }
}

extension ServerFrame.Subscribed {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.open(op: "subscribed", id: id)
        writer.member("sub", sub)
        writer.member("store", store)
        writer.member("path", path)
        writer.member("view", view)
        writer.member("epoch", epoch)
        writer.member("rev", rev)
        writer.member("resumed", resumed)
        writer.member("state", state)
        writer.close()
    }
}

extension ServerFrame.Event {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.open(op: "event")
        writer.member("listen", listen)
        writer.member("topic", topic)
        writer.member("data", data)
        writer.member("from", from)
        writer.member("store", store)
        writer.member("rev", rev)
        writer.close()
    }
}

extension ServerFrame.Effects {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.open(op: "effects", id: id)
        writer.member("store", store)
        writer.list("effects", effects) { writer, effect in
            writer.member("id", effect.id)
            writer.member("scope", effect.scope)
            writer.member("from_rev", effect.fromRev)
            writer.member("emitted", effect.emitted)
            writer.member("age_ms", effect.ageMilliseconds)
        }
        writer.close()
    }
}

extension ServerFrame.History {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.open(op: "history", id: id)
        writer.member("store", store)
        writer.list("entries", entries) { writer, entry in
            writer.member("rev", entry.rev)
            writer.member("at", entry.at)
            writer.member("action", entry.action)
            if let travel = entry.travel {
                writer.name("travel")
                writer.object {
                    $0.member("op", travel.op)
                    $0.member("to", travel.to)
                }
            }
            writer.member("from", entry.from)
            writer.member("patch", entry.patch)
        }
        writer.close()
    }
}

extension ServerFrame.Diff {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.open(op: "diff", id: id)
        writer.member("store", store)
        writer.member("from", from)
        writer.member("to", to)
        writer.member("patch", patch)
        writer.close()
    }
}

extension ServerFrame.Clients {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.open(op: "clients", id: id)
        writer.list("clients", clients) { writer, client in
            writer.members(of: client.client)
            writer.member("name", client.name)
            writer.member("transport", client.transport)
            writer.member("since", client.since)
        }
        writer.close()
    }
}
