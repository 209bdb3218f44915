/// What a reducer throws to refuse an action: nothing changes, no revision is taken.
///
/// A reducer may throw any error; `description` is what the client reads.
public struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// For a person: what was expected, what came.
    public let message: String

    /// A refusal that says why.
    public init(_ message: String) {
        self.message = message
    }

    /// A refusal that says why.
    public init(message: String) {
        self.message = message
    }

    /// The message, and nothing else.
    public var description: String { message }
}

/// A hook stopped the action: nothing changed, no revision was taken.
public struct ActionAborted: Error, Sendable, Hashable, CustomStringConvertible {
    /// An abort; which hook it was, the hook knows.
    public init() {}

    /// What a person reads.
    public var description: String { "a hook aborted the action" }
}

/// A bound of `StoreLimits` was met, so what was asked was not done.
public struct StoreLimitReached: Error, Sendable, Hashable, CustomStringConvertible {
    /// The bounds that a core keeps.
    public enum Bound: String, Sendable, Hashable {
        /// Named as in `StoreLimits`.
        case queuedActions, chainedActions, runningEffects
    }

    /// Which one.
    public let bound: Bound
    /// How many there may be.
    public let limit: Int

    /// `limit` is met.
    public init(bound: Bound, limit: Int) {
        self.bound = bound
        self.limit = limit
    }

    /// What a person reads.
    public var description: String { "\(bound.rawValue) is at its limit of \(limit)" }
}
