import RexProtocol

/// One client's wish to follow one place of one store.
///
/// It is *in step* while its client has (or will have, with what is in its outbox) the state of the
/// last cut at the path; otherwise it is *behind* and holds the state that the client has, from
/// which one merged patch will bring it up to date.
final class Subscription {
    /// Kept as long as it follows: a connection that ends takes its subscriptions back.
    let connection: Connection
    /// 3 stands for `s3`.
    let number: Int
    unowned let store: HostedStore
    private(set) unowned var watch: PathWatch
    let mode: ClientFrame.Mode
    /// At most one frame in so many milliseconds; 0 for no bound.
    let throttle: UInt64
    let slow: ClientFrame.Slow
    /// The revision that the client is at, or will be once its outbox is read.
    var sentRevision: Int
    /// The state that the client has, while it is behind.
    var base: (any StateSnapshot)?
    /// It shows another part than before: its next frame is a whole state.
    var owesState = false
    /// The loop's milliseconds before which no frame may go out.
    var notBefore: UInt64 = 0
    /// Where it stands in `watch.members`.
    var index = 0

    init(
        on connection: Connection, number: Int, store: HostedStore, watch: PathWatch,
        mode: ClientFrame.Mode,
        throttle: UInt64, slow: ClientFrame.Slow, sentRevision: Int
    ) {
        self.connection = connection
        self.number = number
        self.store = store
        self.watch = watch
        self.mode = mode
        self.throttle = throttle
        self.slow = slow
        self.sentRevision = sentRevision
    }

    fileprivate func follow(_ watch: PathWatch) { self.watch = watch }
}

/// Everybody who follows one place of one store and may see the same of it: the patch at a place is
/// made once for all of them.
final class PathWatch {
    let place: ReadPlace
    private(set) var members: [Subscription] = []

    init(_ place: ReadPlace) { self.place = place }

    func add(_ subscription: Subscription) {
        subscription.index = members.count
        members.append(subscription)
    }

    /// O(1): the last one takes the place of the one that leaves.
    func remove(_ subscription: Subscription) {
        let last = members.removeLast()
        if last !== subscription {
            members[subscription.index] = last
            last.index = subscription.index
        }
    }
}

/// The stores that the next cut has to look at, of one server.
final class TouchedStores {
    fileprivate var stores: [HostedStore] = []

    var isEmpty: Bool { stores.isEmpty }

    func takeAll() -> [HostedStore] {
        let list = stores
        stores.removeAll(keepingCapacity: true)
        for store in list { store.isTouched = false }
        return list
    }
}

/// A hosted store with everybody who follows it.
final class HostedStore {
    let host: any StoreHost
    /// The store whose permissions hold: its own name, or that of the store it is a fork of.
    let ruleName: String
    private(set) var watches: [ReadPlace: PathWatch] = [:]
    /// The state that every subscription in step has.
    var lastCut: any StateSnapshot
    /// Subscriptions that are behind and may get their frame at the next cut.
    var ready: [Subscription] = []
    /// It has commits that no cut has sent yet, or subscriptions that are ready.
    fileprivate var isTouched = false
    private let touched: TouchedStores
    /// It was at a revision that could not be stored.
    var hasGoneBack = false
    /// Tasks of the program that wait for a newer state.
    var waits: [ObjectIdentifier: CheckedContinuation<Void, Never>] = [:]

    /// - Parameters:
    ///   - ruleName: the store whose permissions hold for it.
    ///   - touched: where it stands once it has something for the next cut.
    init(_ host: any StoreHost, under ruleName: String, touched: TouchedStores) {
        self.host = host
        self.ruleName = ruleName
        self.touched = touched
        lastCut = host.snapshot
        host.onCommit = { [unowned self] in touch() }
    }

    /// The next cut has to look at it.
    func touch() {
        guard !isTouched else { return }
        isTouched = true
        touched.stores.append(self)
    }

    /// The watch at a place, made when it is the first.
    func watch(at place: ReadPlace) -> PathWatch {
        if let watch = watches[place] { return watch }
        let watch = PathWatch(place)
        watches[place] = watch
        return watch
    }

    /// Has a subscription follow the same place with another part of it.
    func move(_ subscription: Subscription, to place: ReadPlace) {
        leave(subscription)
        let watch = watch(at: place)
        subscription.follow(watch)
        watch.add(subscription)
    }

    /// Has the program's tasks look again whether there is a newer state.
    func wakeWaits() {
        let waiting = waits.values
        waits.removeAll()
        for continuation in waiting { continuation.resume() }
    }

    /// Takes a subscription out; a place that nobody follows any more is forgotten on the spot.
    func remove(_ subscription: Subscription) {
        leave(subscription)
        ready.removeAll { $0 === subscription }
    }

    private func leave(_ subscription: Subscription) {
        let watch = subscription.watch
        watch.remove(subscription)
        if watch.members.isEmpty { watches[watch.place] = nil }
    }
}
