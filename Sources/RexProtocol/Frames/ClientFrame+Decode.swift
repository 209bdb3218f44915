import Rex

// From a parsed text to a frame.
extension ClientFrame {
    /// Reads a frame. The `id` of one that is refused is `FrameID.of(node)`.
    ///
    /// `op` wins; an object without it but with `type` is a dispatch of itself to the default
    /// store. Throws `badJSON` where the text is no object, `unknownOp`, `badTopic`, and `badFrame`
    /// with the place where a member is missing or of another kind. Unknown members are ignored.
    public static func decode(_ node: JSONNode) throws(WireError) -> ClientFrame {
        guard node.kind == .object else {
            throw WireError(.badJSON, "expected an object, got \(node.kind.words)")
        }
        let fields = FrameFields(node: node)
        // A null member counts as absent.
        guard let op = node["op"], !op.isNull else {
            guard node["type"] != nil else {
                throw WireError(
                    .badFrame, "a frame needs a member 'op', or 'type' where it is an action")
            }
            return .dispatch(try Dispatch(fields, isBare: true))
        }
        guard op.kind == .string else { throw fields.error("op", "a string", op) }
        if op.isEqual(to: "dispatch") { return .dispatch(try Dispatch(fields, isBare: false)) }
        return try decode(op: op.string ?? "", fields)
    }

    private static func decode(
        op: String, _ fields: FrameFields
    ) throws(WireError) -> ClientFrame {
        switch op {
        case "hello": .hello(try Hello(fields))
        case "get": .get(try Get(fields))
        case "subscribe": .subscribe(try Subscribe(fields))
        case "unsubscribe":
            .unsubscribe(Unsubscribe(id: try fields.id(), sub: try fields.text("sub")))
        case "listen": .listen(try Listen(fields))
        case "unlisten":
            .unlisten(Unlisten(id: try fields.id(), listen: try fields.text("listen")))
        case "publish": .publish(try Publish(fields))
        case "effects": .effects(try StoreQuery(fields))
        case "cancel": .cancel(try Cancel(fields))
        case "undo": .undo(try StoreQuery(fields))
        case "redo": .redo(try StoreQuery(fields))
        case "jump":
            .jump(
                Jump(
                    id: try fields.id(), store: try fields.string("store"),
                    rev: try fields.number("rev")))
        case "history": .history(try HistoryQuery(fields))
        case "diff": .diff(try DiffQuery(fields))
        case "fork": .fork(try Fork(fields))
        case "hash": .hash(try StoreQuery(fields))
        case "clients": .clients(Bare(id: try fields.id()))
        case "ping": .ping(Bare(id: try fields.id()))
        case "pong": .pong(Bare(id: try fields.id()))
        default: throw unknown(op)
        }
    }

    private static func unknown(_ op: String) -> WireError {
        var message = "there is no op '\(op.prefix(64))'"
        if let nearest = Spelling.nearest(to: op, among: ops) {
            message += "; did you mean '\(nearest)'?"
        } else {
            message += "; the ops are \(ops.joined(separator: ", "))"
        }
        return WireError(.unknownOp, message, at: JSONPointer(tokens: ["op"]))
    }
}

extension FrameFields {
    /// One of a few words.
    func word<W: RawRepresentable & CaseIterable>(
        _ name: StaticString, _: W.Type
    ) throws(WireError) -> W? where W.RawValue == String {
        guard let text = try string(name) else { return nil }
        guard let word = W(rawValue: text) else {
            let words = W.allCases.map { "'\($0.rawValue)'" }.joined(separator: " or ")
            throw WireError(
                .badFrame, "expected \(words), got '\(text.prefix(64))'",
                at: place.appending("\(name)"))
        }
        return word
    }
}

extension ClientFrame.StoreQuery {
    init(_ fields: FrameFields) throws(WireError) {
        self.init(id: try fields.id(), store: try fields.string("store"))
    }
}

extension ClientFrame.Hello {
    init(_ fields: FrameFields) throws(WireError) {
        self.init(id: try fields.id())
        version = try fields.count("protocol") ?? 1
        token = try fields.string("token")
        client = try fields.string("client")
        session = try fields.string("session")
        heartbeatMilliseconds = try fields.count("heartbeat_ms")
    }
}

extension ClientFrame.Dispatch {
    /// The hottest frame: one pass over its members instead of a look-up for each that it may have.
    init(_ fields: FrameFields, isBare: Bool) throws(WireError) {
        self.init(action: .node(fields.node))
        self.isBare = isBare
        var hasAction = isBare
        for (name, value) in fields.node.members where !value.isNull {
            if name.isEqual(to: "id") {
                id = try fields.id()
            } else if name.isEqual(to: "store") {
                store = try fields.string("store")
            } else if name.isEqual(to: "action"), !isBare {
                action = .node(value)
                hasAction = true
            } else if name.isEqual(to: "key") {
                key = try fields.string("key")
            } else if name.isEqual(to: "expect") {
                expect = try fields.count("expect")
            } else if name.isEqual(to: "await") {
                self.await = try fields.word("await", ClientFrame.Await.self)
            } else if name.isEqual(to: "dry_run") {
                dryRun = try fields.bool("dry_run") ?? false
            } else if name.isEqual(to: "ack") {
                ack = try fields.bool("ack") ?? true
            }
        }
        guard hasAction else {
            throw fields.error("action", "an action", fields.node["action"])
        }
        if self.await == .effects, id == nil {
            throw WireError(
                .badFrame, "\"await\":\"effects\" needs an 'id'", at: JSONPointer(tokens: ["id"]))
        }
    }
}

extension ClientFrame.Get {
    init(_ fields: FrameFields) throws(WireError) {
        self.init(id: try fields.id(), store: try fields.string("store"))
        path = try fields.pointer("path") ?? .root
        at = try fields.count("at")
    }
}

extension ClientFrame.Subscribe {
    init(_ fields: FrameFields) throws(WireError) {
        self.init(id: try fields.id(), store: try fields.string("store"))
        path = try fields.pointer("path") ?? .root
        if let since = try fields.object("since") {
            self.since = ClientFrame.Position(
                epoch: try since.text("epoch"), rev: try since.number("rev"))
        }
        mode = try fields.word("mode", ClientFrame.Mode.self) ?? .patch
        throttleMilliseconds = try fields.count("throttle_ms")
        slow = try fields.slow()
        view = try fields.string("view")
        params = fields.some("params").map { .node($0) }
        if view != nil, fields.some("path") != nil {
            throw WireError(
                .badFrame, "a subscription has a path or a view, not both",
                at: JSONPointer(tokens: ["view"]))
        }
    }
}

extension ClientFrame.Listen {
    init(_ fields: FrameFields) throws(WireError) {
        self.init(id: try fields.id(), topic: try fields.pattern(), slow: try fields.slow())
    }
}

extension ClientFrame.Publish {
    init(_ fields: FrameFields) throws(WireError) {
        self.init(
            id: try fields.id(), topic: try fields.topic(),
            data: .node(try fields.need("data", "a value")))
        ack = try fields.bool("ack") ?? true
    }
}

extension ClientFrame.Cancel {
    init(_ fields: FrameFields) throws(WireError) {
        self.init(
            id: try fields.id(), store: try fields.string("store"),
            effect: try fields.text("effect"))
    }
}

extension ClientFrame.HistoryQuery {
    init(_ fields: FrameFields) throws(WireError) {
        self.init(id: try fields.id(), store: try fields.string("store"))
        after = try fields.count("after")
        limit = try fields.count("limit")
        path = try fields.pointer("path")
    }
}

extension ClientFrame.DiffQuery {
    init(_ fields: FrameFields) throws(WireError) {
        self.init(
            id: try fields.id(), store: try fields.string("store"),
            from: try fields.number("from"), to: try fields.count("to"))
        path = try fields.pointer("path") ?? .root
    }
}

extension ClientFrame.Fork {
    init(_ fields: FrameFields) throws(WireError) {
        self.init(
            id: try fields.id(), store: try fields.string("store"), at: try fields.count("at"),
            as: try fields.text("as"))
    }
}

extension FrameFields {
    fileprivate func topic() throws(WireError) -> Topic {
        let text = try text("topic")
        do throws(TopicError) { return try Topic(text) } catch { throw WireError(error) }
    }

    fileprivate func slow() throws(WireError) -> ClientFrame.Slow {
        try word("slow", ClientFrame.Slow.self) ?? .merge
    }

    fileprivate func pattern() throws(WireError) -> TopicPattern {
        let text = try text("topic")
        do throws(TopicError) { return try TopicPattern(text) } catch { throw WireError(error) }
    }
}
