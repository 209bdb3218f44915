import Synchronization

/// A store core that the main actor owns: what a composer and a reactor run on.
///
/// Running effects, which speak from any thread, are heard on the main actor in the order in which
/// they spoke.
@MainActor
final class MainCore<R: Reducer> {
    let core: StoreCore<R>
    private let inbox: MainInbox<R.Action>

    init(
        initialState: R.State, reducer: R, hooks: [AnyPipelineHook<R.State, R.Action>] = [],
        label: String, clock: any Clock<Duration>, onFault: @escaping (StoreFault) -> Void
    ) {
        let inbox = MainInbox<R.Action>()
        let core = StoreCore(
            initialState: initialState, reducer: reducer, hooks: hooks, label: label, clock: clock,
            inbox: inbox.post)
        core.onFault = onFault
        self.inbox = inbox
        self.core = core
        inbox.owner = self
    }

    /// Dispatches; throws what it was refused with.
    func dispatch(_ action: R.Action, group: EffectGroup? = nil) throws {
        switch core.dispatch(action, group: group) {
        case .committed, .queued, .unchanged: break
        case .refused(let error): throw error
        case .aborted: throw ActionAborted()
        }
    }

    /// Returns when what was dispatched with the group of `wait` has ended. Where the task is
    /// cancelled its effects are, and this throws.
    func wait(_ wait: MainWait) async throws {
        if wait.group.pending == 0 { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait.group.onEnd = { continuation.resume() }
            }
        } onCancel: {
            Task { @MainActor in
                core.cancelEffect(id: wait.id)
                wait.end()
            }
        }
        try Task.checkCancellation()
    }
}

/// Somebody who waits for the effects of an action.
@MainActor
final class MainWait {
    /// What the effects are called that end when the wait is cancelled.
    let id: EffectID
    let group: EffectGroup
    /// What the action was refused with.
    var error: (any Error)?

    init(id: EffectID, forAll: Bool = false) {
        self.id = id
        group = EffectGroup(waitsForAll: forAll)
    }

    /// Waits no longer, whatever is left.
    func end() {
        guard let onEnd = group.onEnd else { return }
        group.onEnd = nil
        onEnd()
    }
}

/// The way from running effects to the main actor; they do not keep the core alive.
final class MainInbox<Action: Sendable>: Sendable {
    /// How many events wait; what is over that is dropped, counted and reported. Ends of effects
    /// are never dropped: there is one for each effect.
    static var limit: Int { 65_536 }

    private struct Line {
        var events: [EffectEvent<Action>] = []
        /// By the number of the effect.
        var dropped: [UInt64: Int] = [:]
        var isAwaited = false
    }

    private let line = Mutex(Line())
    @MainActor weak var owner: (any MainInboxOwner<Action>)?

    init() {}

    var post: @Sendable (EffectEvent<Action>) -> Void {
        { [self] event in
            let isFirst = line.withLock { line in
                Self.append(event, to: &line)
                defer { line.isAwaited = true }
                return !line.isAwaited
            }
            if isFirst { Task { @MainActor in drain() } }
        }
    }

    private static func append(_ event: EffectEvent<Action>, to line: inout Line) {
        switch event.signal {
        case .action, .effect:
            if line.events.count >= limit {
                line.dropped[event.number, default: 0] += 1
                return
            }
        default: break
        }
        line.events.append(event)
    }

    @MainActor
    private func drain() {
        let (events, dropped) = line.withLock { line in
            defer { line = Line() }
            return (line.events, line.dropped)
        }
        guard let owner else { return }
        var left = dropped
        for event in events {
            // An effect that has ended is known no more: first what was lost of it.
            if event.isLast, let count = left.removeValue(forKey: event.number) {
                owner.didDrop(count, from: event.number)
            }
            owner.receive(event)
        }
        for (number, count) in left { owner.didDrop(count, from: number) }
    }
}

/// Who hears what running effects have to say.
@MainActor
protocol MainInboxOwner<Action>: AnyObject {
    associatedtype Action: Sendable

    func receive(_ event: EffectEvent<Action>)
    func didDrop(_ count: Int, from number: UInt64)
}

extension MainCore: MainInboxOwner {
    typealias Action = R.Action

    func receive(_ event: EffectEvent<R.Action>) {
        core.receive(event)
    }

    func didDrop(_ count: Int, from number: UInt64) {
        core.didDrop(count, from: number, limit: MainInbox<R.Action>.limit)
    }
}

extension StoreCore {
    /// What an effect sent was more than the owner's inbox holds.
    func didDrop(_ count: Int, from number: UInt64, limit: Int) {
        guard let strand = table[number] else { return }
        for _ in 0..<count { strand.lease.didReceive() }
        onFault?(
            .actionRefused(
                origin: .effect(strand.listed.label),
                error: StoreLimitReached(bound: .queuedActions, limit: limit)))
    }
}
