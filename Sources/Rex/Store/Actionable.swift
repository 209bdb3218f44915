/// What a store can be asked to do: a value that says what happened, and nothing else.
///
/// Source: Swift-Rex.
public protocol Actionable: Sendable {}
