import Rex
import RexLoop
import RexProtocol

/// From bytes to frames: what a connection's socket reports.
extension Server {
    func didRead(_ bytes: UnsafeRawBufferPointer, on connection: Connection) {
        connection.session.hear(at: loop.milliseconds)
        metrics.bytesReceived += bytes.count
        beginServing()
        switch connection.phase {
        case .open: take(bytes, from: connection)
        case .undecided: begin(with: bytes, on: connection)
        case .finishing, .closed: break
        }
        if countsRates { spend(bytes: bytes.count, of: connection) }
    }

    /// The first byte of a connection says what is spoken.
    private func begin(with bytes: UnsafeRawBufferPointer, on connection: Connection) {
        if bytes[0] == Self.handshakeByte, let tls, !connection.socket.isSecured {
            return beginTLS(bytes, on: connection, with: tls)
        }
        if connection.isSurplus {
            if (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(bytes[0]) {
                connection.speak(.http(HTTPReader(bodyLimit: 0)))
            }
            return refuseSurplus(connection)
        }
        switch bytes[0] {
        case UInt8(ascii: "{"), UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"),
            UInt8(ascii: "\n"):
            connection.enter(.open)
            takeLines(bytes, from: connection)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"):
            connection.enter(.open)
            beginHTTP(bytes, on: connection)
        default:
            refuse(
                connection,
                WireError(
                    .badFrame,
                    "expected a JSON object on a line of its own, got a first byte of \(bytes[0])"),
                .badFrame)
        }
    }

    /// One connection too many is told so.
    func refuseSurplus(_ connection: Connection) {
        let error = surplusError(of: connection)
        if case .http = connection.wire {
            metrics.count(error)
            answer(HTTPResponse(error), to: connection)
        } else {
            refuse(connection, error, .overloaded)
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer, from connection: Connection) {
        switch connection.wire {
        case .lines: takeLines(bytes, from: connection)
        case .http: takeRequests(bytes, from: connection)
        case .webSocket: takeMessages(bytes, from: connection)
        case .events: break
        }
    }

    private func takeLines(_ bytes: UnsafeRawBufferPointer, from connection: Connection) {
        do {
            try connection.framer.take(bytes) { receive($0, from: connection) }
        } catch {
            metrics.count(.frameBytes)
            refuse(
                connection,
                WireError(
                    .tooLarge, "a frame may have \(limits.frameBytes) bytes, this line has more"),
                .tooLarge)
        }
    }

    /// Serves one frame. False when no more is to be taken from the connection now.
    func receive(_ line: UnsafeRawBufferPointer, from connection: Connection) -> Bool {
        if countsRates { spendFrame(of: connection) }
        serve(line, from: connection)
        guard connection.isServed, !connection.awaitsAnswer else { return false }
        return !pauseIfUnread(connection) && !pauseIfLong(connection)
            && !(countsRates && pauseIfSpent(connection))
    }

    private func beginServing() {
        let now = loop.readClock()
        if turnBegan == 0 { turnBegan = now }
        servingUntil = now + UInt64(limits.turnMilliseconds) * 1_000_000
    }

    /// Leaves the rest of what a connection has sent for the next turn, once its frames have taken
    /// long enough: everybody else comes first.
    func pauseIfLong(_ connection: Connection) -> Bool {
        guard loop.readClock() > servingUntil else { return false }
        metrics.count(.turnMilliseconds)
        lastLongTurn = loop.milliseconds
        connection.isPaused = true
        connection.socket.stopReading()
        add(.goOn(connection: connection.id), after: 0)
        return true
    }

    /// The next turn of a connection whose frames took long.
    func goOn(_ connection: Connection) {
        guard connection.isServed else { return }
        // One that does not read its replies goes on when it has.
        if !pauseIfUnread(connection) { resume(connection) }
    }

    private func serve(_ line: UnsafeRawBufferPointer, from connection: Connection) {
        metrics.framesReceived += 1
        let node: JSONNode
        do throws(JSONError) {
            node = try parser.parse(line)
        } catch {
            if error.isTooDeep { metrics.count(.depth) }
            reply(WireError(error), id: nil, to: connection)
            return
        }
        do throws(WireError) {
            try perform(ClientFrame.decode(node), for: connection)
            connection.session.hasSpoken = true
        } catch {
            if let question = takeAuthorization() {
                return ask(question, for: connection, then: .frame(Array(line)))
            }
            if let (store, question) = takeQuestion() {
                return ask(question, of: store, for: connection, then: .frame(Array(line)))
            }
            if error.code == .badTopic { countTopic(node["topic"]?.string) }
            reply(error, id: FrameID.of(node), to: connection)
            if let reason = CloseReason(error.code) { close(connection, reason, error.message) }
        }
    }

    /// What the journal has to be asked before the request that has just failed can be answered.
    func takeQuestion() -> (store: String, question: JournalReader.Question)? {
        guard journal != nil else { return nil }
        defer { pendingQuestion = nil }
        if let pendingQuestion { return pendingQuestion }
        for (name, store) in stores {
            if let question = store.host.takeQuestion() { return (name, question) }
        }
        return nil
    }

    /// A request for which the journal has been asked.
    func serveAgain(_ request: Connection.Request, from connection: Connection) {
        isServingAgain = true
        defer { isServingAgain = false }
        switch request {
        case .frame(let line): line.withUnsafeBytes { serve($0, from: connection) }
        case .http(let request): serve(request, from: connection)
        }
    }

    /// Stops reading from a connection whose replies are not read. They are never dropped, so what
    /// asks for more of them has to wait. True where no more is to be taken from it now.
    func pauseIfUnread(_ connection: Connection) -> Bool {
        guard connection.outbox.pendingBytes > outboxLimit else { return false }
        cut()
        flush(connection)
        // Many can come to their bounds in one turn.
        relieveOutboxes()
        guard connection.isServed else { return true }
        guard connection.outbox.pendingBytes > outboxLimit else { return false }
        metrics.count(.outboxBytes)
        connection.isFull = true
        connection.isPaused = true
        connection.socket.stopReading()
        return true
    }

    /// Goes on reading after a pause, beginning with what is held already.
    func resume(_ connection: Connection) {
        guard connection.isPaused, connection.isServed, !connection.awaitsAnswer,
            loop.milliseconds >= connection.delayedUntil
        else { return }
        connection.isFull = false
        // What it had to wait for besides is no excuse from its rate.
        if countsRates, pauseIfSpent(connection) { return }
        connection.isPaused = false
        connection.delayedUntil = 0
        beginServing()
        takeHeld(of: connection)
        guard connection.isServed, !connection.isPaused else { return }
        if connection.inputEnded {
            finishInput(of: connection)
        } else if !(countsRates && pauseIfSpent(connection)) {
            connection.socket.startReading()
        }
    }

    private func takeHeld(of connection: Connection) {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        switch connection.wire {
        case .lines: takeLines(nothing, from: connection)
        case .http(let reader): serveRequests(reader, from: connection)
        case .webSocket: takeMessages(nothing, from: connection)
        case .events: break
        }
    }

    func didEndInput(of connection: Connection) {
        guard !connection.inputEnded else { return }
        connection.inputEnded = true
        switch connection.phase {
        case .undecided where connection.isSurplus: refuseSurplus(connection)
        case .undecided, .closed: connection.socket.close()
        case .finishing: if connection.outputEnded { connection.socket.close() }
        case .open: if !connection.isPaused { finishInput(of: connection) }
        }
    }

    /// A last line without a line feed counts (`printf … | nc -N`); then the connection ends as
    /// soon as nothing is owed to it.
    ///
    /// One that watches or listens stays. Whether its reader is still there cannot be told from the
    /// end of its input, so it is asked: a ping to a client that is gone brings a reset.
    private func finishInput(of connection: Connection) {
        guard case .lines = connection.wire else {
            // Who asks over HTTP and ends its half gets what it asked for, and watches no more.
            return finish(connection)
        }
        connection.framer.end { receive($0, from: connection) }
        if connection.isServed, !connection.session.isOwedNothing {
            reply(.ping(id: nil), to: connection)
            add(.halfClosed(connection: connection.id), after: Self.halfClosedMilliseconds)
        }
        touch(connection)
    }

    /// How often the kernel is asked for a reset of a connection that only reads: nobody reports
    /// it, so that whoever it was would stay present until the next write but one.
    private static let halfClosedMilliseconds = 1_000

    func checkHalfClosed(_ connection: Connection) {
        guard connection.isServed else { return }
        if connection.socket.isDeserted {
            connection.socket.close()
        } else {
            add(.halfClosed(connection: connection.id), after: Self.halfClosedMilliseconds)
        }
    }
}
