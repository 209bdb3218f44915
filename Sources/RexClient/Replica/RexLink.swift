import RexCommandLine
import RexProtocol

/// A connection that comes back: when it is lost, the next who needs it connects again, with
/// backoff.
///
/// Each new connection says hello with the session of the one before, then `greet` runs, then it is
/// handed out; so whoever gets a connection finds things as `greet` left them.
@ClientLoop public final class RexLink {
    /// What whoever watches over the link is told.
    public enum News: Sendable {
        /// A connection stands and has been greeted; the server's welcome, and whether it is the
        /// first.
        case connected(ServerFrame.Welcome, isFirst: Bool)
        /// There is none, for this reason; the next try begins after the delay. The number counts
        /// the tries since a connection stood, from 1.
        case waiting(ConnectionError, Duration, attempt: Int)
    }

    /// What is done on a new connection before anybody else has it.
    public typealias Greeting =
        @ClientLoop @Sendable (RexConnection) async throws(ConnectionError) -> Void

    /// Silence after which the server is asked for a sign of life.
    public nonisolated static let keepAlive: Duration = .seconds(15)

    private let url: RexURL
    private let timeout: Duration
    private let greet: Greeting
    private let tell: @Sendable (News) -> Void
    private var hello: ClientFrame.Hello
    private var backoff: Backoff
    private var current: RexConnection?
    private var comingBack: Task<Result<RexConnection, ConnectionError>, Never>?
    private var isClosed = false

    /// - Parameters:
    ///   - hello: said first on every connection; its session is kept up to date.
    ///   - tell: told of each coming and going, in order, on the loop.
    ///   - greet: runs on each new connection; when it throws, the connection counts as failed.
    public nonisolated init(
        _ url: RexURL, timeout: Duration = RexConnection.defaultTimeout,
        hello: ClientFrame.Hello = .init(), backoff: Backoff = .init(),
        tell: @escaping @Sendable (News) -> Void = { _ in },
        greet: @escaping Greeting = { (_) async throws(ConnectionError) in }
    ) {
        self.url = url
        self.timeout = timeout
        self.hello = hello
        self.backoff = backoff
        self.tell = tell
        self.greet = greet
    }

    /// Connects, once: for the beginning, where a wrong address should be told and not tried for
    /// ever.
    @discardableResult
    public func connect() async throws(ConnectionError) -> RexConnection {
        let connection = try await RexConnection.open(
            url, timeout: timeout, keepAlive: Self.keepAlive)
        do throws(ConnectionError) {
            let answer = try await connection.request(.hello(hello))
            guard case .welcome(let welcome) = answer else {
                throw .malformed("a reply to hello that is not welcome")
            }
            hello.session = welcome.session
            try await greet(connection)
            if isClosed { throw .cancelled }
            backoff.succeed()
            let isFirst = current == nil
            current = connection
            tell(.connected(welcome, isFirst: isFirst))
            return connection
        } catch {
            connection.close()
            throw error
        }
    }

    /// The connection that stands, or the next one; waits until one stands.
    ///
    /// - Throws: what another try would not mend (`isWorthAnotherTry`), and `cancelled` after
    ///   `close`.
    public func connection() async throws(ConnectionError) -> RexConnection {
        if isClosed { throw .cancelled }
        if let current, current.closed == nil { return current }
        if comingBack == nil { comingBack = Task { @ClientLoop in await comeBack() } }
        return try await comingBack!.value.get()
    }

    private func comeBack() async -> Result<RexConnection, ConnectionError> {
        defer { comingBack = nil }
        var attempt = 0
        var reason = current?.closed ?? .lost("not connected yet")
        while !isClosed {
            guard reason.isWorthAnotherTry else { return .failure(reason) }
            let delay = max(backoff.next(), reason.retryDelay)
            attempt += 1
            tell(.waiting(reason, delay, attempt: attempt))
            try? await Task.sleep(for: delay)
            if isClosed { break }
            do throws(ConnectionError) {
                return .success(try await connect())
            } catch {
                reason = error
            }
        }
        return .failure(.cancelled)
    }

    /// Closes for good.
    public func close() {
        isClosed = true
        comingBack?.cancel()
        current?.close()
    }
}

extension RexLink.News {
    /// A line for a person, or nil where there is nothing new to say: the first connection, and the
    /// many tries of a long absence.
    package var line: String? {
        switch self {
        case .connected(_, let isFirst): return isFirst ? nil : "connected again"
        case .waiting(let reason, let delay, let attempt):
            guard attempt <= 2 || attempt % 10 == 0 else { return nil }
            return "\(reason); next try in \(DurationText.text(delay))"
        }
    }
}

extension ConnectionError {
    /// How long the server asked to wait.
    fileprivate var retryDelay: Duration {
        guard case .refused(let error) = self else { return .zero }
        return .milliseconds(error.retryMilliseconds ?? 0)
    }
}
