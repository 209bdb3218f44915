import Rex
import RexProtocol

extension Server {
    func handle(_ subscribe: ClientFrame.Subscribe, for connection: Connection) throws(WireError) {
        let permissions = connection.permissions
        let store = try store(named: subscribe.store, for: permissions)
        if let view = subscribe.view {
            throw WireError(
                .unknownView, "there is no view \(view)", at: JSONPointer(tokens: ["view"]))
        }
        let place = try permissions.place(subscribe.path, in: store)
        guard connection.session.subscriptions.count < limits.subscriptions else {
            throw limit(
                .subscriptions,
                WireError(
                    .overloaded, "a connection may have \(limits.subscriptions) subscriptions",
                    retryMilliseconds: 1_000))
        }
        let throttle = subscribe.throttleMilliseconds ?? 0
        guard (0...limits.throttleMilliseconds).contains(throttle) else {
            throw limit(
                .throttleMilliseconds,
                WireError(
                    .badFrame, "throttle_ms is between 0 and \(limits.throttleMilliseconds)",
                    at: JSONPointer(tokens: ["throttle_ms"])))
        }
        notePresence(of: connection, on: store)
        // Everybody in step is brought to the present state first: the new one begins there.
        cut(before: connection)
        let host = store.host
        let base = try subscribe.since.flatMap { since throws(WireError) in
            try self.base(of: since, in: host, at: place)
        }
        let state =
            base == nil ? try host.state(in: host.snapshot, at: place) : nil
        let revision = base?.revision ?? host.revision
        let number = connection.session.nextSubscriptionNumber()
        let watch = store.watch(at: place)
        let subscription = Subscription(
            on: connection, number: number, store: store, watch: watch, mode: subscribe.mode,
            throttle: UInt64(throttle), slow: subscribe.slow, sentRevision: revision)
        watch.add(subscription)
        connection.session.subscriptions[number] = subscription
        if case .events = connection.wire {
            try begin(subscription, with: state, of: store, at: revision)
        } else {
            reply(
                .subscribed(
                    ServerFrame.Subscribed(
                        id: subscribe.id, sub: "s\(number)", store: host.name, path: subscribe.path,
                        epoch: place.epoch(of: host), rev: revision, resumed: base != nil,
                        state: state)),
                to: connection)
        }
        connection.outbox.seal()
        if let base, base.revision < host.revision {
            // What it missed follows at once, as one merged patch, whatever its throttle.
            subscription.base = base
            store.ready.append(subscription)
            store.touch()
        }
    }

    /// A stream of events begins with the state, or where it was.
    private func begin(
        _ subscription: Subscription, with state: RawJSON?, of store: HostedStore, at revision: Int
    ) throws(WireError) {
        guard state != nil else { return }
        var frames = StateFrames(store: store, place: subscription.watch.place, revision: revision)
        holdBack(subscription.connection)
        subscription.connection.outbox.place(try frames.state(for: subscription))
        touch(subscription.connection)
    }

    /// The state that a returning client has, if the commits after it are still held. One that saw
    /// another part than it may see now has a position of another epoch.
    func base(
        of since: ClientFrame.Position, in host: any StoreHost, at place: ReadPlace
    ) throws(WireError) -> (any StateSnapshot)? {
        guard since.epoch == place.epoch(of: host), since.rev <= host.revision else { return nil }
        do throws(WireError) {
            return try host.snapshot(at: since.rev)
        } catch {
            // The journal may have it: then it is asked first.
            if let question = host.takeQuestion() { pendingQuestion = (host.name, question) }
            if pendingQuestion == nil, error.code == .gone || error.code == .notFound {
                return nil
            }
            throw error
        }
    }

    func handle(_ unsubscribe: ClientFrame.Unsubscribe, for connection: Connection)
        throws(WireError)
    {
        guard let number = Session.number(in: unsubscribe.sub, prefix: "s"),
            let subscription = connection.session.subscriptions[number]
        else {
            throw WireError(
                .notFound, "there is no subscription \(unsubscribe.sub)",
                at: JSONPointer(tokens: ["sub"]))
        }
        // What it is owed leaves before the ack; nothing after it.
        cut(before: connection)
        connection.session.subscriptions[number] = nil
        subscription.store.remove(subscription)
        reply(to: connection) { ServerFrame.writeAck(id: unsubscribe.id, into: &$0) }
    }
}
