public import FoundationEssentials
import Synchronization

/// What a reducer may know besides the state and the action.
public struct ReducerContext: Sendable {
    /// Who asked.
    public let origin: Origin
    /// The time of the action, in whole milliseconds.
    public let now: Date
    /// The revision that this action gets when it is not refused.
    public let revision: Int
    /// True where nothing is stored, nobody is told, and no effect starts.
    public let dryRun: Bool

    @usableFromInline let ids: IDSequence

    /// A context for tests and for reducing outside a store.
    public init(
        origin: Origin = .local, now: Date = Date(), revision: Int = 1, dryRun: Bool = false
    ) {
        self.init(
            origin: origin, now: now.inWholeMilliseconds, revision: revision, dryRun: dryRun,
            ids: IDSequence(prefix: ""))
    }

    @inlinable
    init(origin: Origin, now: Date, revision: Int, dryRun: Bool, ids: IDSequence) {
        self.origin = origin
        self.now = now
        self.revision = revision
        self.dryRun = dryRun
        self.ids = ids
    }

    /// An id that no other commit of this store gets: `<revision>-<n>`, n from 1 within the action,
    /// behind the store's `idPrefix`.
    ///
    /// Deterministic: reducing the same action at the same revision gives the same ids. Only for
    /// use while reducing; an effect that runs later must take the id with it.
    public func uniqueID() -> String {
        "\(ids.prefix)\(revision)-\(ids.next())"
    }
}

/// Counts the ids given out within one action. One object serves all actions of a store.
@usableFromInline
final class IDSequence: Sendable {
    let prefix: String
    private let last = Atomic<Int>(0)

    init(prefix: String) {
        self.prefix = prefix
    }

    func next() -> Int {
        last.add(1, ordering: .relaxed).newValue
    }

    @usableFromInline
    func restart() {
        last.store(0, ordering: .relaxed)
    }
}

extension Date {
    /// The same moment, cut to whole milliseconds since 1970, so that it survives RFC 3339.
    @usableFromInline
    var inWholeMilliseconds: Date {
        Date(timeIntervalSince1970: (timeIntervalSince1970 * 1000).rounded(.down) / 1000)
    }
}
