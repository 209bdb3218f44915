import RexLoop

/// A load on a server: who asks, who only listens, and for how long.
public struct LoadPlan: Sendable {
    /// The server.
    public var endpoint: Endpoint
    /// Connections that send requests.
    public var connections = 1
    /// Requests that each has outstanding at any time.
    public var window = 1
    /// What each requester sends first, once; its reply is waited for.
    public var preparation: [UInt8]?
    /// One request with its line feed.
    public var request: [UInt8]
    /// A request has no reply: the next is sent as soon as the kernel takes it, at most `window`
    /// ahead of what the first follower has heard.
    public var followersPace = false
    /// Connections that send `follow` once and then only read.
    public var followers = 0
    /// The line that makes a connection a follower.
    public var follow: [UInt8] = []
    /// Frames travel as messages of WebSockets, requests masked as browsers mask them.
    public var overWebSocket = false
    /// What passes before anything counts.
    public var warmUp: Duration = .milliseconds(500)
    /// What is measured.
    public var duration: Duration = .seconds(2)

    /// One connection that sends `request` and waits for its reply, again and again.
    public init(endpoint: Endpoint, request: [UInt8]) {
        self.endpoint = endpoint
        self.request = request
    }
}

/// What a load came to. Rates are per second of the measured time, after the warm-up.
public struct LoadResult: Sendable {
    /// Replies that requesters got.
    public var repliesPerSecond = 0.0
    /// Frames that reached followers; a merged patch counts as one.
    public var deliveriesPerSecond = 0.0
    /// Requests that were sent.
    public var requestsPerSecond = 0.0
    /// Time from a request to its reply.
    public var latency = LatencyHistogram()
}

/// How often a latency occurred, in steps of about 2 %: bounded memory, whatever is measured.
public struct LatencyHistogram: Sendable {
    private var counts = [Int](repeating: 0, count: 64 * 64)
    /// How many latencies were added.
    public private(set) var count = 0

    /// Without any latency.
    public init() {}

    /// Adds one latency.
    public mutating func add(nanoseconds: UInt64) {
        counts[Self.index(nanoseconds)] += 1
        count += 1
    }

    /// The latency that a part of all is below, in microseconds: 0.5 is the median. 0 when there is
    /// none.
    public func microseconds(at part: Double) -> Double {
        guard count > 0 else { return 0 }
        var left = Int((Double(count) * part).rounded(.up))
        for (index, n) in counts.enumerated() where n > 0 {
            left -= n
            if left <= 0 { return Double(Self.value(index)) / 1_000 }
        }
        return 0
    }

    /// The six highest bits choose the step within a power of two.
    private static func index(_ value: UInt64) -> Int {
        guard value >= 64 else { return Int(value) }
        let power = 63 - value.leadingZeroBitCount
        return min(64 * 64 - 1, (power - 5) * 64 + Int(value >> UInt64(power - 5)) - 0)
    }

    private static func value(_ index: Int) -> UInt64 {
        guard index >= 128 else { return UInt64(index) }
        let power = index / 64 + 4
        let step = UInt64(index - (power - 5) * 64)
        return step << UInt64(power - 5)
    }
}
