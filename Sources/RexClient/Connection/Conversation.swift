import RexProtocol

/// The client's side of the protocol without a socket: bytes in, replies and pushes out.
///
/// Numbers the requests, matches the replies by that number, and tells replies from pushes.
struct Conversation {
    /// What the bytes came to.
    enum Happening: Equatable {
        /// The answer to the request of this number.
        case reply(Int, ServerFrame)
        /// A frame that answers no request.
        case push(ServerFrame)
        /// The server wants a sign of life.
        case ping
        /// The server is about to close, and says why.
        case bye(ServerFrame.Bye)
    }

    /// How deep a frame may nest: a state within a frame, deeper than any frame a server accepts.
    static let depthLimit = 512

    private var splitter: LineSplitter
    private let parser = JSONParser(depthLimit: Self.depthLimit)
    private var outstanding: Set<Int> = []
    private var lastNumber = 0

    init(lineLimit: Int = ClientLimits.lineBytes) { splitter = LineSplitter(limit: lineLimit) }

    /// Requests without an answer.
    var outstandingCount: Int { outstanding.count }

    /// Gives the frame the next number as its id, replacing any it had.
    mutating func number(_ frame: inout ClientFrame) -> Int {
        lastNumber += 1
        frame = frame.with(id: FrameID(lastNumber))
        outstanding.insert(lastNumber)
        return lastNumber
    }

    /// Nobody waits for this answer any more; it is dropped when it comes.
    mutating func forget(_ number: Int) { outstanding.remove(number) }

    /// Takes what was read; `happening` is told of each frame and its size, in order.
    ///
    /// - Throws: `lineTooLong`, `malformed`. The stream is of no use afterwards.
    mutating func received(
        _ bytes: UnsafeRawBufferPointer, happening: (Happening, Int) -> Void
    ) throws(ConnectionError) {
        var failure: ConnectionError?
        do {
            var splitter = splitter
            defer { self.splitter = splitter }
            try splitter.feed(bytes) { line in
                guard failure == nil else { return }
                do throws(ConnectionError) {
                    if let what = try frame(line) { happening(what, line.count) }
                } catch { failure = error }
            }
        } catch {
            throw .lineTooLong(limit: error.limit)
        }
        if let failure { throw failure }
    }

    private mutating func frame(
        _ line: UnsafeRawBufferPointer
    ) throws(ConnectionError) -> Happening? {
        let node: JSONNode
        do throws(JSONError) { node = try parser.parse(line) } catch {
            throw .malformed(error.message)
        }
        let frame: ServerFrame
        do throws(WireError) { frame = try ServerFrame.decode(node) } catch {
            // A later server may push what this client does not know: that is no fault.
            if error.code == .unknownOp { return nil }
            throw .malformed(error.message)
        }
        switch frame {
        case .ping: return .ping
        case .bye(let bye): return .bye(bye)
        default: break
        }
        guard let number = frame.requestNumber, number <= lastNumber else { return .push(frame) }
        // A late answer to a request that was given up.
        guard outstanding.remove(number) != nil else { return nil }
        return .reply(number, frame)
    }
}

extension ServerFrame {
    /// The number of the request that this answers; nil for a push.
    fileprivate var requestNumber: Int? {
        let id: FrameID? =
            switch self {
            case .welcome(let frame): frame.id
            case .ack(let frame): frame.id
            case .state(let frame): frame.id
            case .subscribed(let frame): frame.id
            case .listening(let frame): frame.id
            case .effects(let frame): frame.id
            case .history(let frame): frame.id
            case .diff(let frame): frame.id
            case .hash(let frame): frame.id
            case .clients(let frame): frame.id
            case .pong(let id): id
            case .error(let id, _): id
            case .patch, .event, .ping, .dropped, .bye: nil
            }
        return id?.int
    }
}
