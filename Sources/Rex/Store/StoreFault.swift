/// What went wrong where nobody waits for an answer. A core reports it and goes on.
public enum StoreFault: Sendable {
    /// An effect threw, and it has no `catch`.
    case effectFailed(id: EffectID, error: any Error)
    /// An action that was queued, or that an effect dispatched, was refused.
    case actionRefused(origin: Origin, error: any Error)
    /// An effect was not started because as many run as may.
    case effectNotStarted(StoreLimitReached)
}
