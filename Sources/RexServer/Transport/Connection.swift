import FoundationEssentials
import RexLoop
import RexProtocol
import RexTLS
import RexWebSocket

/// One socket of a client, with what waits to go out on it and the session that it carries.
///
/// Life: `undecided` until the first byte says what is spoken; `open` while frames are served;
/// `finishing` once the reason for the end is on its way (what still arrives is discarded);
/// `closed`. It only ever moves to the right.
final class Connection: SocketOwner {
    enum Phase: Int, Comparable {
        case undecided, open, finishing, closed
        static func < (a: Phase, b: Phase) -> Bool { a.rawValue < b.rawValue }
    }

    enum Wire {
        case lines
        case http(HTTPReader)
        case webSocket(WebSocketFramer)
        /// Server-sent events: nothing is read any more.
        case events
    }

    /// A request that is served when the journal, or the program, has been asked.
    enum Request {
        case frame([UInt8])
        case http(HTTPRequest)
    }

    /// Never given out twice, so that a late deadline or reply cannot meet another connection.
    let id: Int
    let socket: Socket
    let opened: Date
    var session: Session
    var outbox: Outbox
    /// Events that wait behind the outbox; nil while none has to.
    var backlog: EventBacklog?
    /// Bytes of the ledger that a cipher has made of what was in the outbox, and that wait.
    var cipheredBytes = 0
    /// What is spoken.
    private(set) var wire = Wire.lines
    /// How a frame is put on it.
    private(set) var encoding = FrameEncoding.line
    var framer: LineFramer
    /// The client of several requests that it last asked for, or streams to.
    var webSession: WebSession?
    /// The loop's milliseconds when a request began that is not whole.
    var requestBegan: UInt64?
    /// A deadline for a request of this connection is among the server's.
    var hasRequestDeadline = false

    private(set) var phase = Phase.undecided
    /// One more than are served: it is told so in what it speaks.
    var isSurplus = false
    /// One more than are served of its address.
    var isSurplusOfAddress = false
    /// Where it comes from; nil for a Unix socket.
    let network: PeerNetwork?
    /// What it may still send; nil before anything has come, and where that has no bound.
    var frameBucket: TokenBucket?
    var byteBucket: TokenBucket?
    /// The loop's milliseconds before which it is not read from, for it has had its share; 0 where
    /// it has not.
    var delayedUntil: UInt64 = 0
    /// What its user may still dispatch.
    var dispatchRate: DispatchRate?
    /// In the server's list of connections that this turn touched.
    var isTouched = false
    /// Not read from, because what it asked for waits unread.
    var isPaused = false
    /// Paused because its outbox is full, be it that nobody reads or that the disk is behind.
    var isFull = false
    /// What it asked for is being looked up in the journal, or the program is asked whether it
    /// may; it is not read from until then.
    var awaitsAnswer = false
    /// What the program is asked.
    var authorization: Authorization?
    /// A deadline for that is among the server's.
    var hasAuthorizationDeadline = false
    /// That request, to be served once more.
    var askedAgain: Request?
    /// In the server's list of connections that hold something back.
    var isListedAsHeld = false
    /// Dispatches whose acks wait for the disk, with the batch that they wait for.
    var unstored: [(ticket: UInt64, id: FrameID?)] = []
    /// The other side ended its sending half.
    var inputEnded = false
    /// Our sending half is ended.
    var outputEnded = false
    /// Bytes of the outbox that the socket is writing as the other side reads.
    var writingBytes = 0
    /// The loop's milliseconds when the present stall began; nil while bytes leave.
    var stalledSince: UInt64?
    /// What the other side had still to take then.
    var stalledBytes = 0

    private weak var server: Server?
    /// Its TLS, where it has one.
    var secured: TLSSession?
    /// Its TLS handshake is done.
    private(set) var isSecure = false

    init(
        id: Int, socket: Socket, session: Session, limits: Limits, ledger: OutboxLedger,
        server: Server
    ) {
        self.id = id
        outbox = Outbox(ledger)
        self.socket = socket
        self.session = session
        self.server = server
        network = socket.network
        opened = Date()
        framer = LineFramer(limit: limits.frameBytes)
    }

    /// Moves to a later phase.
    func enter(_ next: Phase) {
        precondition(next > phase, "a connection went from \(phase) to \(next)")
        phase = next
    }

    /// Says what is spoken from here on.
    func speak(_ wire: Wire, as encoding: FrameEncoding = .line) {
        self.wire = wire
        self.encoding = encoding
    }

    /// What `clients` calls the way in.
    var transport: String {
        switch wire {
        case .lines: "lines"
        case .http, .events: "http"
        case .webSocket: "websocket"
        }
    }

    /// What its client may do; nothing before it is known.
    var permissions: Permissions { session.permissions }

    /// True while frames may be sent to it.
    var isServed: Bool { phase < .finishing }

    func socket(_ socket: Socket, didRead bytes: UnsafeRawBufferPointer) {
        server?.enter(with: (self, bytes)) { $0.didRead($1.1, on: $1.0) }
    }

    func socketDidSecure(_ socket: Socket) { isSecure = true }

    func socketDidEnd(_ socket: Socket) {
        server?.enter(with: self) { $0.didEndInput(of: $1) }
    }

    func socketDidDrain(_ socket: Socket) {
        server?.enter(with: self) { $0.didDrain($1) }
    }

    func socketDidClose(_ socket: Socket, error: LoopError?) {
        server?.enter(with: self) { $0.didClose($1, error: error) }
    }
}
