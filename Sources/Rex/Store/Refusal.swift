/// What a reducer throws to refuse an action: nothing changes, no revision is taken.
///
/// A reducer may throw any error; `description` is what the client reads.
public struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// For a person: what was expected, what came.
    public let message: String

    public init(_ message: String) {
        self.message = message
    }

    public init(message: String) {
        self.message = message
    }

    public var description: String { message }
}

/// A hook stopped the action: nothing changed, no revision was taken.
public struct ActionAborted: Error, Sendable, Hashable, CustomStringConvertible {
    public init() {}

    public var description: String { "a hook aborted the action" }
}

/// A bound of `StoreLimits` was met, so what was asked was not done.
public struct StoreLimitReached: Error, Sendable, Hashable, CustomStringConvertible {
    /// The bounds that a core keeps.
    public enum Bound: String, Sendable, Hashable {
        case queuedActions, chainedActions, runningEffects
    }

    public let bound: Bound
    public let limit: Int

    public init(bound: Bound, limit: Int) {
        self.bound = bound
        self.limit = limit
    }

    public var description: String { "\(bound.rawValue) is at its limit of \(limit)" }
}
