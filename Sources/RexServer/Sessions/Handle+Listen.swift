import Rex
import RexProtocol

extension Server {
    func handle(_ listen: ClientFrame.Listen, for connection: Connection) throws(WireError) {
        let pattern = listen.topic
        try checkTopic(pattern.text)
        try connection.permissions.checkListening(to: pattern)
        guard connection.session.listeners.count < limits.listeners else {
            throw limit(
                .listeners,
                WireError(
                    .overloaded, "a connection may have \(limits.listeners) listeners",
                    retryMilliseconds: 1_000))
        }
        // Events published before it are not for it, though they may go to its group.
        cut(before: connection)
        let number = connection.session.nextListenerNumber()
        add(listenerTo: pattern, number, slow: listen.slow, for: connection)
        reply(
            .listening(
                ServerFrame.Listening(id: listen.id, listen: "t\(number)", topic: pattern.text)),
            to: connection)
    }

    /// Puts a connection among those who hear a pattern, as far as it may.
    func add(
        listenerTo pattern: TopicPattern, _ number: Int, slow: ClientFrame.Slow,
        for connection: Connection
    ) {
        let key = ListenerGroup.Key(
            pattern: pattern.text, number: number, encoding: connection.encoding,
            rule: connection.permissions.listen)
        let group: ListenerGroup
        if let known = listenerGroups[key] {
            group = known
        } else {
            group = ListenerGroup(pattern, key: key)
            listenerGroups[key] = group
            topics.insert(group, for: pattern)
        }
        let listener = Listener(on: connection, group: group, slow: slow)
        group.add(listener)
        connection.session.listeners[number] = listener
    }

    func handle(_ unlisten: ClientFrame.Unlisten, for connection: Connection) throws(WireError) {
        guard let number = Session.number(in: unlisten.listen, prefix: "t"),
            let listener = connection.session.listeners[number]
        else {
            throw WireError(
                .notFound, "there is no listener \(unlisten.listen)",
                at: JSONPointer(tokens: ["listen"]))
        }
        cutAll(before: connection)
        connection.session.listeners[number] = nil
        remove(listener)
        reply(to: connection) { ServerFrame.writeAck(id: unlisten.id, into: &$0) }
    }

    func handle(_ publish: ClientFrame.Publish, for connection: Connection) throws(WireError) {
        let topic = publish.topic
        try checkPublishing(on: topic, connection.permissions)
        let count = self.publish(
            topic, publish.data.raw, from: .client(connection.session.client))
        guard publish.ack else { return }
        var ack = ServerFrame.Ack(id: publish.id)
        ack.listeners = count
        reply(.ack(ack), to: connection)
    }

    /// A pattern is kept as long as somebody listens to it.
    private func checkTopic(_ text: String) throws(WireError) {
        guard text.utf8.count <= limits.topicBytes else {
            throw limit(
                .topicBytes,
                WireError(
                    .badTopic,
                    "a topic has at most \(limits.topicBytes) bytes, this one has "
                        + "\(text.utf8.count)",
                    at: JSONPointer(tokens: ["topic"])))
        }
    }

    /// Counts a text that was too long to become a topic at all.
    func countTopic(_ text: String?) {
        if (text ?? "").utf8.count > Topic.byteLimit { metrics.count(.topicBytes) }
    }

    /// Some topics are not for clients to publish under, others not for this one.
    func checkPublishing(
        on topic: Topic, _ permissions: Permissions
    ) throws(WireError) {
        try checkTopic(topic.text)
        try permissions.checkPublishing(on: topic)
        if let owner = owner(of: topic) {
            throw WireError(.forbidden, owner, at: JSONPointer(tokens: ["topic"]))
        }
    }
}
