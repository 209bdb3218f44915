import Rex
import RexLoop
import RexProtocol

/// A client whose connection has ended, and that may come back for a while: it is present as
/// before, and what runs for it runs on.
struct ParkedSession {
    let client: ClientIdentity
    let presentOn: Set<String>
    /// The loop's milliseconds when it counts as gone.
    let due: UInt64
}

/// Clients across reconnects: who was welcomed may come back under the name of its session.
extension Server {
    /// Makes a connection the session that its client asks for, where there is such a one.
    func resume(_ name: String, on connection: Connection) {
        let user = connection.session.client.user
        if let parked = parkedSessions[name] {
            // Whose session it is, is whose it stays.
            guard parked.client.isUser(user) else { return }
            parkedSessions[name] = nil
            connection.session.adopt(name, parked.client, presentOn: parked.presentOn)
            return
        }
        guard let old = connections.values.first(where: { $0.session.id == name && $0.isServed }),
            old.session.client.isUser(user)
        else { return }
        // Half dead, most likely: the client knows better than its old socket.
        let presentOn = old.session.presentOn
        old.session.presentOn = []
        connection.session.adopt(name, old.session.client, presentOn: presentOn)
        old.session.id = nil
        close(old, .replaced, "the session came back on another connection")
    }

    /// Keeps a client for a while whose connection ended. False where it is not one that can come
    /// back.
    func park(_ session: Session, _ presentOn: Set<String>) -> Bool {
        guard let name = session.id, phase == .running, !presentOn.isEmpty,
            parkedSessions.count < limits.sessions
        else { return false }
        let due = loop.milliseconds + UInt64(limits.graceMilliseconds)
        parkedSessions[name] = ParkedSession(
            client: session.client, presentOn: presentOn, due: due)
        add(.grace(session: name), at: due)
        return true
    }

    /// A client that has not come back in time has gone.
    func checkParked(_ name: String) {
        guard let parked = parkedSessions[name], parked.due <= loop.milliseconds else { return }
        parkedSessions[name] = nil
        var part = Session.Participation()
        part.presentOn = parked.presentOn
        leave(part, parked.client)
    }
}
