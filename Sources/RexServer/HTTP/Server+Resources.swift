import Rex
import RexLoop
import RexProtocol

/// Stores and topics over HTTP: an action, the state, a stream of patches, an event.
extension Server {
    func dispatchOverHTTP(
        _ request: HTTPRequest, store name: String, _ connection: Connection
    ) throws(WireError) -> HTTPResponse {
        if limits.dispatchesPerSecond > 0 { try checkRate(of: connection) }
        let permissions = connection.permissions
        let store = try store(named: name, for: permissions)
        let expect = try request.expectedRevision(of: store.host)
        let key = request.headers["idempotency-key"]
        if let key, key.isEmpty || key.utf8.count > limits.keyBytes {
            throw limit(
                .keyBytes,
                WireError(.badFrame, "Idempotency-Key has 1 to \(limits.keyBytes) bytes"))
        }
        try checkStorage(of: store)
        let (client, arrive) = try client(of: request, connection, on: store)
        return try withNode(request.body) { node throws(WireError) in
            let leave = try permissions.leave(
                toDispatch: node["type"]?.string ?? "", on: store, at: .root)
            let request = DispatchRequest(
                leave: leave, action: node, place: .root, key: key, expect: expect)
            try checkAuthorization(of: request, on: store, from: client, by: connection)
            let result: DispatchResult
            do throws(WireError) {
                result = try store.host.dispatch(
                    request, from: client, at: loop.milliseconds, willReduce: arrive)
            } catch { throw error.namingTheHeader }
            var ack = ServerFrame.Ack(id: nil, store: name)
            switch result {
            case .committed(let revision, _): ack.rev = revision
            case .duplicate(let revision):
                ack.rev = revision
                ack.duplicate = true
            case .dryRun(let revision, let patch):
                ack.rev = revision
                ack.patch = patch
            }
            return HTTPResponse(200, .ack(ack))
        }
    }

    func publishOverHTTP(
        _ request: HTTPRequest, topic name: String, _ connection: Connection
    ) throws(WireError) -> HTTPResponse {
        let topic: Topic
        do throws(TopicError) { topic = try Topic(name) } catch {
            countTopic(name)
            throw WireError(error).of("the topic in the address")
        }
        try checkPublishing(on: topic, connection.permissions)
        let (client, _) = try client(of: request, connection, on: nil)
        return try withNode(request.body) { node throws(WireError) in
            var ack = ServerFrame.Ack(id: nil)
            ack.listeners = publish(topic, node.compact, from: .client(client))
            return HTTPResponse(200, .ack(ack))
        }
    }

    func stateOverHTTP(
        _ request: HTTPRequest, store name: String, _ permissions: Permissions
    ) throws(WireError) -> HTTPResponse {
        let store = try store(named: name, for: permissions)
        let host = store.host
        let place = try place(in: request, of: store, permissions)
        var snapshot = host.snapshot
        if let text = request.query["at"] {
            guard let revision = Int(text) else {
                throw WireError(.badFrame, "at in the query is a revision")
            }
            snapshot = try host.snapshot(at: revision)
        }
        let epoch = place.epoch(of: host)
        let tag = "\"\(epoch):\(snapshot.revision)\""
        if request.knows(tag) {
            var response = HTTPResponse(304)
            response.headers = [("ETag", tag), ("Cache-Control", "no-cache")]
            return response
        }
        var response = HTTPResponse(
            200,
            .state(
                .init(
                    store: host.name, path: place.path, epoch: epoch, rev: snapshot.revision,
                    state: try host.state(in: snapshot, at: place))))
        response.headers += [("ETag", tag), ("Cache-Control", "no-cache")]
        return response
    }

    /// Server-sent events: the state, then each patch; `Last-Event-ID` resumes.
    func stream(
        _ request: HTTPRequest, store name: String, _ connection: Connection
    ) throws(WireError) -> HTTPResponse {
        var subscribe = ClientFrame.Subscribe(store: name)
        let permissions = connection.permissions
        let store = try store(named: name, for: permissions)
        let place = try place(in: request, of: store, permissions)
        subscribe.path = place.path
        subscribe.slow = try request.slow()
        let web = try webSession(of: request, connection)
        if let id = request.headers["last-event-id"], let mark = id.lastIndex(of: ":"),
            let revision = Int(id[id.index(after: mark)...])
        {
            subscribe.since = .init(epoch: String(id[..<mark]), rev: revision)
        }
        // Asked before the head leaves: the journal may have to be.
        if let since = subscribe.since { _ = try base(of: since, in: store.host, at: place) }
        var response = HTTPResponse(200)
        response.isStream = true
        response.headers = [
            ("Content-Type", "text/event-stream"), ("Cache-Control", "no-cache"),
            ("Connection", "close"),
        ]
        response.headers += commonHeaders + sharingHeaders(for: request)
        replyBytes(to: connection) {
            response.encode(into: &$0)
            $0.literal("retry: 1000\n\n")
        }
        connection.speak(.events, as: .event)
        connection.webSession = web
        web?.streams += 1
        do throws(WireError) {
            try handle(subscribe, for: connection)
        } catch {
            refuseStream(connection, error)
            return response
        }
        noteExpiry(of: connection)
        connection.session.heartbeat = Self.commentMilliseconds
        add(.heartbeat(connection: connection.id), after: Int(Self.commentMilliseconds))
        return response
    }

    /// The head has left already, so the error is an event.
    func refuseStream(_ connection: Connection, _ error: WireError) {
        replyBytes(to: connection) { $0.literal("event: error\n") }
        reply(error, id: nil, to: connection)
        finish(connection)
    }

    /// A comment keeps a quiet stream open on its way.
    private static let commentMilliseconds: UInt64 = 15_000

    // MARK: Places and bodies

    /// What `path` in the query points to, as far as it may be read; the whole state without one.
    private func place(
        in request: HTTPRequest, of store: HostedStore, _ permissions: Permissions
    ) throws(WireError) -> ReadPlace {
        let path: JSONPointer
        do throws(JSONPointerError) { path = try JSONPointer(request.query["path"] ?? "") } catch {
            throw WireError(.badFrame, error.message).of("path in the query")
        }
        do throws(WireError) {
            try check(path)
            return try permissions.place(path, in: store)
        } catch { throw error.of("path in the query") }
    }

    private func withNode(
        _ body: [UInt8], _ use: (JSONNode) throws(WireError) -> HTTPResponse
    ) throws(WireError) -> HTTPResponse {
        let result = body.withUnsafeBytes { bytes in
            Result { () throws(WireError) in
                let node: JSONNode
                do throws(JSONError) { node = try parser.parse(bytes) } catch {
                    if error.isTooDeep { metrics.count(.depth) }
                    throw WireError(error)
                }
                return try use(node)
            }
        }
        return try result.get()
    }
}

extension WireError {
    /// The same fault in a part of a request that is not its body: no JSON Pointer leads there, so
    /// the message names it.
    fileprivate func of(_ part: String) -> WireError {
        var error = self
        error.message = "\(part): \(message)"
        error.at = nil
        return error
    }

    /// What members of a frame say on other wires comes here as headers.
    fileprivate var namingTheHeader: WireError {
        switch code {
        case .conflict: of("If-Match")
        case .keyReused: of("Idempotency-Key")
        default: self
        }
    }
}

extension HTTPRequest {
    /// What `slow` in the query says.
    fileprivate func slow() throws(WireError) -> ClientFrame.Slow {
        guard let text = query["slow"] else { return .merge }
        guard let slow = ClientFrame.Slow(rawValue: text) else {
            throw WireError(
                .badFrame,
                "slow in the query: expected 'merge' or 'close', got '\(text.prefix(64))'")
        }
        return slow
    }

    /// `If-Match` is an `ETag` of the state, or a bare revision.
    fileprivate func expectedRevision(of host: any StoreHost) throws(WireError) -> Int? {
        guard let text = headers["if-match"], text != "*" else { return nil }
        let tag = text.filter { $0 != "\"" }
        let parts = tag.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let revision = Int(parts.last!) else {
            throw WireError(.badFrame, "If-Match is the ETag of the state, or a revision")
        }
        if parts.count == 2, ReadPlace.storeEpoch(in: String(parts[0])) != host.epoch {
            throw WireError(
                .conflict, "If-Match: the store has another epoch, \(host.epoch)",
                rev: host.snapshot.revision)
        }
        return revision
    }
}
