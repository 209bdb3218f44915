import RexLoop

/// A connection that carries lines as they are: for transcripts and whoever wants to see the very
/// bytes.
///
/// Lines that arrive wait in a bounded box; when it is full nothing more is read.
@ClientLoop public final class LineConnection {
    private var wire: Wire?
    private var splitter = LineSplitter()
    private let lines = Mailbox<[UInt8]>()
    private var opening: CheckedContinuation<ConnectionError?, Never>?

    private init() {}

    /// Connects.
    ///
    /// - Throws: `unreachable`, `timedOut`.
    public static func open(
        _ url: RexURL, timeout: Duration
    ) async throws(ConnectionError) -> LineConnection {
        let connection = LineConnection()
        let timer = LoopTimer(on: ClientLoop.shared.loop) { [weak connection] in
            connection?.opened(.timedOut(after: timeout))
        }
        defer { timer.close() }
        let failure = await withCheckedContinuation { continuation in
            connection.opening = continuation
            timer.arm(after: timeout)
            connection.start(url)
        }
        if let failure {
            connection.close()
            throw failure
        }
        return connection
    }

    private func start(_ url: RexURL) {
        let wire = Wire(url) { [weak self] event in self?.hear(event, url) }
        self.wire = wire
        lines.onRoom = { [weak wire] in wire?.resume() }
        wire.connect()
    }

    isolated deinit { wire?.close() }

    private func opened(_ failure: ConnectionError?) {
        opening?.resume(returning: failure)
        opening = nil
    }

    private func hear(_ event: Wire.Event, _ url: RexURL) {
        switch event {
        case .connected: opened(nil)
        case .received(let bytes):
            do {
                try splitter.feed(bytes) { lines.put(Array($0), bytes: $0.count) }
            } catch {
                lines.end(.lineTooLong(limit: error.limit))
                wire?.close()
            }
            if lines.isFull { wire?.pause() }
        case .refused(let text):
            opened(.unreachable("\(url): \(text)"))
            lines.end(.lost(text))
        case .ended: lines.end()
        case .drained: break
        case .closed(let error):
            opened(error.map { .unreachable("\($0)") } ?? .cancelled)
            lines.end(error.map { .lost("\($0)") })
        }
    }

    /// Sends bytes as they are; a line needs its LF.
    public func send(_ bytes: [UInt8]) { wire?.send(bytes) }

    /// The next line without its end; waits for it as long as it takes. Nil at the end.
    public func nextLine() async throws(ConnectionError) -> [UInt8]? { try await lines.take() }

    /// The next line without its end; nil when the server has ended its sending half.
    ///
    /// - Throws: `timedOut`, `lost`, `lineTooLong`, `cancelled`.
    public func nextLine(within timeout: Duration) async throws(ConnectionError) -> [UInt8]? {
        try await lines.take(within: timeout)
    }

    /// Ends the sending half; the server's answers still come.
    public func finish() { wire?.finish() }

    /// Closes at once.
    public func close() {
        wire?.close()
        wire = nil
    }
}
