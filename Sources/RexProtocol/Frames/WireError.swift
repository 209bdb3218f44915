import Rex

/// What is wrong with a frame: the content of an `error` reply.
public struct WireError: Error, Sendable, Hashable {
    /// The name of the fault.
    public var code: ErrorCode
    /// What was expected, what came, what the limit is, for a person.
    public var message: String
    /// The place in the frame; nil where no one place is at fault.
    public var at: JSONPointer?
    /// The store's present revision, with `conflict`.
    public var rev: Int?
    /// When to try again, with `rateLimited` and `overloaded`.
    public var retryMilliseconds: Int?
    /// Whether this is the answer that the first dispatch with the same key got.
    public var duplicate: Bool
    /// The subscription that the server has ended.
    public var sub: String?
    /// The listener that the server has ended.
    public var listen: String?

    /// Makes an error.
    public init(
        _ code: ErrorCode, _ message: String, at: JSONPointer? = nil, rev: Int? = nil,
        retryMilliseconds: Int? = nil, duplicate: Bool = false
    ) {
        self.code = code
        self.message = message
        self.at = at
        self.rev = rev
        self.retryMilliseconds = retryMilliseconds
        self.duplicate = duplicate
    }

    /// A text that is not JSON.
    public init(_ error: JSONError) {
        self.init(
            .badJSON, error.message, at: error.pointer.tokens.isEmpty ? nil : error.pointer)
    }

    /// JSON that is not an action.
    public init(_ error: ActionError) {
        self.init(error.code, error.message, at: error.at)
    }

    /// A text that is no topic or no pattern.
    public init(_ error: TopicError) {
        self.init(.badTopic, error.message, at: JSONPointer(tokens: ["topic"]))
    }
}
