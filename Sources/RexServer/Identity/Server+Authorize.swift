import Rex
import RexLoop
import RexProtocol

/// The program is asked whether a client may do what the rules allow: the request waits, and with
/// it what its client sends behind it; everybody else goes on.
extension Server {
    /// Whether the program lets a client dispatch this. Where it has not said so yet, what is
    /// thrown comes with a question to ask it (`takeAuthorization`), and the request is made once
    /// more.
    func checkAuthorization(
        of request: DispatchRequest, on store: HostedStore, from client: ClientIdentity,
        by connection: Connection
    ) throws(WireError) {
        guard let question = try store.host.authorization(of: request, from: client) else { return }
        switch connection.authorization?.verdict {
        case .allowed: return
        case .refused:
            throw WireError(.forbidden, "\(store.host.name) does not let you do that")
        case .late:
            throw limit(
                .authorizeMilliseconds,
                WireError(
                    .overloaded,
                    "nobody decided within \(limits.authorizeMilliseconds) ms whether you may",
                    retryMilliseconds: 1_000))
        case nil:
            pendingAuthorization = question
            throw WireError(.internal, "the program was not asked whether you may")
        }
    }

    /// The question that the last request has come to.
    func takeAuthorization() -> Authorization.Question? {
        defer { pendingAuthorization = nil }
        return pendingAuthorization
    }

    /// Asks the program, and leaves a connection's request until it has answered.
    func ask(
        _ question: @escaping Authorization.Question, for connection: Connection,
        then request: Connection.Request
    ) {
        connection.awaitsAnswer = true
        connection.isPaused = true
        connection.askedAgain = request
        connection.socket.stopReading()
        lastAuthorization += 1
        let (id, number) = (connection.id, lastAuthorization)
        // Not on the loop: whatever the program does there is nobody else's time.
        let task = Task.detached { [weak self] in
            let isAllowed = await question()
            await self?.didAuthorize(id, number, isAllowed ? .allowed : .refused)
        }
        let due = loop.milliseconds + UInt64(limits.authorizeMilliseconds)
        connection.authorization = Authorization(number: number, task: task, due: due)
        awaitVerdict(of: connection, until: due)
    }

    /// One deadline a connection, however many questions come to it in that time.
    private func awaitVerdict(of connection: Connection, until due: UInt64) {
        guard !connection.hasAuthorizationDeadline else { return }
        connection.hasAuthorizationDeadline = true
        add(.authorization(connection: connection.id), at: due)
    }

    func checkVerdict(of connection: Connection) {
        connection.hasAuthorizationDeadline = false
        guard let authorization = connection.authorization, authorization.verdict == nil else {
            return
        }
        guard loop.milliseconds >= authorization.due else {
            return awaitVerdict(of: connection, until: authorization.due)
        }
        didAuthorize(connection.id, authorization.number, .late)
    }

    private func didAuthorize(_ id: Int, _ number: Int, _ verdict: Authorization.Verdict) {
        guard let connection = connections[id], let authorization = connection.authorization,
            authorization.number == number, authorization.verdict == nil
        else { return }
        authorization.task.cancel()
        authorization.verdict = verdict
        connection.awaitsAnswer = false
        guard connection.isServed, let request = connection.askedAgain else { return }
        connection.askedAgain = nil
        serveAgain(request, from: connection)
        connection.authorization = nil
        resume(connection)
    }
}

/// What the program is being asked about a connection's request.
final class Authorization {
    typealias Question = @Sendable () async -> Bool

    enum Verdict: Sendable { case allowed, refused, late }

    /// Never given out twice, so that a late answer cannot be taken for another one.
    let number: Int
    let task: Task<Void, Never>
    /// The loop's milliseconds until which an answer counts.
    let due: UInt64
    /// Nil until there is one.
    var verdict: Verdict?

    init(number: Int, task: Task<Void, Never>, due: UInt64) {
        self.number = number
        self.task = task
        self.due = due
    }
}
