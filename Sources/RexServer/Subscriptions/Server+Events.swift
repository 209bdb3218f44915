import Rex
import RexLoop
import RexProtocol

/// Events: matched when they are published, encoded once for each group of listeners, sent at the
/// cut.
extension Server {
    /// Where an event comes from, as its frame says it.
    enum EventSource {
        case client(ClientIdentity)
        case store(name: String, revision: Int)
        case server
    }

    /// Notes an event for everybody who listens, and returns how many do.
    @discardableResult
    func publish(_ topic: Topic, _ data: RawJSON, from source: EventSource) -> Int {
        metrics.eventsPublished += 1
        var count = 0
        var tail: [UInt8] = []
        let meant = topicOfRules(topic, source)
        topics.forEachMatch(topic) { group in
            guard group.key.rule.allows(meant) else { return }
            if tail.isEmpty { tail = Self.eventTail(topic, data, source) }
            if group.events.isEmpty { touchedGroups.append(group) }
            group.events.append(tail)
            count += group.members.count
        }
        return count
    }

    /// The topic that the rules look at: a fork's events are heard by those who may hear its
    /// store's.
    private func topicOfRules(_ topic: Topic, _ source: EventSource) -> Topic {
        guard case .store(let name, _) = source, let store = stores[name],
            store.ruleName != name
        else { return topic }
        return (try? Topic(store.ruleName + topic.text.dropFirst(name.count))) ?? topic
    }

    /// All of an event frame that is the same for every listener.
    private static func eventTail(_ topic: Topic, _ data: RawJSON, _ source: EventSource) -> [UInt8]
    {
        var writer = JSONWriter(capacity: data.bytes.count + 96)
        writer.literal(",\"topic\":")
        writer.string(topic.text)
        writer.literal(",\"data\":")
        writer.raw(data)
        switch source {
        case .client(let client):
            writer.literal(",\"from\":{\"client\":")
            writer.string(client.id)
            if let user = client.user {
                writer.literal(",\"user\":")
                writer.string(user)
            }
            writer.literal("}")
        case .store(let name, let revision):
            writer.literal(",\"store\":")
            writer.string(name)
            writer.literal(",\"rev\":")
            writer.int(revision)
        case .server: break
        }
        writer.literal("}")
        return writer.bytes
    }

    /// Puts the turn's events into the outboxes, the same chunks for all listeners of a group.
    func sendEvents() {
        guard !touchedGroups.isEmpty else { return }
        let groups = touchedGroups
        touchedGroups.removeAll(keepingCapacity: true)
        for group in groups {
            while let (chunk, count) = group.takeFrames() {
                for listener in group.members { send(chunk, count: count, to: listener) }
            }
        }
    }

    func remove(_ listener: Listener) {
        let group = listener.group
        group.remove(listener)
        guard group.members.isEmpty else { return }
        topics.remove(group, for: group.pattern)
        listenerGroups[group.key] = nil
        touchedGroups.removeAll { $0 === group }
    }

    // MARK: The server's own topics

    func publishPresence(of client: ClientIdentity, _ change: String, on store: String) {
        guard let topic = try? Topic("$presence.\(store).\(change)") else { return }
        var data = JSONObject()
        data["client"] = .string(client.id)
        data["user"] = client.user.map { .string($0) } ?? .null
        publish(topic, RawJSON(.object(data)), from: .server)
    }

    /// A client counts as present on a store from its first subscription to it or dispatch on it.
    func notePresence(of connection: Connection, on store: HostedStore) {
        if case .events = connection.wire, let web = connection.webSession {
            return notePresence(of: web, on: store)
        }
        if connection.session.enter(store) { announce(connection.session.client, on: store) }
    }

    func notePresence(of web: WebSession, on store: HostedStore) {
        if web.session.enter(store) { announce(web.session.client, on: store) }
    }

    func announce(_ client: ClientIdentity, on store: HostedStore) {
        publishPresence(of: client, "join", on: store.host.name)
        store.host.connect(client)
    }
}

extension Server: StoreHostObserver {
    nonisolated func didPublish(
        _ topic: String, _ data: RawJSON, revision: Int, from host: any StoreHost
    ) {
        enter(with: host) { server, host in
            let name = host.name
            guard let topic = try? Topic("\(name).\(topic)") else {
                server.note(
                    .warning, "bad_topic", about: name, ["store": name, "topic": topic])
                return
            }
            server.publish(topic, data, from: .store(name: name, revision: revision))
        }
    }

    nonisolated func didFail(_ host: any StoreHost, _ fault: StoreHostFault) {
        enter(with: host) { server, host in
            if fault.isAtItsEffects { server.metrics.count(.effects) }
            server.note(
                .warning, "store_fault", about: host.name,
                ["store": host.name, "fault": fault.text])
        }
    }
}
