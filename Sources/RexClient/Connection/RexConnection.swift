import Rex
import RexCommandLine
import RexLoop
import RexProtocol

/// One connection to a Rex server: requests with their answers, and what the server sends by
/// itself.
///
/// Lives on `ClientLoop`, one thread for all connections of the process; everybody else calls it
/// with `await`. Many requests may be under way at once. What is pushed waits in bounded boxes;
/// when one is full nothing more is read until it is emptied, so answers wait too: take what you
/// subscribe to.
@ClientLoop public final class RexConnection {
    /// How long a connection or an answer may take where nothing else is said.
    public nonisolated static let defaultTimeout: Duration = .seconds(5)

    /// Where it leads.
    public nonisolated let url: RexURL
    private nonisolated let timeout: Duration

    private var wire: Wire?
    private var conversation = Conversation()
    private var pending: [Int: PendingReply] = [:]
    private var opening: CheckedContinuation<ConnectionError?, Never>?
    private var roomWaiters: [CheckedContinuation<Void, Never>] = []
    private var farewell: ServerFrame.Bye?
    private var ending: ConnectionError?
    private var heartbeat: Heartbeat?

    private let general = Mailbox<ServerFrame>()
    private var routes: [String: Mailbox<ServerFrame>] = [:]

    private init(_ url: RexURL, timeout: Duration) {
        self.url = url
        self.timeout = timeout
    }

    /// Connects.
    ///
    /// - Parameters:
    ///   - timeout: for this, and for each answer where the request says nothing else.
    ///   - keepAlive: when nothing has come for so long the server is asked for a sign of life;
    ///     when that does not come either within the same time, the connection counts as lost.
    /// - Throws: `unreachable`, `timedOut`.
    public static func open(
        _ url: RexURL, timeout: Duration = defaultTimeout, keepAlive: Duration? = nil
    ) async throws(ConnectionError) -> RexConnection {
        let connection = RexConnection(url, timeout: timeout)
        let timer = LoopTimer(on: ClientLoop.shared.loop) { [weak connection] in
            connection?.opened(.timedOut(after: timeout))
        }
        defer { timer.close() }
        let failure = await withCheckedContinuation { continuation in
            connection.opening = continuation
            timer.arm(after: timeout)
            connection.start()
        }
        if let failure {
            connection.close()
            throw failure
        }
        if let keepAlive { connection.watchOver(every: keepAlive) }
        return connection
    }

    private func start() {
        let wire = Wire(url) { [weak self] event in self?.hear(event) }
        self.wire = wire
        general.onRoom = { [weak self] in self?.readOn() }
        wire.connect()
    }

    private func opened(_ failure: ConnectionError?) {
        opening?.resume(returning: failure)
        opening = nil
    }

    isolated deinit { wire?.close() }

    // MARK: Asking

    /// Sends a request and waits for its answer.
    ///
    /// - Throws: `refused` when the server says no; `timedOut`, `closed`, `lost`, `cancelled`.
    public func request(
        _ frame: sending ClientFrame, timeout: Duration? = nil
    ) async throws(ConnectionError) -> ServerFrame {
        try await post(frame, timeout: timeout).frame()
    }

    /// Sends a request and returns at once with the promise of its answer: for many under way at a
    /// time. Their order is the order of the calls.
    ///
    /// Waits while `ClientLimits.outstandingRequests` are unanswered or `outboxBytes` wait to
    /// leave.
    public func post(
        _ frame: sending ClientFrame, timeout: Duration? = nil
    ) async throws(ConnectionError) -> PendingReply {
        try await waitForRoom()
        return send(frame, timeout: timeout ?? self.timeout, onReply: nil)
    }

    /// Sends a frame that is not answered (`ack` false, a `pong`); an error still comes among
    /// `pushes`.
    public func send(_ frame: sending ClientFrame) async throws(ConnectionError) {
        try await waitForRoom()
        write(frame)
    }

    private func send(
        _ frame: sending ClientFrame, timeout: Duration, onReply: ((ServerFrame) -> Void)?
    ) -> PendingReply {
        var frame = frame
        let number = conversation.number(&frame)
        let reply = PendingReply(timeout: timeout, onReply: onReply) { [weak self] error in
            self?.giveUp(number, error)
        }
        // The loop may have turned since the caller looked.
        if let ending {
            conversation.forget(number)
            reply.settle(.failure(ending))
            return reply
        }
        pending[number] = reply
        write(frame)
        return reply
    }

    private func write(_ frame: ClientFrame) {
        var writer = JSONWriter(capacity: 256)
        frame.encode(into: &writer)
        writer.byte(UInt8(ascii: "\n"))
        wire?.send(writer.bytes)
    }

    private func waitForRoom() async throws(ConnectionError) {
        while ending == nil, !hasRoom {
            await withCheckedContinuation { continuation in
                if hasRoom || ending != nil {
                    continuation.resume()
                } else {
                    roomWaiters.append(continuation)
                }
            }
        }
        if let ending { throw ending }
    }

    private var hasRoom: Bool {
        conversation.outstandingCount < ClientLimits.outstandingRequests
            && (wire?.waitingBytes ?? 0) < ClientLimits.outboxBytes
    }

    private func tellRoom() {
        guard !roomWaiters.isEmpty, hasRoom || ending != nil else { return }
        let waiters = roomWaiters
        roomWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    private func giveUp(_ number: Int, _ error: ConnectionError) {
        guard let reply = pending.removeValue(forKey: number) else { return }
        conversation.forget(number)
        reply.settle(.failure(error))
        tellRoom()
    }

    // MARK: What the server sends by itself

    /// Frames that answer no request and belong to no `subscribe` or `listen` of this connection.
    public nonisolated var pushes: Pushes { Pushes(box: general, connection: self) }

    /// Subscribes; the subscription holds the first state, then gives each change.
    ///
    /// No change is missed or given twice between the two.
    public func subscribe(
        _ frame: sending ClientFrame.Subscribe
    ) async throws(ConnectionError) -> RexSubscription {
        try await waitForRoom()
        let box = Mailbox<ServerFrame>()
        let reply = send(.subscribe(frame), timeout: timeout) { [unowned self] frame in
            if case .subscribed(let subscribed) = frame { route(subscribed.sub, to: box) }
        }
        guard case .subscribed(let subscribed) = try await reply.frame() else {
            throw .malformed("a reply to subscribe that is not subscribed")
        }
        return RexSubscription(subscribed, box, self)
    }

    /// Listens to the topics of a pattern.
    ///
    /// - Parameter slow: what becomes of it where its events are not read: of too many the oldest
    ///   are lost, with a `dropped` frame in their place, or the connection is closed.
    public func listen(
        _ topic: TopicPattern, slow: ClientFrame.Slow = .merge
    ) async throws(ConnectionError) -> RexListener {
        try await waitForRoom()
        let box = Mailbox<ServerFrame>()
        let frame = ClientFrame.listen(.init(topic: topic, slow: slow))
        let reply = send(frame, timeout: timeout) { [unowned self] frame in
            if case .listening(let listening) = frame { route(listening.listen, to: box) }
        }
        guard case .listening(let listening) = try await reply.frame() else {
            throw .malformed("a reply to listen that is not listening")
        }
        return RexListener(listening, box, self)
    }

    private func route(_ name: String, to box: Mailbox<ServerFrame>) {
        box.onRoom = { [weak self] in self?.readOn() }
        routes[name] = box
        wire?.endLoudly(true)
    }

    /// What comes under this name until the server has answered is dropped, so that a full box
    /// cannot keep the answer away; then the name is free.
    func endRoute(_ name: String, with frame: sending ClientFrame) async throws(ConnectionError) {
        routes[name]?.discard()
        readOn()
        _ = try await request(frame)
        routes[name] = nil
        if routes.isEmpty { wire?.endLoudly(false) }
    }

    private func readOn() {
        if !general.isFull, !routes.values.contains(where: \.isFull) { wire?.resume() }
    }

    // MARK: Hearing

    private func hear(_ event: Wire.Event) {
        switch event {
        case .connected: opened(nil)
        case .received(let bytes): received(bytes)
        case .drained: tellRoom()
        case .refused(let text):
            opened(.unreachable("\(url): \(text)"))
            end(.lost(text))
        case .ended: end(farewell.map { .closed($0) } ?? .lost("the server ended it"))
        case .closed(let error):
            opened(.unreachable(error.map { "\($0)" } ?? "closed"))
            end(farewell.map { .closed($0) } ?? .lost(error.map { "\($0)" } ?? "closed"))
        }
    }

    private func received(_ bytes: UnsafeRawBufferPointer) {
        heartbeat?.heard()
        do throws(ConnectionError) {
            try conversation.received(bytes) { take($0, bytes: $1) }
        } catch {
            end(error)
        }
        tellRoom()
    }

    private func take(_ happening: Conversation.Happening, bytes: Int) {
        switch happening {
        case .reply(let number, let frame):
            guard let reply = pending.removeValue(forKey: number) else { return }
            if case .error(_, let error) = frame {
                reply.settle(.failure(.refused(error)))
            } else {
                reply.onReply?(frame)
                reply.settle(.success(frame))
            }
        case .push(.error(_, let error)) where take(back: error): break
        case .push(let frame):
            let box = frame.route.flatMap { routes[$0] } ?? general
            box.put(frame, bytes: bytes)
            if box.isFull { wire?.pause() }
        case .ping: write(.pong(.init()))
        case .bye(let bye): farewell = bye
        }
    }

    /// Ends what the server has ended: a subscription or a listener that is not ours any more.
    private func take(back error: WireError) -> Bool {
        guard let name = error.sub ?? error.listen, let box = routes.removeValue(forKey: name)
        else {
            return false
        }
        box.end(.refused(error))
        if routes.isEmpty { wire?.endLoudly(false) }
        return true
    }

    // MARK: The end

    private func watchOver(every time: Duration) {
        heartbeat = Heartbeat(every: time) { [weak self] isDead in
            guard let self else { return }
            if isDead {
                end(.lost("nothing heard for \(DurationText.text(time * 2))"))
            } else {
                _ = send(.ping(.init()), timeout: time * 2, onReply: nil)
            }
        }
    }

    /// Ends the sending half: the server answers what it has, then closes.
    public func finish() { wire?.finish() }

    /// Closes at once. Whoever waits gets `cancelled`; pushes end.
    public func close() { end(.cancelled) }

    /// Closes at once, for a reason that whoever waits gets.
    func close(because reason: ConnectionError) { end(reason) }

    /// Why it is closed; nil while it stands.
    public var closed: ConnectionError? { ending }

    private func end(_ error: ConnectionError) {
        guard ending == nil else { return }
        ending = error
        heartbeat?.close()
        wire?.close()
        wire = nil
        opened(error)
        let replies = pending.sorted { $0.key < $1.key }
        pending = [:]
        for (_, reply) in replies { reply.settle(.failure(error)) }
        let isOurs = error == .cancelled
        for box in routes.values { box.end(isOurs ? nil : error) }
        general.end(isOurs ? nil : error)
        routes = [:]
        tellRoom()
    }
}

extension ServerFrame {
    /// The subscription or listener that a push belongs to.
    fileprivate var route: String? {
        switch self {
        case .patch(let frame): frame.sub
        case .state(let frame): frame.sub
        case .event(let frame): frame.listen
        case .dropped(let listen, _): listen
        default: nil
        }
    }
}
