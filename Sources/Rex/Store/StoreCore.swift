public import FoundationEssentials

/// The heart of a store: reduces one action at a time, in a total order, and starts the effects.
///
/// Synchronous and not Sendable: it belongs to one owner (the server's loop, or the drain of a
/// `Store`), which calls it from one thread at a time and hands it what `inbox` was given. Nothing
/// in it waits, locks or hops; an action without hooks and effects allocates nothing.
public final class StoreCore<R: Reducer> {
    /// What it holds.
    public typealias State = R.State
    /// What it reduces.
    public typealias Action = R.Action

    /// Every commit once, in order, before the events and effects of that commit. A dispatch from
    /// inside queues.
    public var onCommit: ((borrowing Commit<R.State, R.Action>) -> Void)?
    /// Events that were published with a commit, after its `onCommit`.
    public var onEvent: ((StoreEvent) -> Void)?
    /// A reminder begins to wait, or (nil) waits no more: before the commit of its action, where it
    /// was due.
    public var onReminder: ((EffectID, Reminder<R.Action>?) -> Void)?
    /// What went wrong where nobody waits for an answer.
    public var onFault: ((StoreFault) -> Void)?

    /// Names the store to hooks.
    public let label: String
    /// Its bounds.
    public let limits: StoreLimits

    @usableFromInline var current: R.State
    @usableFromInline var latest: Int
    @usableFromInline let reducer: R
    @usableFromInline let hooks: [AnyPipelineHook<R.State, R.Action>]
    @usableFromInline let now: @Sendable () -> Date
    @usableFromInline let ids: IDSequence
    @usableFromInline var queue = Fifo<Queued>()
    /// True while something is being reduced: what is dispatched meanwhile queues.
    @usableFromInline var isBusy = false

    let clock: any Clock<Duration>
    let stopwatch: () -> Duration
    let inbox: @Sendable (EffectEvent<R.Action>) -> Void
    var table = EffectTable<R.Action>()
    var lastNumber: UInt64 = 0

    @usableFromInline
    struct Queued {
        @usableFromInline let action: R.Action
        @usableFromInline let origin: Origin
        @usableFromInline let group: EffectGroup?
        @usableFromInline let ifItChanges: Bool

        @inlinable
        init(action: R.Action, origin: Origin, group: EffectGroup?, ifItChanges: Bool) {
            self.action = action
            self.origin = origin
            self.group = group
            self.ifItChanges = ifItChanges
        }
    }

    /// - Parameters:
    ///   - revision: of `initialState`; not 0 where a journal restored it.
    ///   - label: names the store to hooks.
    ///   - idPrefix: stands in front of every `ReducerContext.uniqueID()`. A copy of a store needs
    ///     one of its own, as its revisions begin again.
    ///   - clock: what timers and delays sleep by.
    ///   - now: the time that reducers and commits see, cut to whole milliseconds.
    ///   - inbox: called by running effects on any thread. The owner calls `receive` with each
    ///     event, in the order in which they came, where it calls everything else.
    public init(
        initialState: R.State, reducer: R, revision: Int = 0,
        hooks: [AnyPipelineHook<R.State, R.Action>] = [], label: String = "Rex",
        idPrefix: String = "", limits: StoreLimits = StoreLimits(),
        clock: any Clock<Duration> = SystemClock(),
        now: @escaping @Sendable () -> Date = { Date() },
        inbox: @escaping @Sendable (EffectEvent<R.Action>) -> Void
    ) {
        self.current = initialState
        self.latest = revision
        self.reducer = reducer
        self.hooks = hooks
        self.label = label
        self.ids = IDSequence(prefix: idPrefix)
        self.limits = limits
        self.clock = clock
        self.stopwatch = Self.stopwatch(on: clock)
        self.now = now
        self.inbox = inbox
    }

    deinit {
        for strand in table.strands.values {
            strand.lease.end()
            strand.task?.cancel()
            strand.letGoOfParent()
        }
    }

    /// The state at `revision`.
    @inlinable public var state: R.State { current }

    /// The number of the last commit; 0 is the initial state.
    @inlinable public var revision: Int { latest }

    /// Reduces `action` now, then everything that queued behind it (dispatched from inside, or sent
    /// by effects), and returns what became of `action`. Called from inside a reducer, a hook or an
    /// observer it queues and returns `.queued`.
    ///
    /// - Parameters:
    ///   - group: waits for the effects of the action.
    ///   - ifItChanges: commit only where the state becomes another (`.unchanged` otherwise).
    @inlinable
    @discardableResult
    public func dispatch(
        _ action: R.Action, from origin: Origin = .local, group: EffectGroup? = nil,
        ifItChanges: Bool = false
    ) -> Outcome {
        group?.enter()
        if isBusy {
            return enqueue(action, from: origin, group: group, ifItChanges: ifItChanges)
        }
        isBusy = true
        let outcome = process(action, from: origin, group: group, ifItChanges: ifItChanges)
        if !queue.isEmpty { drainQueue() }
        isBusy = false
        group?.leave()
        return outcome
    }

    /// What the state would be. Nothing is stored, nobody is told, no effect starts, no revision is
    /// taken; hooks see `willReceive`, `willReduce` and `didReduce` with `isDryRun`.
    public func dryRun(
        _ action: R.Action, from origin: Origin = .local
    ) -> Result<R.State, any Error> {
        if !hooks.isEmpty { return dryRunWithHooks(action, from: origin) }
        var next = current
        do {
            _ = try reducer._reduce(
                state: &next, action: action,
                context: context(for: origin, at: time(), dryRun: true))
            return .success(next)
        } catch {
            return .failure(error)
        }
    }

    /// Makes `state` the store's in one commit and returns its revision. No hook sees it, no effect
    /// starts and none ends. Not from inside a reducer, a hook or an observer.
    @discardableResult
    public func travel(
        to state: R.State, as travel: Travel, from origin: Origin = .local
    ) -> Int {
        precondition(!isBusy, "travel (\(travel)) from inside a reducer, a hook or an observer")
        withDrain {
            commit(state, action: nil, travel: travel, from: origin, at: time())
        }
        return latest
    }

    /// Takes back every commit after `revision` as if it had not been, for an owner that could not
    /// keep them: the state is that of `revision` again, effects that those commits started are
    /// ended. Nobody is told. Not from inside a reducer, a hook or an observer.
    public func goBack(to state: R.State, revision: Int) {
        precondition(!isBusy, "a way back from inside a reducer, a hook or an observer")
        precondition(revision <= latest, "revision \(revision) is still to come")
        cancelEffects(startedAfter: revision)
        current = state
        latest = revision
    }

    // MARK: - One action

    @inlinable
    func process(
        _ action: R.Action, from origin: Origin, group: EffectGroup?, ifItChanges: Bool
    ) -> Outcome {
        if !hooks.isEmpty {
            return processWithHooks(action, from: origin, group: group, ifItChanges: ifItChanges)
        }
        let time = time()
        var next = current
        let effects: [Effect<R.Action>]
        do {
            effects = try reducer._reduce(
                state: &next, action: action, context: context(for: origin, at: time))
        } catch {
            return .refused(error)
        }
        if ifItChanges && next == current { return .unchanged }
        commit(next, action: action, travel: nil, from: origin, at: time)
        let revision = latest
        if !effects.isEmpty { perform(effects, of: revision, group: group) }
        return .committed(revision)
    }

    /// The one place where the state changes.
    @inlinable
    func commit(
        _ next: consuming R.State, action: R.Action?, travel: Travel?, from origin: Origin,
        at time: Date
    ) {
        latest += 1
        swap(&current, &next)
        guard let onCommit else { return }
        onCommit(
            Commit(
                revision: latest, action: action, travel: travel, origin: origin,
                previous: next, state: current, time: time))
    }

    @inlinable
    func context(for origin: Origin, at time: Date, dryRun: Bool = false) -> ReducerContext {
        ids.restart()
        return ReducerContext(
            origin: origin, now: time, revision: latest + 1, dryRun: dryRun, ids: ids)
    }

    @inlinable
    func time() -> Date { now().inWholeMilliseconds }

    // MARK: - The queue

    @usableFromInline
    func enqueue(
        _ action: R.Action, from origin: Origin, group: EffectGroup?, ifItChanges: Bool
    ) -> Outcome {
        guard queue.count < limits.queuedActions else {
            group?.leave()
            return .refused(
                StoreLimitReached(bound: .queuedActions, limit: limits.queuedActions))
        }
        queue.append(
            Queued(action: action, origin: origin, group: group, ifItChanges: ifItChanges))
        return .queued
    }

    /// Reduces what is queued until nothing is; what is more than a chain may have is refused.
    @inlinable
    func drainQueue() {
        var count = 0
        while let next = queue.popFirst() {
            count += 1
            let outcome =
                count > limits.chainedActions
                ? .refused(
                    StoreLimitReached(bound: .chainedActions, limit: limits.chainedActions))
                : process(
                    next.action, from: next.origin, group: next.group,
                    ifItChanges: next.ifItChanges)
            report(outcome, of: next.origin)
            next.group?.leave()
        }
    }

    /// Tells of a refusal that nobody else hears of.
    @inlinable
    func report(_ outcome: Outcome, of origin: Origin) {
        if case .refused(let error) = outcome {
            onFault?(.actionRefused(origin: origin, error: error))
        }
    }

    /// Does `body`, then what it queued; inside other work the queue is left to that.
    func withDrain<Result>(_ body: () -> Result) -> Result {
        if isBusy { return body() }
        isBusy = true
        let result = body()
        drainQueue()
        isBusy = false
        return result
    }

    private static func stopwatch<C: Clock>(
        on clock: C
    ) -> () -> Duration where C.Duration == Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
