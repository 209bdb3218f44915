import CUV
import Glibc

/// A thread that follows orders, in order, and sleeps while there are none.
///
/// For work that may block. To wake it costs one call of the kernel, and none while it is busy:
/// then it finds what has come meanwhile when it is done, all at once.
public final class Worker<Order: Sendable>: Sendable {
    private let queue: WorkQueue<Order>

    /// Starts the thread. It ends by itself, behind everything that was posted, when this goes.
    ///
    /// - Parameters:
    ///   - name: what `top -H` shows; at most 15 bytes.
    ///   - follow: called there with all orders that have come, at least one.
    public init(named name: String, follow: @escaping @Sendable ([Order]) -> Void) {
        let queue = WorkQueue<Order>()
        self.queue = queue
        Loop.detachThread(named: name) {
            while let orders = queue.takeAll() { follow(orders) }
        }
    }

    /// From any thread. How many may wait is for the caller to bound.
    public func post(_ order: Order) { queue.post(order) }

    deinit { queue.end() }
}

/// A monitor of pthread: Swift has no condition to wait for.
private final class WorkQueue<Order: Sendable>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let isFilled = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var orders: [Order] = []
    private var hasEnded = false

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(isFilled, nil)
    }

    private func locked<R>(_ body: () -> R) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    func post(_ order: Order) {
        locked { orders.append(order) }
        pthread_cond_signal(isFilled)
    }

    func end() {
        locked { hasEnded = true }
        pthread_cond_signal(isFilled)
    }

    /// Waits for orders; nil at the end.
    func takeAll() -> [Order]? {
        locked {
            while orders.isEmpty, !hasEnded { pthread_cond_wait(isFilled, mutex) }
            defer { orders = [] }
            return orders.isEmpty ? nil : orders
        }
    }

    deinit {
        pthread_cond_destroy(isFilled)
        pthread_mutex_destroy(mutex)
        isFilled.deallocate()
        mutex.deallocate()
    }
}
