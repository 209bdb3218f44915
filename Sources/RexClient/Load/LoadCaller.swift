import RexLoop

/// One connection of a load: a requester, or a follower.
final class LoadCaller: SocketOwner {
    private unowned let generator: LoadGenerator
    private let isFollower: Bool
    private var socket: Socket?
    private var counter: ReplyCounter
    private var isReady = false
    /// Lines of a reply that is not whole.
    private var spareLines = 0
    /// Requests that may be sent now.
    var wanted = 0
    /// When requests are due that were not sent, where there is a rate.
    var due = LoadTimes()
    private var sent = LoadTimes()
    private var batch: [Int: Chunk] = [:]

    init(_ generator: LoadGenerator, isFollower: Bool) {
        self.generator = generator
        self.isFollower = isFollower
        counter = ReplyCounter(overWebSocket: generator.plan.webSocketPath != nil)
    }

    func connect(_ endpoint: Endpoint, on loop: Loop) throws(LoopError) {
        socket = try Socket.connect(to: endpoint, on: loop, owner: self)
    }

    func socketDidConnect(_ socket: Socket) {
        socket.startReading()
        if let path = generator.plan.webSocketPath {
            let handshake = LinesOverMessages(
                host: "\(generator.plan.endpoint)", path: path
            ).handshake
            socket.writeLater([Chunk(handshake)], offset: 0)
        } else {
            prepare(socket)
        }
    }

    /// Says what comes first, once frames may be sent.
    private func prepare(_ socket: Socket) {
        let plan = generator.plan
        let first = isFollower ? plan.follow : plan.preparation ?? []
        var bytes: [UInt8] = []
        if !plan.greeting.isEmpty {
            bytes += generator.encoded(plan.greeting)
            spareLines -= 1
        }
        if !first.isEmpty {
            bytes += generator.encoded(first)
            spareLines -= isFollower ? plan.linesPerFollow : plan.linesPerPreparation
        }
        if bytes.isEmpty { return becomeReady() }
        socket.writeLater([Chunk(bytes)], offset: 0)
    }

    private func becomeReady() {
        isReady = true
        generator.didGetReady()
    }

    // MARK: What comes

    func socket(_ socket: Socket, didRead bytes: UnsafeRawBufferPointer) {
        let wasOpen = counter.isOpen
        var lines = counter.count(bytes)
        if counter.isOpen, !wasOpen { prepare(socket) }
        if let refusal = Self.refusal(in: bytes) { return generator.fail(.refused(refusal)) }
        lines += spareLines
        if !isReady, lines >= 0 { becomeReady() }
        guard isReady else {
            spareLines = lines
            return
        }
        let plan = generator.plan
        let each = isFollower ? plan.linesPerDelivery : plan.linesPerReply
        spareLines = lines % each
        if isFollower { didGetDeliveries(lines / each, bytes) } else { didGetReplies(lines / each) }
    }

    private func didGetDeliveries(_ count: Int, _ bytes: UnsafeRawBufferPointer) {
        if generator.stampPlace != nil {
            let now = Loop.nanoseconds
            LoadStamp.each(in: bytes) {
                generator.deliveryLatency.add(nanoseconds: now - min(now, $0))
            }
        }
        generator.didDeliver(count, to: self)
    }

    private func didGetReplies(_ count: Int) {
        guard count > 0 else { return }
        generator.replies += count
        let plan = generator.plan
        if plan.requestsPerSecond == nil, !plan.followersPace { wanted += count }
        let now = Loop.nanoseconds
        for _ in 0..<min(count, sent.count) {
            generator.latency.add(nanoseconds: now - min(now, sent.removeFirst()))
        }
    }

    /// The first frame of what came, where it is an error; a WebSocket has a few bytes before it.
    private static func refusal(in bytes: UnsafeRawBufferPointer) -> String? {
        guard let start = bytes.prefix(16).firstIndex(of: UInt8(ascii: "{")),
            bytes[start...].starts(with: #"{"op":"error""#.utf8)
        else { return nil }
        let line = bytes[start...].prefix { $0 != UInt8(ascii: "\n") }
        return String(decoding: line.prefix(1_000), as: UTF8.self)
    }

    // MARK: What is sent

    /// Sends what the window allows, in one write.
    func flush() {
        if generator.plan.requestsPerSecond != nil {
            // Without replies the rate alone is the bound.
            let room =
                generator.plan.followersPace ? due.count : generator.plan.window - sent.count
            wanted = min(due.count, room)
        }
        guard wanted > 0, isReady, let socket, !socket.isDraining else { return }
        let count = wanted
        wanted = 0
        generator.requests += count
        let now = Loop.nanoseconds
        let chunk = stamped(count, now) ?? batch[count] ?? makeBatch(count)
        for _ in 0..<count {
            let time = due.count > 0 ? due.removeFirst() : now
            if !generator.plan.followersPace { sent.append(time) }
        }
        let taken = socket.write([chunk], offset: 0)
        if taken < chunk.count { socket.writeLater([chunk], offset: taken) }
    }

    private func stamped(_ count: Int, _ now: UInt64) -> Chunk? {
        guard let place = generator.stampPlace else { return nil }
        var bytes: [UInt8] = []
        for index in 0..<count {
            var request = generator.plan.request
            LoadStamp.write(index < due.count ? due[index] : now, at: place, in: &request)
            bytes += generator.encoded(request)
        }
        return Chunk(bytes)
    }

    private func makeBatch(_ count: Int) -> Chunk {
        var bytes: [UInt8] = []
        let request = generator.encoded(generator.plan.request)
        bytes.reserveCapacity(count * request.count)
        for _ in 0..<count { bytes += request }
        let chunk = Chunk(bytes)
        batch[count] = chunk
        return chunk
    }

    func socketDidEnd(_ socket: Socket) { generator.didFail(nil) }
    func socketDidDrain(_ socket: Socket) {}
    func socketDidClose(_ socket: Socket, error: LoopError?) {
        if let error { generator.didFail(error) }
    }
}

/// Times in the order in which they came.
struct LoadTimes {
    private var times: [UInt64] = []
    private var head = 0

    var count: Int { times.count - head }

    subscript(index: Int) -> UInt64 { times[head + index] }

    mutating func append(_ time: UInt64) { times.append(time) }

    mutating func removeFirst() -> UInt64 {
        defer {
            head += 1
            if head > 4_096 {
                times.removeFirst(head)
                head = 0
            }
        }
        return times[head]
    }
}
