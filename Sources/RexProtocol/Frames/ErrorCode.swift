/// What is wrong with a frame, as protocol.md names it.
public enum ErrorCode: String, Sendable, Hashable, Codable, CaseIterable {
    /// Not JSON, not UTF-8, not an object, duplicate members, deeper than the limit.
    case badJSON = "bad_json"
    /// JSON, but not a frame.
    case badFrame = "bad_frame"
    /// No such op.
    case unknownOp = "unknown_op"
    /// No such store.
    case unknownStore = "unknown_store"
    /// No such view.
    case unknownView = "unknown_view"
    /// The named thing does not exist.
    case notFound = "not_found"
    /// The named thing is not held any more.
    case gone
    /// The action does not decode.
    case badAction = "bad_action"
    /// The reducer refused.
    case rejected
    /// The store is at another revision than expected.
    case conflict
    /// The key was used for another action.
    case keyReused = "key_reused"
    /// A malformed topic or pattern.
    case badTopic = "bad_topic"
    /// A token is needed, wrong or expired.
    case unauthorized
    /// The user may not do that, or nobody may.
    case forbidden
    /// A frame over the limit.
    case tooLarge = "too_large"
    /// Over the configured rate.
    case rateLimited = "rate_limited"
    /// Over another configured limit.
    case overloaded
    /// A protocol version that the server does not speak.
    case unsupportedProtocol = "unsupported_protocol"
    /// The client does not read its replies.
    case tooSlow = "too_slow"
    /// The server is going.
    case shuttingDown = "shutting_down"
    /// The server is at fault.
    case `internal`

    /// Whether the connection closes after it. `tooLarge` closes on lines, where framing is lost;
    /// a WebSocket closes with 1009.
    public var closes: Bool {
        switch self {
        case .unauthorized, .tooLarge, .unsupportedProtocol, .tooSlow, .shuttingDown, .internal:
            true
        default: false
        }
    }
}

/// Why the server closes a connection: the `code` of `bye`.
public enum CloseReason: String, Sendable, Hashable, Codable, CaseIterable {
    /// The client ended its half and nothing is outstanding, or it asked to go.
    case done
    /// Nothing was heard for the configured time.
    case idle
    /// The same session came back on another connection.
    case replaced
    /// The first byte is of no protocol that is spoken here.
    case badFrame = "bad_frame"
    /// A token is needed, wrong or expired.
    case unauthorized
    /// A frame over the limit.
    case tooLarge = "too_large"
    /// A protocol version that the server does not speak.
    case unsupportedProtocol = "unsupported_protocol"
    /// The client does not read its replies.
    case tooSlow = "too_slow"
    /// The server has as many connections as it may.
    case overloaded
    /// The server is going.
    case shuttingDown = "shutting_down"
    /// The server is at fault.
    case `internal`

    /// The reason that goes with an error; nil where the connection stays.
    public init?(_ code: ErrorCode) {
        guard code.closes else { return nil }
        self.init(rawValue: code.rawValue)
    }

    /// Whether coming back makes sense: not where the same would happen again.
    public var reconnect: Bool {
        switch self {
        case .idle, .tooSlow, .overloaded, .shuttingDown, .internal: true
        case .done, .replaced, .badFrame, .unauthorized, .tooLarge, .unsupportedProtocol: false
        }
    }

    /// The close code of a WebSocket.
    public var webSocketCode: Int {
        switch self {
        case .done: 1000
        case .shuttingDown: 1001
        case .badFrame: 1002
        case .unauthorized: 1008
        case .tooLarge: 1009
        case .internal: 1011
        case .idle: 4000
        case .replaced: 4001
        case .unsupportedProtocol: 4002
        case .tooSlow: 4003
        case .overloaded: 4004
        }
    }
}
