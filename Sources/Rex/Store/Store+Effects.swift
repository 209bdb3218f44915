extension Store {
    /// Ends every effect with this id, behind what was dispatched before. `#7` means the effect
    /// without an id that is listed so.
    public func cancelEffect(id: EffectID) {
        turnstile.submit(.ask { _ = $0.core.cancelEffect(id: id) })
    }

    /// Ends every effect, behind what was dispatched before.
    public func cancelAllEffects() {
        turnstile.submit(.ask { _ = $0.core.cancelAllEffects() })
    }

    /// Ends every effect of exactly this scope, behind what was dispatched before.
    public func endScope(_ scope: EffectScope) {
        turnstile.submit(.ask { _ = $0.core.endScope(scope) })
    }

    /// The effects that run, in the order in which they started.
    public var effects: [RunningEffect] {
        get async { await ask { $0.core.runningEffects } }
    }

    /// The number of the last commit, behind what was dispatched before.
    public var revision: Int {
        get async { await ask { $0.core.revision } }
    }

    func ask<Answer: Sendable>(
        _ question: @escaping @Sendable (StoreDesk<R>) -> Answer
    ) async -> Answer {
        await withCheckedContinuation { continuation in
            turnstile.submit(.ask { continuation.resume(returning: question($0)) })
        }
    }
}
