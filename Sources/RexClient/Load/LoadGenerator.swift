import RexLoop
import RexWebSocket
import Synchronization

/// Puts a `LoadPlan` on a server from one thread and counts what comes back.
///
/// It counts frames and does not read them: a load generator that parses measures itself.
public final class LoadGenerator {
    private let plan: LoadPlan
    private let loop = Loop()
    private var callers: [Caller] = []
    private var followers: [Caller] = []
    private var readyCount = 0
    private var failure: LoopError?
    private var isMeasuring = false
    private var began = ContinuousClock.now
    private var ended = ContinuousClock.now
    private var replies = 0
    private var requests = 0
    private var deliveries = 0
    private var latency = LatencyHistogram()
    private var timer: LoopTimer?

    private init(_ plan: LoadPlan) { self.plan = plan }

    /// Runs the plan on the calling thread.
    ///
    /// - Throws: `LoopError` when the server cannot be reached or closes a connection.
    public static func run(_ plan: LoadPlan) throws(LoopError) -> LoadResult {
        let generator = LoadGenerator(plan)
        return try generator.run()
    }

    private func run() throws(LoopError) -> LoadResult {
        timer = LoopTimer(on: loop) { [unowned self] in didReachTime() }
        for _ in 0..<plan.followers {
            let caller = Caller(self, isFollower: true)
            try caller.connect(plan.endpoint, on: loop)
            followers.append(caller)
        }
        for _ in 0..<plan.connections {
            let caller = Caller(self, isFollower: false)
            try caller.connect(plan.endpoint, on: loop)
            callers.append(caller)
        }
        loop.onTurnEnd = { [unowned self] in
            for caller in callers { caller.flush() }
        }
        loop.run()
        if let failure { throw failure }
        return result()
    }

    /// A line as it travels.
    fileprivate func encoded(_ line: [UInt8]) -> [UInt8] {
        guard plan.overWebSocket else { return line }
        return WebSocketHead.masked(0x81, line.dropLast(), by: 0x3C9A_51E7)
    }

    private func result() -> LoadResult {
        let (seconds, attoseconds) = (ended - began).components
        let time = Double(seconds) + Double(attoseconds) / 1e18
        return LoadResult(
            repliesPerSecond: Double(replies) / time,
            deliveriesPerSecond: Double(deliveries) / time,
            requestsPerSecond: Double(requests) / time, latency: latency)
    }

    private func didReachTime() {
        if isMeasuring {
            isMeasuring = false
            ended = .now
            loop.stop()
        } else {
            (replies, requests, deliveries) = (0, 0, 0)
            latency = LatencyHistogram()
            isMeasuring = true
            began = .now
            timer?.arm(after: plan.duration)
        }
    }

    fileprivate func didGetReady() {
        readyCount += 1
        guard readyCount == plan.connections + plan.followers else { return }
        timer?.arm(after: plan.warmUp)
        for caller in callers { caller.begin() }
    }

    fileprivate func didFail(_ error: LoopError?) {
        guard failure == nil, !isMeasuring || error != nil else { return }
        failure = error ?? LoopError("read", "the server's replies", code: LoopError.endOfFile)
        loop.stop()
    }

    /// One connection: a requester, or a follower.
    fileprivate final class Caller: SocketOwner {
        private unowned let generator: LoadGenerator
        private let isFollower: Bool
        private var socket: Socket?
        private var counter: ReplyCounter
        private var isReady = false
        private var wanted = 0
        private var sent: [UInt64] = []
        private var head = 0
        private var out: [UInt8] = []
        private var batch: [Int: Chunk] = [:]

        init(_ generator: LoadGenerator, isFollower: Bool) {
            self.generator = generator
            self.isFollower = isFollower
            counter = ReplyCounter(overWebSocket: generator.plan.overWebSocket)
        }

        func connect(_ endpoint: Endpoint, on loop: Loop) throws(LoopError) {
            socket = try Socket.connect(to: endpoint, on: loop, owner: self)
        }

        func socketDidConnect(_ socket: Socket) {
            socket.startReading()
            if generator.plan.overWebSocket {
                let handshake = LinesOverMessages(
                    host: "\(generator.plan.endpoint)", path: "/ws"
                ).handshake
                socket.writeLater([Chunk(handshake)], offset: 0)
            } else {
                prepare(socket)
            }
        }

        /// Says what comes first, once frames may be sent.
        private func prepare(_ socket: Socket) {
            let first = isFollower ? generator.plan.follow : generator.plan.preparation ?? []
            if first.isEmpty {
                becomeReady()
            } else {
                socket.writeLater([Chunk(generator.encoded(first))], offset: 0)
            }
        }

        private func becomeReady() {
            isReady = true
            generator.didGetReady()
        }

        func begin() { wanted = generator.plan.window }

        func socket(_ socket: Socket, didRead bytes: UnsafeRawBufferPointer) {
            let wasOpen = counter.isOpen
            var lines = counter.count(bytes)
            if counter.isOpen, !wasOpen { prepare(socket) }
            if !isReady, lines > 0 {
                lines -= 1
                becomeReady()
            }
            if isFollower {
                generator.deliveries += lines
                if generator.plan.followersPace, self === generator.followers.first {
                    generator.callers[0].wanted += lines
                }
            } else if lines > 0 {
                didGetReplies(lines)
            }
        }

        private func didGetReplies(_ lines: Int) {
            generator.replies += lines
            wanted += lines
            let now = Loop.nanoseconds
            for _ in 0..<min(lines, sent.count - head) {
                generator.latency.add(nanoseconds: now - sent[head])
                head += 1
            }
            if head > 4_096 {
                sent.removeFirst(head)
                head = 0
            }
        }

        /// Sends what the window allows, in one write.
        func flush() {
            guard wanted > 0, isReady, let socket, !socket.isDraining else { return }
            let count = wanted
            wanted = 0
            generator.requests += count
            if !generator.plan.followersPace {
                let now = Loop.nanoseconds
                for _ in 0..<count { sent.append(now) }
            }
            let chunk = batch[count] ?? makeBatch(count)
            let taken = socket.write([chunk], offset: 0)
            if taken < chunk.count { socket.writeLater([chunk], offset: taken) }
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
}
