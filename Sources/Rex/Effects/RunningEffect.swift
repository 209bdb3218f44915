/// An effect as it is listed.
public struct RunningEffect: Sendable, Hashable {
    /// Its id, or `#<number>` where it has none; `cancelEffect(id:)` takes both.
    public let id: EffectID
    /// When this ends, the effect is cancelled.
    public let scope: EffectScope
    /// The commit that started it.
    public let fromRevision: Int
    /// How many actions and effects it has sent so far, its parts included.
    public let emitted: Int
    /// How long it has been running.
    public let age: Duration

    /// Whether it does not end by itself.
    public let isLongLived: Bool

    /// An effect as a core lists it.
    public init(
        id: EffectID, scope: EffectScope, fromRevision: Int, emitted: Int, age: Duration,
        isLongLived: Bool = false
    ) {
        self.isLongLived = isLongLived
        self.id = id
        self.scope = scope
        self.fromRevision = fromRevision
        self.emitted = emitted
        self.age = age
    }
}
