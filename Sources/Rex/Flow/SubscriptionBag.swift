import Synchronization

/// Subscriptions that end together: when the bag goes away, or with `cancel`.
///
/// Any thread may use it.
///
/// Source: what `DisposeBag` is to RxCompose, and a set of `AnyCancellable` to GoodReactor.
public final class SubscriptionBag: Sendable {
    private let tokens = Mutex<[SubscriptionToken]>([])

    /// An empty bag.
    public init() {}

    deinit {
        for token in tokens.withLock({ $0 }) { token.cancel() }
    }

    /// How many subscriptions are in it that nobody has ended.
    public var count: Int {
        tokens.withLock { tokens in tokens.count { !$0.isCancelled } }
    }

    /// Has `token` end with the bag. What was ended by hand is let go of; O(1) on average.
    public func insert(_ token: SubscriptionToken) {
        tokens.withLock { tokens in
            // Only now and then, as the array has to grow.
            if tokens.count == tokens.capacity { tokens.removeAll { $0.isCancelled } }
            tokens.append(token)
        }
    }

    /// Ends every subscription in it; the bag can be used again.
    public func cancel() {
        let ended = tokens.withLock { tokens in
            let ended = tokens
            tokens = []
            return ended
        }
        for token in ended { token.cancel() }
    }
}

extension SubscriptionToken {
    /// Has the subscription end with `bag`.
    ///
    /// Source: RxCompose, by way of RxSwift.
    public func disposed(by bag: SubscriptionBag) {
        bag.insert(self)
    }

    /// Has the subscription end with `bag`.
    ///
    /// Source: GoodReactor, by way of Combine.
    public func store(in bag: inout SubscriptionBag) {
        bag.insert(self)
    }
}
