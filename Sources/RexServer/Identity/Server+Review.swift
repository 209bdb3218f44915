import Rex
import RexLoop
import RexProtocol

/// When the rules change: who is connected is looked at again. What a connection may no longer have
/// is taken from it before anything else is sent to it.
extension Server {
    func review(_ connection: Connection) {
        guard connection.isServed, let old = connection.session.principal else { return }
        // A connection with requests proves it with the next one.
        if case .http = connection.wire { return }
        guard let new = tokens?.principal(of: old.proof), new.user == old.user else {
            return close(
                connection, .unauthorized, "what this client was known by is good no longer")
        }
        connection.session.principal = new
        guard new.permissions != old.permissions else { return }
        // Everybody has what was committed by the old rules; the new ones begin here.
        cutAll(before: connection)
        for (_, listener) in connection.session.listeners.sorted(by: { $0.key < $1.key }) {
            review(listener, of: connection, new.permissions)
        }
        for (_, subscription) in connection.session.subscriptions.sorted(by: { $0.key < $1.key }) {
            review(subscription, of: connection, new.permissions)
        }
    }

    private func review(
        _ listener: Listener, of connection: Connection, _ permissions: Permissions
    ) {
        let group = listener.group
        let number = group.key.number
        remove(listener)
        do throws(WireError) {
            try permissions.checkListening(to: group.pattern)
            add(listenerTo: group.pattern, number, slow: listener.slow, for: connection)
        } catch {
            connection.session.listeners[number] = nil
            var error = error
            error.listen = "t\(number)"
            tell(error, connection)
        }
    }

    private func review(
        _ subscription: Subscription, of connection: Connection, _ permissions: Permissions
    ) {
        guard connection.isServed else { return }
        let store = subscription.store
        let old = subscription.watch.place
        let new = permissions.possiblePlace(old.path, in: store)
        guard new != old else { return }
        store.move(subscription, to: new)
        do throws(WireError) {
            try show(subscription)
        } catch {
            note(
                .error, "fanout_failed", about: store.host.name,
                ["store": store.host.name, "reason": error.message])
            return close(connection, .internal, error.message)
        }
        guard new.scope.isNone else { return }
        connection.session.subscriptions[subscription.number] = nil
        store.remove(subscription)
        var error = WireError(
            .forbidden, "you may read '\(new.path)' of \(store.host.name) no longer")
        error.sub = "s\(subscription.number)"
        tell(error, connection)
    }

    /// Brings a client from what it saw to what it may see, by a whole state: it has another epoch,
    /// and the revision need not have changed.
    private func show(_ subscription: Subscription) throws(WireError) {
        let store = subscription.store
        let connection = subscription.connection
        if isBehind(connection) {
            // It gets that once it reads again, and no patch of what it does not know.
            subscription.base = store.lastCut
            subscription.owesState = true
            return
        }
        let revision = store.lastCut.revision
        var frames = StateFrames(
            store: store, place: subscription.watch.place, revision: revision)
        let chunk = try frames.state(for: subscription)
        subscription.base = nil
        subscription.sentRevision = revision
        holdBack(connection)
        connection.outbox.place(chunk)
        touch(connection)
    }

    /// Tells a client what it has lost.
    private func tell(_ error: WireError, _ connection: Connection) {
        guard connection.isServed else { return }
        guard case .events = connection.wire else {
            return reply(error, id: nil, to: connection)
        }
        refuseStream(connection, error)
    }
}
