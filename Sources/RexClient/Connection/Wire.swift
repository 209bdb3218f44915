import RexLoop
import RexTLS

/// One socket of a client: the attempt to connect, then bytes in both directions.
///
/// What goes in and comes out is lines, also where each travels as a message of a WebSocket; it
/// does not look at them. `hear` is told everything, on the loop, `.closed` last and once.
@ClientLoop final class Wire {
    /// What happens on a wire.
    enum Event {
        case connected
        /// Good during the call only.
        case received(UnsafeRawBufferPointer)
        /// What answers at the address is no Rex server, or broke a rule. `.closed` follows.
        case refused(String)
        /// The other side ended its sending half.
        case ended
        /// Less than `ClientLimits.outboxBytes` wait to leave.
        case drained
        /// With the reason where it was not our own `close`.
        case closed(LoopError?)
    }

    private let hear: (Event) -> Void
    private let endpoint: Endpoint
    private let security: RexURL.Security?
    /// Between lines and the socket, where it is a WebSocket.
    private let messages: LinesOverMessages?
    /// Lines that wait for the WebSocket's handshake.
    private var early: [UInt8] = []
    /// Frames may be sent: connected, and the handshake is done where there is one.
    private var isOpen = false
    private var candidates: ArraySlice<Endpoint> = []
    private var socket: Socket?
    private var isConnected = false
    private(set) var isClosed = false
    private var wantsReading = true
    private var wantsEnd = false
    private var outbox: [UInt8] = []
    private var isNoted = false
    private var leaving = 0

    /// Bytes that have not been given to the kernel yet.
    var waitingBytes: Int { early.count + outbox.count + leaving }

    init(_ url: RexURL, hear: @escaping (Event) -> Void) {
        endpoint = url.endpoint
        security = url.security
        self.hear = hear
        switch url.transport {
        case .lines: messages = nil
        case .webSocket(let path):
            messages = LinesOverMessages(host: "\(url.endpoint)", path: path)
        }
    }

    /// Looks the host up and tries its addresses one after the other; `.connected` or `.closed`
    /// follows.
    func connect() {
        endpoint.resolve(on: ClientLoop.shared.loop) { [self] result in
            guard !isClosed else { return }
            switch result {
            case .success(let addresses):
                candidates = addresses[...]
                tryNext(after: nil)
            case .failure(let error): end(error)
            }
        }
    }

    private func tryNext(after failure: LoopError?) {
        guard let candidate = candidates.popFirst() else { return end(failure) }
        do throws(LoopError) {
            socket = try Socket.connect(
                to: candidate, on: ClientLoop.shared.loop, owner: self)
        } catch {
            tryNext(after: error)
        }
    }

    // MARK: Sending

    /// Adds bytes to what leaves at the end of this turn; nothing once the wire is closed.
    func send(_ bytes: some Sequence<UInt8>) {
        guard !isClosed else { return }
        if let messages {
            guard isOpen else { return early.append(contentsOf: bytes) }
            outbox += messages.encode(bytes)
        } else {
            outbox.append(contentsOf: bytes)
        }
        noteForTurnEnd()
    }

    /// Ends the sending half once everything before has left; reading goes on. A WebSocket is
    /// closed: the answers to what was sent before come, and no more.
    func finish() {
        wantsEnd = true
        if let messages, isOpen { outbox += messages.finish() }
        noteForTurnEnd()
    }

    private func noteForTurnEnd() {
        guard !isNoted, isConnected else { return }
        isNoted = true
        ClientTurn.note(self)
        ClientLoop.shared.loop.wake()
    }

    /// One write of everything that waits; what the kernel does not take leaves as it can.
    func flush() {
        isNoted = false
        guard let socket, isConnected, !socket.isClosing, !socket.isDraining else { return }
        if !outbox.isEmpty {
            let chunk = Chunk(outbox)
            outbox.removeAll(keepingCapacity: true)
            let taken = socket.write([chunk], offset: 0)
            if taken < chunk.count, !socket.isClosing {
                leaving = chunk.count - taken
                socket.writeLater([chunk], offset: taken)
                return
            }
        }
        // The close of a WebSocket is a message; the server ends the connection.
        if wantsEnd, messages == nil { socket.finish() }
    }

    // MARK: Reading and the end

    /// Reads no more until `resume`: what comes waits in the kernel, then at the sender.
    func pause() {
        wantsReading = false
        socket?.stopReading()
    }

    func resume() {
        wantsReading = true
        if isConnected { socket?.startReading() }
    }

    // MARK: A WebSocket

    private func take(_ bytes: UnsafeRawBufferPointer, by messages: LinesOverMessages) {
        messages.received(bytes) { event in
            switch event {
            case .opened: didOpen(messages)
            case .line(let line):
                hear(.received(line))
                Self.lineEnd.withUnsafeBytes { hear(.received($0)) }
            case .send(let bytes):
                outbox += bytes
                noteForTurnEnd()
            case .failed(let text):
                flush()
                hear(.refused(text))
                close()
            }
        }
    }

    private static let lineEnd: [UInt8] = [UInt8(ascii: "\n")]

    private func didOpen(_ messages: LinesOverMessages) {
        isOpen = true
        outbox += messages.encode(early)
        if wantsEnd { outbox += messages.finish() }
        early = []
        if !wantsReading { socket?.stopReading() }
        hear(.connected)
        if !outbox.isEmpty { noteForTurnEnd() }
    }

    /// Whether the end of this wire, however it comes, tells the server at once that nobody reads
    /// any more. A plain close looks like the end of the sending half, and a server keeps a
    /// connection with subscriptions open then.
    func endLoudly(_ isOn: Bool) { socket?.resetOnClose(isOn) }

    /// Closes at once; `.closed(nil)` follows in this turn or the next.
    func close() {
        guard !isClosed else { return }
        if let socket { socket.close() } else { end(nil) }
    }

    private func end(_ error: LoopError?) {
        guard !isClosed else { return }
        isClosed = true
        isConnected = false
        socket = nil
        outbox = []
        hear(.closed(error))
    }
}

extension Wire: @ClientLoop SocketOwner {
    func socketDidConnect(_ socket: Socket) {
        guard let security else { return didConnect(socket) }
        do {
            let context = try TLSContext.client(
                authority: security.authority, certificate: security.certificate,
                key: security.key, verifies: security.verifies)
            socket.startReading()
            socket.secure(with: try TLSSession(context, as: .client(host: hostName)))
        } catch {
            // No other address would help.
            candidates = []
            hear(.refused("\(error)"))
            close()
        }
    }

    /// The name that the server's certificate must have.
    private var hostName: String {
        if case .tcp(let host, _) = endpoint { host } else { "localhost" }
    }

    func socketDidSecure(_ socket: Socket) { didConnect(socket) }

    private func didConnect(_ socket: Socket) {
        isConnected = true
        candidates = []
        if let messages {
            socket.startReading()
            outbox += messages.handshake
            return noteForTurnEnd()
        }
        isOpen = true
        if wantsReading { socket.startReading() } else { socket.stopReading() }
        hear(.connected)
        if !outbox.isEmpty || wantsEnd { noteForTurnEnd() }
    }

    func socket(_ socket: Socket, didRead bytes: UnsafeRawBufferPointer) {
        if let messages { take(bytes, by: messages) } else { hear(.received(bytes)) }
    }

    func socketDidEnd(_ socket: Socket) { hear(.ended) }

    func socketDidDrain(_ socket: Socket) {
        leaving = 0
        flush()
        if waitingBytes < ClientLimits.outboxBytes { hear(.drained) }
    }

    func socketDidClose(_ socket: Socket, error: LoopError?) {
        self.socket = nil
        if !isConnected, error != nil, !candidates.isEmpty {
            tryNext(after: error)
        } else {
            end(error)
        }
    }
}
