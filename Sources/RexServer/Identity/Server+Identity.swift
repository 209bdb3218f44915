import FoundationEssentials
import Rex
import RexLoop
import RexProtocol
import RexTLS

/// Who a client is. A name is proven by a token, by a client certificate or by a Unix socket; it
/// is looked for once, before the first frame of a connection and before each request over HTTP.
extension Server {
    /// From now on clients have to say who they are, and may do what the file allows. Who is
    /// connected is looked at again at once: whose proof is good no longer is closed with
    /// `unauthorized`, and who may read or hear less than before is sent no more of it.
    ///
    /// Without it everybody may do everything.
    public func useTokens(_ file: TokenFile) {
        tokens = file
        log.event(.info, "tokens", ["users": "\(file.users.count)"])
        for connection in connections.values.sorted(by: { $0.id < $1.id }) { review(connection) }
    }

    /// Whom a connection is from, by the token that was sent on it or else by its socket.
    func principal(
        of connection: Connection, token: String?
    ) throws(WireError) -> Principal {
        guard let tokens else { return .anyone }
        if let token {
            do throws(JWTFault) {
                if let principal = try tokens.principal(token: token) { return principal }
            } catch {
                throw refusal("this token is not good here: \(error)", of: connection)
            }
            throw refusal("this token is not good here", of: connection)
        }
        if let name = connection.certificateName,
            let principal = tokens.principal(certificate: name)
        {
            return principal
        }
        if let number = connection.socket.peerUser,
            let principal = tokens.principal(number: number)
        {
            return principal
        }
        if let principal = tokens.stranger { return principal }
        throw refusal("a token is needed: hello with a token comes first", of: connection)
    }

    private func refusal(_ reason: String, of connection: Connection) -> WireError {
        metrics.loginsFailed += 1
        note(
            .info, "unauthorized", about: connection.origin,
            [
                "client": connection.session.client.id, "peer": connection.socket.peer,
                "reason": reason,
            ])
        return WireError(.unauthorized, reason)
    }

    /// Before a frame is served: whose it is. `hello` says it itself.
    func admit(_ frame: ClientFrame, of connection: Connection) throws(WireError) {
        if case .hello = frame { return }
        guard connection.session.principal == nil else { return }
        connection.session.become(try principal(of: connection, token: nil))
        noteExpiry(of: connection)
    }

    /// A `hello` with a token says who it is from; without one the connection does.
    func admit(_ hello: ClientFrame.Hello, of connection: Connection) throws(WireError) {
        if hello.token == nil, connection.session.principal != nil { return }
        connection.session.become(try principal(of: connection, token: hello.token))
        noteExpiry(of: connection)
    }

    /// Before a request over HTTP is served: whose it is, each time anew. Somebody else on the
    /// same connection, behind a proxy, is another client.
    func admit(_ request: HTTPRequest, of connection: Connection) throws(WireError) {
        let principal = try principal(of: connection, token: try request.token())
        let session = connection.session
        if session.principal != nil, session.client.user != principal.user {
            forgetName(of: connection)
        }
        connection.session.become(principal)
    }

    /// What follows on a connection need not be by whoever has asked on it so far.
    func forgetName(of connection: Connection) {
        guard connection.session.client.user != nil else {
            return connection.session.principal = nil
        }
        leave(connection.session.takeParticipation(), connection.session.client)
        connection.session = Session(client: nextClient())
        connection.session.hear(at: loop.milliseconds)
    }

    // MARK: Time

    /// Closes a connection when its proof has had its time.
    func noteExpiry(of connection: Connection) {
        guard let expiry = connection.session.principal?.expiry else { return }
        let seconds = min(max(0, expiry.timeIntervalSinceNow), Self.longestWaitSeconds)
        // A whole millisecond later: then it is over by every clock.
        add(.expiry(connection: connection.id), after: Int(seconds * 1_000) + 1)
    }

    /// The calendar is looked at again at least so often: somebody may set the clock.
    private static let longestWaitSeconds = 60.0

    func checkExpiry(_ connection: Connection) {
        guard connection.isServed, let expiry = connection.session.principal?.expiry else { return }
        if expiry.timeIntervalSinceNow > 0 { return noteExpiry(of: connection) }
        close(connection, .unauthorized, "the token has expired")
    }

    /// Whoever has to say who they are may take so long for it.
    func expectName(of connection: Connection) {
        guard tokens != nil else { return }
        add(.name(connection: connection.id), after: limits.handshakeMilliseconds)
    }

    func checkName(_ connection: Connection) {
        guard connection.isServed, connection.session.principal == nil else { return }
        // Requests over HTTP bring their own names, and have their own time.
        if case .http = connection.wire { return }
        guard (try? principal(of: connection, token: nil)) == nil else { return }
        metrics.count(.handshakeMilliseconds)
        close(
            connection, .unauthorized,
            "nobody said within \(limits.handshakeMilliseconds) ms who this is")
    }
}

extension HTTPRequest {
    /// The token in `Authorization: Bearer …` (RFC 6750 §2.1); nil where there is no such header.
    fileprivate func token() throws(WireError) -> String? {
        guard let text = headers["authorization"] else { return nil }
        let parts = text.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw WireError(.unauthorized, "Authorization is \"Bearer\" and a token")
        }
        return String(parts[1])
    }
}

extension Connection {
    /// The name in the verified certificate of the other side; nil where there is none.
    var certificateName: String? { secured?.peerName }
}
