import Rex
import RexLoop
import RexProtocol

/// How a server ends: nothing that was acknowledged is lost, and everybody is told.
extension Server {
    /// Serves until `stop` has finished.
    ///
    /// - Parameters:
    ///   - untilSignal: SIGTERM and SIGINT stop the server; a second one ends the process at once.
    ///   - hangUp: called for each SIGHUP, to read again what may change while the server runs.
    ///   - ready: called once the signals are heard, to tell others that it is served from here on.
    ///     What it prints is there at once, also where standard output is a pipe or a file.
    public func run(
        untilSignal: Bool = true, hangUp: (@Sendable () -> Void)? = nil,
        ready: @Sendable () -> Void = {}
    ) async throws {
        if untilSignal {
            for number in [SignalSource.terminate, SignalSource.interrupt] {
                let source = try SignalSource(number, on: loop) { [weak self] in
                    self?.assumeIsolated { $0.didReceiveStopSignal() }
                }
                signals.append(source)
            }
        }
        if let hangUp {
            signals.append(try SignalSource(SignalSource.hangUp, on: loop) { hangUp() })
        }
        ready()
        // Who starts it reads the line now; that it cannot be written stops nobody.
        try? StandardStreams.flush()
        await waitUntilStopped()
        for source in signals { source.close() }
        signals = []
    }

    private func waitUntilStopped() async {
        if isStopped { return }
        await withCheckedContinuation { continuation in
            // Asked again: the loop may have turned on the way into this closure.
            if isStopped { continuation.resume() } else { stopped.append(continuation) }
        }
    }

    private func didReceiveStopSignal() {
        switch phase {
        case .draining, .saying, .stopped: StandardStreams.exitNow(1)
        case .starting, .running: beginDrain()
        }
    }

    /// Stops accepting, finishes what was received, flushes every ack, says bye to everybody, and
    /// returns after at most `Limits.drainMilliseconds`. Harmless the second time.
    public func stop() async {
        if phase == .starting || phase == .running { beginDrain() }
        await waitUntilStopped()
    }

    private func beginDrain() {
        log.event(.notice, "stopping", ["connections": "\(connections.count)"])
        phase = .draining
        drainBegan = loop.milliseconds
        for listener in listeners { listener.close() }
        listeners = []
        if let topic = try? Topic("$server.shutdown") { publish(topic, .null, from: .server) }
        // What the kernel holds already is read in the turns until then.
        add(.drain, after: Self.lastReadMilliseconds)
        prepareLoop()
        loop.wake()
    }

    /// How long the kernel's buffers are read on for once a shutdown begins.
    private static let lastReadMilliseconds = 100

    func endDrain() {
        switch phase {
        case .draining: sayBye()
        case .saying: didStop()
        case .starting, .running, .stopped: break
        }
    }

    private func sayBye() {
        let passed = Int(loop.milliseconds - drainBegan)
        if passed < awaitMilliseconds, isUnderWay {
            add(.drain, after: min(Self.lastReadMilliseconds, awaitMilliseconds - passed))
            return
        }
        cut()
        phase = .saying
        for connection in connections.values {
            giveUpAwaited(by: connection)
            close(connection, .shuttingDown, "the server is shutting down")
        }
        if connections.isEmpty {
            didStop()
        } else {
            add(.drain, after: max(0, limits.drainMilliseconds - passed))
        }
    }

    /// Something that was asked for is not done yet: effects that somebody awaits, an action that
    /// the program is asked about, frames that wait
    /// for their connection's next turn or, right behind them, in the kernel.
    private var isUnderWay: Bool {
        loop.milliseconds < lastLongTurn + UInt64(Self.lastReadMilliseconds)
            || connections.values.contains {
                !$0.session.awaited.isEmpty || $0.authorization != nil
            }
    }

    /// How long acks that await effects are waited for: all the time but what the goodbyes take,
    /// and half of it where that is more.
    private var awaitMilliseconds: Int {
        max(limits.drainMilliseconds - limits.lingerMilliseconds, limits.drainMilliseconds / 2)
    }

    func didStop() {
        guard phase != .stopped else { return }
        phase = .stopped
        for connection in connections.values { connection.socket.close() }
        for store in stores.values { store.wakeWaits() }
        guard let journalReader else { return endStop() }
        // Effects that still run commit nothing more: it would not be stored.
        for store in stores.values { store.host.freeze() }
        // What the goodbyes committed is stored too; then the file is whole without its log: SQLite
        // puts that into it where the writer is the last to close, behind the reader.
        isClosingJournal = true
        journalReader.close()
    }

    /// Nothing more will be done.
    private var isStopped: Bool { phase == .stopped && !isClosingJournal }

    func endStop() {
        isClosingJournal = false
        wakeStorageWaits(through: .max, isStored: false)
        journalLock = nil
        writeStorms(at: .max)
        log.event(.notice, "stopped")
        for continuation in stopped { continuation.resume() }
        stopped = []
    }
}
