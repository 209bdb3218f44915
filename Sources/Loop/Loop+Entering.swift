/// How a callback of the loop becomes code of the actor whose executor the loop is.
extension Actor {
    /// Runs `body` as this actor, at once, with what the callback brought.
    ///
    /// Only in a callback of the loop that is this actor's executor (anything else traps, see
    /// `Loop.checkIsolated`). The value is on the loop's thread and stays there, though its type
    /// does not tell the compiler so. 50 ns.
    @inlinable
    public nonisolated func enter<Value>(
        with value: Value, _ body: (isolated Self, Value) -> Void
    ) {
        withoutActuallyEscaping(body) { body in
            let carried = LoopBound((value, body))
            assumeIsolated { carried.value.1($0, carried.value.0) }
        }
    }
}

/// A value that belongs to the loop's thread, on its way within it.
@usableFromInline
struct LoopBound<Value>: @unchecked Sendable {
    @usableFromInline let value: Value
    @usableFromInline init(_ value: Value) { self.value = value }
}
