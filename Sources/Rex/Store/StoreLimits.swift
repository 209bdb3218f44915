/// The bounds of one `StoreCore`. What is over a bound is refused and reported to `onFault`.
public struct StoreLimits: Sendable, Hashable {
    /// Actions that wait behind the one being reduced (dispatched from inside, or by `.send`).
    public var queuedActions = 65_536
    /// Actions reduced in a row behind one dispatch: ends an action that sends itself for ever.
    public var chainedActions = 100_000
    /// Effects that run at one time, parts of sequences included.
    public var runningEffects = 100_000

    /// The bounds as they stand above.
    public init() {}
}
