import RexLoop

/// A load on a server: who asks, who only listens, and for how long.
///
/// The defaults speak lines as Rex does. For a peer whose replies have several lines say how many.
public struct LoadPlan: Sendable {
    /// The server.
    public var endpoint: Endpoint
    /// Connections that send requests.
    public var connections = 1
    /// Requests that each has outstanding at any time.
    public var window = 1
    /// Requests a second, over all connections; as many as the window allows where it is nil. A
    /// request that had to wait for the window is late from the moment at which it was due.
    public var requestsPerSecond: Double?
    /// What every connection says before all else, with its line feed; one line comes back.
    public var greeting: [UInt8] = []
    /// What each requester sends first, once; its reply is waited for.
    public var preparation: [UInt8]?
    /// One request with its line feed. Where `stamp` stands in it, it becomes the time of sending.
    public var request: [UInt8]
    /// A request has no reply: the next is sent as soon as the kernel takes it, at most `window`
    /// ahead of what the first follower has heard.
    public var followersPace = false
    /// Connections that send `follow` once and then only read.
    public var followers = 0
    /// The line that makes a connection a follower.
    public var follow: [UInt8] = []
    /// The path of the WebSockets as whose messages frames travel, requests masked as browsers mask
    /// them; nil for lines.
    public var webSocketPath: String?
    /// Lines of the reply to `preparation`.
    public var linesPerPreparation = 1
    /// Lines of the reply to `follow`.
    public var linesPerFollow = 1
    /// Lines of a reply.
    public var linesPerReply = 1
    /// Lines of what a follower gets.
    public var linesPerDelivery = 1
    /// Whether followers look for times in what they get, where `request` has a stamp.
    public var readsStamps = true
    /// What passes before anything counts.
    public var warmUp: Duration = .milliseconds(500)
    /// What is measured.
    public var duration: Duration = .seconds(2)

    /// Twenty bytes that stand for a time, so that followers can tell how long a delivery took.
    public static let stamp = LoadStamp.placeholder

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
    /// Time from a request with a `stamp` to each follower that got it.
    public var deliveryLatency = LatencyHistogram()

    /// That of a load that did nothing.
    public init() {}
}

/// Why a load came to nothing.
public enum LoadError: Error, CustomStringConvertible {
    /// The server cannot be reached, or closed a connection.
    case lost(LoopError)
    /// The server answered a request with this error.
    case refused(String)

    /// For a person.
    public var description: String {
        switch self {
        case .lost(let error): "\(error)"
        case .refused(let text): "the server refused: \(text)"
        }
    }
}
