/// What a store holds: a value that can be compared and handed to any thread.
///
/// Source: Swift-Rex.
public protocol Statable: Equatable, Sendable {}

/// What is asked of a store: a value that says what happened or what somebody wants.
///
/// Source: Swift-Rex.
public protocol Actionable: Sendable {}
