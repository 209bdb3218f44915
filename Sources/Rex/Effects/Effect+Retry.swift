extension Effect {
    /// Does `effect`, and does it again when it fails: at most `maxAttempts` times in all, and once
    /// at least, after waits that grow from `delay` by the factor `backoff` up to `delayLimit`.
    ///
    /// An effect fails when its operation, or that of a part of it, throws and has no `catch`; the
    /// parts that still run are then cancelled. What it sent before it failed has been sent.
    ///
    /// - Parameters:
    ///   - shouldRetry: asked on the owner's thread; false gives up at once.
    ///   - onError: told of the last error, on the owner's thread, when it is given up. The store's
    ///     `onFault` hears of it too, and a sequence that it is a step of ends.
    ///
    /// Source: Swift-Rex.
    public static func retry(
        _ effect: Effect, maxAttempts: Int = 3, delay: Duration = .seconds(1),
        backoff: Double = 2, delayLimit: Duration = .seconds(60),
        shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true },
        onError: @escaping @Sendable (any Error) -> Void = { _ in }
    ) -> Effect {
        Effect(
            plan: .retry(
                effect,
                RetryPolicy(
                    maxAttempts: maxAttempts, delay: delay, backoff: backoff,
                    delayLimit: delayLimit, shouldRetry: shouldRetry, onError: onError,
                    recover: nil)))
    }

    /// As `retry`, with the first wait in seconds.
    public static func retry(
        _ effect: Effect, maxAttempts: Int = 3, delay: Double, backoff: Double = 2,
        shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true },
        onError: @escaping @Sendable (any Error) -> Void = { _ in }
    ) -> Effect {
        retry(
            effect, maxAttempts: maxAttempts, delay: .seconds(delay), backoff: backoff,
            shouldRetry: shouldRetry, onError: onError)
    }

    /// As `retry`; when it is given up the last error becomes an action, so the effect has not
    /// failed.
    ///
    /// Source: Swift-Rex.
    public static func retryWithErrorAction(
        _ effect: Effect, maxAttempts: Int = 3, delay: Duration = .seconds(1),
        backoff: Double = 2, delayLimit: Duration = .seconds(60),
        shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true },
        errorAction: @escaping @Sendable (any Error) -> Action
    ) -> Effect {
        Effect(
            plan: .retry(
                effect,
                RetryPolicy(
                    maxAttempts: maxAttempts, delay: delay, backoff: backoff,
                    delayLimit: delayLimit, shouldRetry: shouldRetry, onError: { _ in },
                    recover: { .send(errorAction($0)) })))
    }

    /// As `retryWithErrorAction`, with the first wait in seconds.
    public static func retryWithErrorAction(
        _ effect: Effect, maxAttempts: Int = 3, delay: Double, backoff: Double = 2,
        shouldRetry: @escaping @Sendable (any Error) -> Bool = { _ in true },
        errorAction: @escaping @Sendable (any Error) -> Action
    ) -> Effect {
        retryWithErrorAction(
            effect, maxAttempts: maxAttempts, delay: .seconds(delay), backoff: backoff,
            shouldRetry: shouldRetry, errorAction: errorAction)
    }
}

/// How often an effect is tried, and what happens when it is given up.
struct RetryPolicy<Action: Sendable>: Sendable {
    let maxAttempts: Int
    let delay: Duration
    let backoff: Double
    let delayLimit: Duration
    let shouldRetry: @Sendable (any Error) -> Bool
    let onError: @Sendable (any Error) -> Void
    /// What takes the effect's place when it is given up; nil where it has failed then.
    let recover: (@Sendable (any Error) -> Effect<Action>)?

    /// The wait behind a failed attempt, the first being 1.
    func wait(after attempt: Int) -> Duration {
        let limit = min(max(delayLimit, .zero), longestWait)
        var wait = min(max(delay, .zero), limit)
        // A factor that leads beyond any wait would not fit a Duration; what is no number is 1.
        let factor = backoff > 1 ? min(backoff, 1_000_000) : 1
        for _ in 1..<max(attempt, 1) where wait < limit { wait = wait * factor }
        return min(wait, limit)
    }

    func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Action) -> Other
    ) -> RetryPolicy<Other> {
        var recoverOther: (@Sendable (any Error) -> Effect<Other>)?
        if let recover { recoverOther = { recover($0).map(transform) } }
        return RetryPolicy<Other>(
            maxAttempts: maxAttempts, delay: delay, backoff: backoff, delayLimit: delayLimit,
            shouldRetry: shouldRetry, onError: onError, recover: recoverOther)
    }
}
