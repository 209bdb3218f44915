import Rex
import RexProtocol

extension TypedHost {
    func dispatch(
        _ request: DispatchRequest, from client: ClientIdentity, at now: UInt64,
        willReduce: () -> Void
    ) throws(WireError) -> DispatchResult {
        let action = try decode(request.action, at: request.place)
        guard let text = request.key, !request.dryRun else {
            try checkRevision(request.expect)
            if request.dryRun {
                return try dryRun(action, from: client, seeing: request.leave.reads)
            }
            willReduce()
            return try apply(action, of: request, from: client)
        }
        let key = KeyTable.Key(user: client.user, text: text)
        let hash = Digest.sha256(request.action.actionValue.canonical)
        if let record = keys.record(of: key, at: now) {
            return try repeated(record, hash)
        }
        try checkRevision(request.expect)
        willReduce()
        do throws(WireError) {
            let result = try apply(action, of: request, from: client)
            if case .committed(let revision, _) = result {
                remember(key, hash, .ack(revision: revision), at: now)
            }
            return result
        } catch {
            if error.code == .rejected {
                remember(key, hash, .rejected(message: error.message), at: now)
            }
            throw error
        }
    }

    func authorization(
        of request: DispatchRequest, from client: ClientIdentity
    ) throws(WireError) -> Authorization.Question? {
        guard let authorize else { return nil }
        let action = try decode(request.action, at: request.place)
        return { await authorize(action, client) }
    }

    /// Decodes an action that a client may send.
    private func decode(_ node: JSONNode, at place: JSONPointer) throws(WireError) -> Action {
        do throws(ActionError) {
            return try reader.readFromClient(node, at: place)
        } catch {
            throw WireError(error)
        }
    }

    private func checkRevision(_ expected: Int?) throws(WireError) {
        guard let expected, expected != revision else { return }
        throw WireError(
            .conflict, "expected revision \(expected), the store is at \(revision)",
            at: JSONPointer(tokens: ["expect"]), rev: revision)
    }

    private func repeated(_ record: KeyTable.Record, _ hash: [UInt8]) throws(WireError)
        -> DispatchResult
    {
        guard record.actionHash == hash else {
            throw WireError(
                .keyReused, "the key was used for another action", at: JSONPointer(tokens: ["key"]))
        }
        switch record.answer {
        case .ack(let revision): return .duplicate(revision: revision)
        case .rejected(let message): throw WireError(.rejected, message, duplicate: true)
        }
    }

    private func apply(
        _ action: Action, of request: DispatchRequest, from client: ClientIdentity
    ) throws(WireError) -> DispatchResult {
        let group = request.awaitsEffects ? EffectGroup() : nil
        // Only now: presence may have committed something of its own before.
        dispatched = (request.action, request.key)
        defer { dispatched = nil }
        switch hot.dispatch(core, action, .client(client), group) {
        case .committed(let revision): return .committed(revision: revision, effects: group)
        case .refused(let error): throw refusal(error)
        case .aborted: throw WireError(.rejected, "a hook of the store stopped the action")
        case .unchanged, .queued:
            throw WireError(.internal, "the store was busy on its own loop")
        }
    }

    private func dryRun(
        _ action: Action, from client: ClientIdentity, seeing whole: ReadPlace
    ) throws(WireError) -> DispatchResult {
        switch core.dryRun(action, from: .client(client)) {
        case .failure(let error): throw refusal(error)
        case .success(let state):
            let next = Snapshot(revision: revision, state: state)
            let patch = try patch(from: current, to: next, at: whole)
            return .dryRun(revision: revision, patch: patch ?? JSONPatch().raw)
        }
    }

    private func refusal(_ error: any Error) -> WireError {
        error is StoreLimitReached
            ? WireError(.overloaded, "\(error)", retryMilliseconds: 1_000)
            : WireError(.rejected, "\(error)")
    }

    // MARK: The store's own actions

    func connect(_ client: ClientIdentity) {
        clients[client.id] = client
        if isFrozen { arrived.append(client) }
        dispatchOwn(Action.connected(client))
    }

    func disconnect(_ client: ClientIdentity) {
        clients[client.id] = nil
        core.endScope(.client(client.id))
        if isFrozen { didDepart(client) }
        dispatchOwn(Action.disconnected(client))
    }

    private func didDepart(_ client: ClientIdentity) {
        let count = arrived.count
        arrived.removeAll { $0.id == client.id }
        if arrived.count == count { departed.append(client) }
    }

    func dispatchOwn(_ action: Action?) {
        guard let action, !isFrozen else { return }
        if case .refused(let error) = core.dispatch(action, from: .system, ifItChanges: true) {
            observer?.didFail(
                self, StoreHostFault(text: "the store refused its own action: \(error.kind)"))
        }
    }

    /// Lets the store put right what its state says of clients and effects that are not there.
    func reconcile() {
        let running = Set(core.runningEffects.map(\.id.rawValue)).sorted()
        guard let action = Action.reconcile(clients: clients.keys.sorted(), effects: running) else {
            return
        }
        isReconciling = true
        dispatchOwn(action)
        isReconciling = false
    }

    // MARK: Effects

    var effects: [RunningEffect] { core.runningEffects }

    func cancel(effect: String) -> Int {
        let count = core.cancelEffect(id: EffectID(effect))
        if count > 0 { reconcile() }
        return count
    }
}

extension JSONNode {
    /// The action alone, as a value: a bare action's frame has members that are not its own.
    fileprivate var actionValue: JSONValue {
        var object = JSONObject()
        object["type"] = self["type"]?.value
        object["payload"] = self["payload"]?.value
        return .object(object)
    }
}
