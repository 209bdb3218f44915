public import FoundationEssentials

/// One step of a store, done: an action reduced, or a travel. Everybody who watches sees it once.
public struct Commit<State: Statable, Action: Actionable>: Sendable {
    /// The number of the commit: 1 more than the one before.
    public let revision: Int
    /// What was reduced; nil when the commit is a travel.
    public let action: Action?
    /// How the cursor moved; nil when the commit is an action.
    public let travel: Travel?
    /// Who asked.
    public let origin: Origin
    /// The state before. Keeping it costs nothing but what the reducer then had to copy.
    public let previous: State
    /// The state at `revision`.
    public let state: State
    /// When it was reduced, in whole milliseconds: the `now` that the reducer saw.
    public let time: Date

    /// A commit as the core makes it.
    @inlinable
    public init(
        revision: Int, action: Action?, travel: Travel? = nil, origin: Origin, previous: State,
        state: State, time: Date
    ) {
        self.revision = revision
        self.action = action
        self.travel = travel
        self.origin = origin
        self.previous = previous
        self.state = state
        self.time = time
    }
}

/// A move of the cursor over the states. It starts no effect and ends none.
public struct Travel: Sendable, Hashable, Codable {
    /// How the cursor moved.
    public enum Op: String, Sendable, Hashable, Codable {
        /// As the wire says it.
        case undo, redo, jump
    }

    /// How it moved.
    public let op: Op
    /// The revision whose state is now the store's.
    public let to: Int

    /// A move to the state at revision `to`.
    public init(op: Op, to: Int) {
        self.op = op
        self.to = to
    }
}
