import RexLoop

/// One socket of a client: the attempt to connect, then bytes in both directions.
///
/// Knows no frames. `hear` is told everything, on the loop, `.closed` last and once.
@ClientLoop final class Wire {
    /// What happens on a wire.
    enum Event {
        case connected
        /// Good during the call only.
        case received(UnsafeRawBufferPointer)
        /// The other side ended its sending half.
        case ended
        /// Less than `ClientLimits.outboxBytes` wait to leave.
        case drained
        /// With the reason where it was not our own `close`.
        case closed(LoopError?)
    }

    private let hear: (Event) -> Void
    private let endpoint: Endpoint
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
    var waitingBytes: Int { outbox.count + leaving }

    init(_ endpoint: Endpoint, hear: @escaping (Event) -> Void) {
        self.endpoint = endpoint
        self.hear = hear
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
        outbox.append(contentsOf: bytes)
        noteForTurnEnd()
    }

    /// Ends the sending half once everything before has left; reading goes on.
    func finish() {
        wantsEnd = true
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
        if wantsEnd { socket.finish() }
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
        isConnected = true
        candidates = []
        if wantsReading { socket.startReading() }
        hear(.connected)
        if !outbox.isEmpty || wantsEnd { noteForTurnEnd() }
    }

    func socket(_ socket: Socket, didRead bytes: UnsafeRawBufferPointer) {
        hear(.received(bytes))
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
