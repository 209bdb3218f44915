import FoundationEssentials
import Rex
import RexLoop
import RexProtocol
import RexTLS

/// A process's stores on the network: actions in, differences out.
///
///     let server = Server()
///     try await server.host("counter", CounterReducer(), initialState: CounterState())
///     try await server.listen(on: "127.0.0.1:7390")
///     try await server.run()
///
/// One thread, its own event loop, is the server's executor: connections, sessions, stores and
/// outboxes belong to it, and an action's way from the socket to every watcher meets no lock and no
/// `await`.
public actor Server {
    /// How a server is set up.
    public struct Configuration: Sendable {
        /// The bounds.
        public var limits = Limits()
        /// Pages of these origins may ask over HTTP besides the server's own (exact match).
        public var allowedOrigins: Set<String> = []
        /// Names that `Host` may have besides loopback and the listening addresses.
        public var allowedHosts: Set<String> = []
        /// Where and what it logs.
        public var log = Log(write: { StandardStreams.writeError($0) })

        /// The defaults.
        public init() {}
    }

    /// The version in `welcome`.
    public static let version = "0.1.0"

    nonisolated let loop = Loop()
    /// The server's loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    let limits: Limits
    /// Whether what connections send is counted at all: one question a frame.
    let countsRates: Bool
    /// Events that come again and again.
    var storms = LogStorms()
    /// A deadline for them is among the server's.
    var hasStormDeadline = false
    /// Where events are written; its level may change while the server runs.
    public var log: Log

    var stores: [String: HostedStore] = [:]
    /// Names in the order of hosting: the first is the default store.
    var storeOrder: [String] = []
    /// The store that a frame named last.
    var lastNamed: HostedStore?

    var connections: [Int: Connection] = [:]
    var lastConnection = 0
    /// How many clients the journal has as named.
    var namedAhead = 0
    /// Clients that are several requests of HTTP, by the name in `Rex-Session`.
    var webSessions: [ExactName: WebSession] = [:]
    /// Clients that may come back, by the names of their sessions.
    var parkedSessions: [String: ParkedSession] = [:]
    var metrics = Metrics()
    /// Who may come in, and what each may do; nil where nobody is asked.
    var tokens: TokenFile?
    /// Certificate and key of connections that begin with TLS; nil where it is not spoken.
    var tls: TLSContext?
    let allowedOrigins: Set<String>
    let allowedHosts: Set<String>
    /// Hosts that this server listens at.
    var servedHosts: Set<String> = []
    var dates = HTTPDate()
    /// Connections that frames are taken from; those that only hear why they end do not count.
    var servedCount = 0
    /// How many come from where, those that hear why they end among them.
    var connectionsByNetwork: [PeerNetwork: Int] = [:]
    /// Connections that are too many of their address and hear so now.
    var refusedAddresses = 0
    /// What users may still dispatch; those who may all that there is are not in it.
    var dispatchRates: [ExactName: DispatchRate] = [:]
    /// A request is served that came before, and had to wait for what it needs.
    var isServingAgain = false
    /// The loop's milliseconds from which on the log says again that connections wait.
    private var nextFullWarning: UInt64 = 0
    /// Connections that this turn touched, to be written to at its end.
    var touched: [Connection] = []
    /// Stores with commits that were not sent yet.
    let touchedStores = TouchedStores()

    var topics = TopicTree<ListenerGroup>()
    var listenerGroups: [ListenerGroup.Key: ListenerGroup] = [:]
    /// Groups with events of this turn.
    var touchedGroups: [ListenerGroup] = []

    /// The clock's nanoseconds when this turn began to do something; 0 where it has not.
    var turnBegan: UInt64 = 0

    let parser: JSONParser
    var deadlines = DeadlineQueue<Deadline>()
    var timer: LoopTimer?
    /// What the timer is armed for.
    var armedFor: UInt64?

    var listeners: [RexLoop.Listener] = []
    var phase = Phase.starting
    var stopped: [CheckedContinuation<Void, Never>] = []
    var signals: [SignalSource] = []
    /// The loop's milliseconds when the shutdown began.
    var drainBegan: UInt64 = 0
    /// The loop's milliseconds when a connection last had more to do than a turn allows.
    var lastLongTurn: UInt64 = 0
    /// The clock's nanoseconds until which the present connection's frames are served.
    var servingUntil: UInt64 = 0
    /// Readers that are too slow and want no gaps, to be closed when nothing else is under way.
    var slow: [Connection] = []
    /// They are being closed, which may bring more of them.
    var isClosingSlow = false
    /// What all outboxes together hold.
    let ledger = OutboxLedger()

    /// The loop's end of the journal; nil where everything lives in memory only.
    var journal: JournalQueue?
    /// Reads the journal while the loop goes on.
    var journalReader: JournalReader?
    /// The folder is ours as long as this is.
    var journalLock: FolderLock?
    /// Connections that hold something back until it is stored.
    var heldConnections: [Connection] = []
    /// Tasks of the program that wait for a batch to be stored.
    var storageWaits: [(ticket: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    /// A deadline for the journal is among the server's.
    var hasJournalDeadline = false
    /// What the present request needs to know of the journal of a store.
    var pendingQuestion: (store: String, question: JournalReader.Question)?
    /// What the program has to be asked before the present request can be answered.
    var pendingAuthorization: Authorization.Question?
    var lastAuthorization = 0
    /// The journal is being closed, which is the last that a stop waits for.
    var isClosingJournal = false

    /// What effects of the stores that are hosted from here on sleep by, and the calendar of their
    /// commits and reminders; nil is the loop's. Others than the system's are for tests.
    var effectClock: any Clock<Duration> = SystemClock()
    var calendar: (@Sendable () -> Date)?

    enum Phase { case starting, running, draining, saying, stopped }

    /// What is due at a moment of the loop's clock.
    enum Deadline {
        case throttle(connection: Int, subscription: Int)
        case heartbeat(connection: Int)
        case stall(connection: Int)
        case linger(connection: Int)
        case halfClosed(connection: Int)
        case departure(connection: Int)
        case drain
        case goOn(connection: Int)
        case request(connection: Int)
        case session(ExactName)
        case journal
        case grace(session: String)
        case surplus(connection: Int)
        case handshake(connection: Int)
        case name(connection: Int)
        case expiry(connection: Int)
        case authorization(connection: Int)
        case dispatchRate(user: ExactName)
        case idle(connection: Int)
        case storms
    }

    /// Starts the server's loop; it serves nothing until `host` and `listen`.
    public init(_ configuration: Configuration = Configuration()) {
        limits = configuration.limits
        countsRates =
            configuration.limits.framesPerSecond > 0 || configuration.limits.bytesPerSecond > 0
        log = configuration.log
        allowedOrigins = configuration.allowedOrigins
        allowedHosts = configuration.allowedHosts
        parser = JSONParser(depthLimit: configuration.limits.depth)
        loop.start(named: "rex-loop")
    }

    deinit { loop.stop() }

    // MARK: Setting up

    /// Listens at an address (`host:port`, `[v6]:port`, `unix:/path`) and returns the actual one.
    ///
    /// May be called several times.
    /// - Throws: `EndpointError`, or `LoopError` when the address cannot be had.
    @discardableResult
    public func listen(on address: String) throws -> Endpoint {
        try listen(at: Endpoint(parsing: address))
    }

    /// Listens at an endpoint and returns the actual one.
    @discardableResult
    public func listen(at endpoint: Endpoint) throws -> Endpoint {
        prepareLoop()
        let listener = try RexLoop.Listener(endpoint, on: loop) { [weak self] socket in
            self?.enter(with: socket) { $0.accept($1) }
        }
        if case .tcp(let host, _) = endpoint { servedHosts.insert(host.lowercased()) }
        return didListen(listener)
    }

    /// Takes over a socket that listens already, as a service manager hands it over.
    @discardableResult
    public func listen(onDescriptor descriptor: Int32) throws -> Endpoint {
        prepareLoop()
        let listener = try RexLoop.Listener(descriptor: descriptor, on: loop) {
            [weak self] socket in
            self?.enter(with: socket) { $0.accept($1) }
        }
        return didListen(listener)
    }

    private func didListen(_ listener: RexLoop.Listener) -> Endpoint {
        listeners.append(listener)
        listener.hasRoom = { [weak self] in
            self?.assumeIsolated {
                $0.connections.count < $0.limits.connections + Self.refusedAtOnce
            } ?? false
        }
        let endpoint = listener.endpoint
        listener.onFull = { [weak self] reason in
            self?.assumeIsolated { $0.didFill(endpoint, reason) }
        }
        if case .tcp(let host, _) = listener.endpoint { servedHosts.insert(host) }
        phase = .running
        log.event(.info, "listening", ["address": "\(listener.endpoint)"])
        return listener.endpoint
    }

    /// Connections have to wait; said once for all that comes of it soon after.
    private func didFill(_ endpoint: Endpoint, _ reason: String) {
        metrics.acceptPauses += 1
        guard loop.milliseconds >= nextFullWarning else { return }
        nextFullWarning = loop.milliseconds + Self.fullWarningMilliseconds
        log.event(
            .warning, "connections_wait",
            ["address": "\(endpoint)", "open": "\(connections.count)", "reason": reason])
    }

    func prepareLoop() {
        guard timer == nil else { return }
        loop.onTurnEnd = { [weak self] in self?.assumeIsolated { $0.endTurn() } }
        timer = LoopTimer(on: loop) { [weak self] in self?.assumeIsolated { $0.didReachDeadline() }
        }
    }

    /// Sets the least level that is logged from now on.
    public func setLogLevel(_ level: LogLevel) {
        log.level = level
    }

    // MARK: Connections

    /// A client that nobody was before.
    func nextClient(_ user: String? = nil) -> ClientIdentity {
        lastConnection += 1
        nameAhead()
        return ClientIdentity(id: ClientName.text(lastConnection), user: user)
    }

    /// Connections beyond the limit that are told why at one time; more wait until they are.
    private static let refusedAtOnce = 256

    /// How long a connection that is one too many may take to show what it speaks.
    private static let surplusMilliseconds = 200

    /// The least time between two lines about connections that wait.
    private static let fullWarningMilliseconds: UInt64 = 10_000

    private func accept(_ socket: Socket) {
        beginTurn()
        let client = nextClient()
        metrics.connectionsAccepted += 1
        let id = lastConnection
        let session = Session(client: client)
        let connection = Connection(
            id: id, socket: socket, session: session, limits: limits, ledger: ledger, server: self)
        let isSurplusOfAddress = !enter(connection)
        if isSurplusOfAddress || servedCount >= limits.connections {
            noteRefusal(of: socket, isSurplusOfAddress ? .addressConnections : .connections)
        }
        if isSurplusOfAddress {
            guard refusedAddresses < Self.refusedAddressesAtOnce else { return socket.close() }
            refusedAddresses += 1
            connection.isSurplusOfAddress = true
        }
        socket.owner = connection
        connection.session.hear(at: loop.milliseconds)
        connections[id] = connection
        // It takes no place: others are counted without it.
        if !isSurplusOfAddress { servedCount += 1 }
        socket.startReading()
        expectName(of: connection)
        log.event(.debug, "connected", ["client": session.client.id, "peer": socket.peer])
        if isSurplusOfAddress || servedCount > limits.connections {
            connection.isSurplus = true
            add(.surplus(connection: id), after: Self.surplusMilliseconds)
        }
    }
}
