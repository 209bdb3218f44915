import Rex

// From a frame to its text.
extension ClientFrame {
    /// The `id`; nil where the frame has none.
    public var id: FrameID? {
        switch self {
        case .hello(let frame): frame.id
        case .dispatch(let frame): frame.id
        case .get(let frame): frame.id
        case .subscribe(let frame): frame.id
        case .unsubscribe(let frame): frame.id
        case .listen(let frame): frame.id
        case .unlisten(let frame): frame.id
        case .publish(let frame): frame.id
        case .effects(let frame), .undo(let frame), .redo(let frame), .hash(let frame): frame.id
        case .cancel(let frame): frame.id
        case .jump(let frame): frame.id
        case .history(let frame): frame.id
        case .diff(let frame): frame.id
        case .fork(let frame): frame.id
        case .clients(let frame), .ping(let frame), .pong(let frame): frame.id
        }
    }

    /// Appends the frame as one object, without a line end. Absent members are left out. A bare
    /// dispatch is written as what it is: the action, its own members and all.
    public func encode(into writer: inout JSONWriter) {
        switch self {
        case .hello(let frame): frame.encode(into: &writer)
        case .dispatch(let frame): frame.encode(into: &writer)
        case .get(let frame): frame.encode(into: &writer)
        case .subscribe(let frame): frame.encode(into: &writer)
        case .publish(let frame): frame.encode(into: &writer)
        case .history(let frame): frame.encode(into: &writer)
        case .diff(let frame): frame.encode(into: &writer)
        case .fork(let frame): frame.encode(into: &writer)
        case .unsubscribe(let frame):
            writer.open(op: "unsubscribe", id: frame.id)
            writer.member("sub", frame.sub)
            writer.close()
        case .listen(let frame):
            writer.open(op: "listen", id: frame.id)
            writer.member("topic", frame.topic.text)
            if frame.slow != .merge { writer.member("slow", frame.slow.rawValue) }
            writer.close()
        case .unlisten(let frame):
            writer.open(op: "unlisten", id: frame.id)
            writer.member("listen", frame.listen)
            writer.close()
        case .cancel(let frame):
            writer.open(op: "cancel", id: frame.id)
            writer.member("store", frame.store)
            writer.member("effect", frame.effect)
            writer.close()
        case .jump(let frame):
            writer.open(op: "jump", id: frame.id)
            writer.member("store", frame.store)
            writer.member("rev", frame.rev)
            writer.close()
        case .effects(let frame): frame.encode("effects", into: &writer)
        case .undo(let frame): frame.encode("undo", into: &writer)
        case .redo(let frame): frame.encode("redo", into: &writer)
        case .hash(let frame): frame.encode("hash", into: &writer)
        case .clients(let frame): frame.encode("clients", into: &writer)
        case .ping(let frame): frame.encode("ping", into: &writer)
        case .pong(let frame): frame.encode("pong", into: &writer)
        }
    }
}

extension ClientFrame.Bare {
    fileprivate func encode(_ op: StaticString, into writer: inout JSONWriter) {
        writer.open(op: op, id: id)
        writer.close()
    }
}

extension ClientFrame.StoreQuery {
    fileprivate func encode(_ op: StaticString, into writer: inout JSONWriter) {
        writer.open(op: op, id: id)
        writer.member("store", store)
        writer.close()
    }
}

extension ClientFrame.Hello {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.open(op: "hello", id: id)
        writer.member("protocol", version)
        writer.member("token", token)
        writer.member("client", client)
        writer.member("session", session)
        writer.member("heartbeat_ms", heartbeatMilliseconds)
        writer.close()
    }
}

extension ClientFrame.Dispatch {
    fileprivate func encode(into writer: inout JSONWriter) {
        guard !isBare else {
            switch action {
            case .node(let node): writer.node(node)
            case .raw(let json): writer.raw(json)
            }
            return
        }
        writer.open(op: "dispatch", id: id)
        writer.member("store", store)
        writer.member("action", action)
        writer.member("key", key)
        writer.member("expect", expect)
        writer.member("await", self.await?.rawValue)
        if dryRun { writer.member("dry_run", true) }
        if !ack { writer.member("ack", false) }
        writer.close()
    }
}

extension ClientFrame.Get {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.open(op: "get", id: id)
        writer.member("store", store)
        writer.member("path", path)
        writer.member("at", at)
        writer.close()
    }
}

extension ClientFrame.Subscribe {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.open(op: "subscribe", id: id)
        writer.member("store", store)
        if view == nil { writer.member("path", path) }
        if let since {
            writer.literal(",\"since\":{\"epoch\":")
            writer.string(since.epoch)
            writer.member("rev", since.rev)
            writer.close()
        }
        if mode != .patch { writer.member("mode", mode.rawValue) }
        writer.member("throttle_ms", throttleMilliseconds)
        if slow != .merge { writer.member("slow", slow.rawValue) }
        writer.member("view", view)
        writer.member("params", params)
        writer.close()
    }
}

extension ClientFrame.Publish {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.open(op: "publish", id: id)
        writer.member("topic", topic.text)
        writer.member("data", data)
        if !ack { writer.member("ack", false) }
        writer.close()
    }
}

extension ClientFrame.HistoryQuery {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.open(op: "history", id: id)
        writer.member("store", store)
        writer.member("after", after)
        writer.member("limit", limit)
        writer.member("path", path)
        writer.close()
    }
}

extension ClientFrame.DiffQuery {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.open(op: "diff", id: id)
        writer.member("store", store)
        writer.member("from", from)
        writer.member("to", to)
        writer.member("path", path)
        writer.close()
    }
}

extension ClientFrame.Fork {
    fileprivate func encode(into writer: inout JSONWriter) {
        writer.open(op: "fork", id: id)
        writer.member("store", store)
        writer.member("at", at)
        writer.member("as", name)
        writer.close()
    }
}
