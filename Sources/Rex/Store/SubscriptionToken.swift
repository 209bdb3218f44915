import Synchronization

/// A subscription that somebody may end. Letting go of the token does not end it: a subscription
/// whose token is dropped lasts as long as what it was made on.
public final class SubscriptionToken: Sendable {
    private let cancelled = Atomic<Bool>(false)
    private let onCancel: @Sendable () -> Void

    init(onCancel: @escaping @Sendable () -> Void) {
        self.onCancel = onCancel
    }

    /// Ends the subscription: no call begins after this returns, except one that another thread was
    /// just about to make. The second time it does nothing.
    public func cancel() {
        if cancelled.exchange(true, ordering: .acquiringAndReleasing) { return }
        onCancel()
    }

    /// True once `cancel` was called.
    public var isCancelled: Bool { cancelled.load(ordering: .acquiring) }
}
