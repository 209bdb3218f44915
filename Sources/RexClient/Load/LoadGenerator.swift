import RexLoop
import RexWebSocket

/// Puts a `LoadPlan` on a server from one thread and counts what comes back.
///
/// It counts frames and does not read them: a load generator that parses measures itself.
public final class LoadGenerator {
    let plan: LoadPlan
    /// Where a request has the time of its sending.
    let stampPlace: Int?
    private let loop = Loop()
    private var callers: [LoadCaller] = []
    private var followers: [LoadCaller] = []
    private var readyCount = 0
    private var failure: LoadError?
    private var isMeasuring = false
    private var began = ContinuousClock.now
    private var ended = ContinuousClock.now
    private var timer: LoopTimer?
    private var progress: (LoadResult) -> Void
    private var progressTimer: LoopTimer?
    private var paceTimer: LoopTimer?
    /// The clock's nanoseconds from which requests are due at their rate.
    private var paceBegan: UInt64 = 0
    /// Requests that were due so far.
    private var paced = 0

    var replies = 0
    var requests = 0
    var deliveries = 0
    var latency = LatencyHistogram()
    var deliveryLatency = LatencyHistogram()

    private init(_ plan: LoadPlan, _ progress: @escaping (LoadResult) -> Void) {
        self.plan = plan
        self.progress = progress
        stampPlace = plan.readsStamps ? LoadStamp.place(in: plan.request) : nil
    }

    /// Runs the plan on the calling thread.
    ///
    /// - Parameter progress: called on that thread every second that is measured, with what it has
    ///   come to so far.
    /// - Throws: `LoadError` when the server cannot be reached, closes a connection or refuses.
    public static func run(
        _ plan: LoadPlan, progress: @escaping (LoadResult) -> Void = { _ in }
    ) throws(LoadError) -> LoadResult {
        let generator = LoadGenerator(plan, progress)
        return try generator.run()
    }

    private func run() throws(LoadError) -> LoadResult {
        timer = LoopTimer(on: loop) { [unowned self] in didReachTime() }
        progressTimer = LoopTimer(on: loop) { [unowned self] in report() }
        paceTimer = LoopTimer(on: loop) { [unowned self] in pace() }
        followers = try connect(plan.followers, asFollowers: true)
        callers = try connect(plan.connections, asFollowers: false)
        loop.onTurnEnd = { [unowned self] in
            for caller in callers { caller.flush() }
        }
        loop.run()
        if let failure { throw failure }
        return result(until: ended)
    }

    private func connect(
        _ count: Int, asFollowers isFollower: Bool
    ) throws(LoadError) -> [LoadCaller] {
        var result: [LoadCaller] = []
        for _ in 0..<count {
            let caller = LoadCaller(self, isFollower: isFollower)
            do {
                try caller.connect(plan.endpoint, on: loop)
            } catch {
                throw .lost(error)
            }
            result.append(caller)
        }
        return result
    }

    /// A line as it travels.
    func encoded(_ line: [UInt8]) -> [UInt8] {
        guard plan.webSocketPath != nil else { return line }
        return WebSocketHead.masked(0x81, line.dropLast(), by: 0x3C9A_51E7)
    }

    private func result(until end: ContinuousClock.Instant) -> LoadResult {
        let time = (end - began) / .seconds(1)
        var result = LoadResult()
        result.repliesPerSecond = Double(replies) / time
        result.deliveriesPerSecond = Double(deliveries) / time
        result.requestsPerSecond = Double(requests) / time
        result.latency = latency
        result.deliveryLatency = deliveryLatency
        return result
    }

    private func report() {
        guard isMeasuring else { return }
        progress(result(until: .now))
        progressTimer?.arm(after: .seconds(1))
    }

    private func didReachTime() {
        if isMeasuring {
            isMeasuring = false
            ended = .now
            loop.stop()
        } else {
            (replies, requests, deliveries) = (0, 0, 0)
            (latency, deliveryLatency) = (LatencyHistogram(), LatencyHistogram())
            isMeasuring = true
            began = .now
            timer?.arm(after: plan.duration)
            progressTimer?.arm(after: .seconds(1))
        }
    }

    func didGetReady() {
        readyCount += 1
        guard readyCount == plan.connections + plan.followers else { return }
        timer?.arm(after: plan.warmUp)
        if plan.requestsPerSecond != nil {
            paceBegan = Loop.nanoseconds
            pace()
        } else {
            for caller in callers { caller.wanted = plan.window }
        }
    }

    /// Hands out what is due, in turn to each caller.
    private func pace() {
        guard let rate = plan.requestsPerSecond, !callers.isEmpty else { return }
        let now = Loop.nanoseconds
        while true {
            let due = paceBegan + UInt64(Double(paced) / rate * 1e9)
            guard due <= now else { break }
            callers[paced % callers.count].due.append(due)
            paced += 1
        }
        paceTimer?.arm(after: .milliseconds(1))
    }

    func didDeliver(_ count: Int, to follower: LoadCaller) {
        deliveries += count
        if plan.followersPace, plan.requestsPerSecond == nil, follower === followers.first {
            callers[0].wanted += count
        }
    }

    func didFail(_ error: LoopError?) {
        guard failure == nil, !isMeasuring || error != nil else { return }
        fail(.lost(error ?? LoopError("read", "the server's replies", code: LoopError.endOfFile)))
    }

    func fail(_ error: LoadError) {
        failure = failure ?? error
        loop.stop()
    }
}
