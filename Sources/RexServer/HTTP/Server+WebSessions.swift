import FoundationEssentials
import Rex
import RexLoop
import RexProtocol

/// Clients that are several requests: those that say the same in `Rex-Session`.
extension Server {
    /// The client that a request is of, and how it becomes present: the one that `Rex-Session`
    /// names, or else the connection.
    func client(
        of request: HTTPRequest, _ connection: Connection, on store: HostedStore?
    ) throws(WireError) -> (ClientIdentity, arrive: () -> Void) {
        guard let web = try webSession(of: request, connection) else {
            return (
                connection.session.client,
                { [self] in if let store { notePresence(of: connection, on: store) } }
            )
        }
        connection.webSession = web
        return (
            web.session.client, { [self] in if let store { notePresence(of: web, on: store) } }
        )
    }

    /// The client that `Rex-Session` names, made where it is new; nil without that header. Each
    /// user has names of their own: nobody can take somebody else's place.
    func webSession(
        of request: HTTPRequest, _ connection: Connection
    ) throws(WireError) -> WebSession? {
        guard let header = request.headers["rex-session"] else { return nil }
        guard header.utf8.count <= limits.nameBytes, !header.isEmpty else {
            throw limit(
                .nameBytes,
                WireError(.badFrame, "Rex-Session has 1 to \(limits.nameBytes) bytes"))
        }
        let user = connection.session.client.user
        // A user's name has no control characters.
        let name = user.map { "\($0)\u{0}\(header)" } ?? header
        if let known = webSessions[name] {
            known.lastUsed = loop.milliseconds
            return known
        }
        guard webSessions.count < limits.sessions else {
            throw limit(
                .sessions,
                WireError(
                    .overloaded, "\(limits.sessions) sessions are held", retryMilliseconds: 1_000))
        }
        let web = WebSession(Session(client: nextClient(user)), at: loop.milliseconds)
        webSessions[name] = web
        add(.session(name), after: limits.sessionMilliseconds)
        return web
    }

    /// A session that no request has named for its time, and that has no stream, is a client that
    /// has gone.
    func checkSession(_ name: String) {
        guard let web = webSessions[name] else { return }
        if web.streams > 0 { web.lastUsed = loop.milliseconds }
        let due = web.lastUsed + UInt64(limits.sessionMilliseconds)
        guard loop.milliseconds >= due else { return add(.session(name), at: due) }
        webSessions[name] = nil
        leave(web.session.takeParticipation(), web.session.client)
    }
}

/// A client that is several requests.
final class WebSession {
    var session: Session
    var lastUsed: UInt64
    let opened = Date()
    /// Streams of events that are open.
    var streams = 0

    init(_ session: Session, at now: UInt64) {
        self.session = session
        lastUsed = now
    }
}
