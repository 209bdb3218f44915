import Synchronization

/// Somebody who waits for the effects of an action.
final class StoreWait: Sendable {
    private let cancelled = Atomic<Bool>(false)

    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() {
        cancelled.store(true, ordering: .releasing)
    }
}

/// Those who wait for effects of a store.
@usableFromInline
final class StoreWaits {
    private struct Entry {
        let group: EffectGroup
        let continuation: CheckedContinuation<Int, any Error>
    }

    private var all: [ObjectIdentifier: Entry] = [:]

    @usableFromInline init() {}

    /// Resumes with `revision` once what `group` waits for has ended.
    func add(
        _ wait: StoreWait, for group: EffectGroup, revision: Int,
        _ continuation: CheckedContinuation<Int, any Error>
    ) {
        all[ObjectIdentifier(wait)] = Entry(group: group, continuation: continuation)
        group.onEnd = { [self] in take(wait)?.continuation.resume(returning: revision) }
    }

    /// Ends a wait with an error, and returns what it waited for; nil where it has ended.
    func cancel(_ wait: StoreWait) -> EffectGroup? {
        guard let entry = take(wait) else { return nil }
        entry.group.onEnd = nil
        entry.continuation.resume(throwing: CancellationError())
        return entry.group
    }

    private func take(_ wait: StoreWait) -> Entry? {
        all.removeValue(forKey: ObjectIdentifier(wait))
    }
}

extension Store {
    /// Has `action` reduced and waits for its effects; see `send`.
    func sendAndWait(_ action: R.Action, from origin: Origin) async throws -> Int {
        let wait = StoreWait()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                turnstile.submit(.ask { $0.send(action, from: origin, as: wait, continuation) })
            }
        } onCancel: {
            wait.cancel()
            // Not here: a reducer could then run within the handler.
            Task { [turnstile] in turnstile.submit(.ask { $0.cancel(wait) }) }
        }
    }
}

extension StoreDesk {
    /// Dispatches for somebody who waits for the effects too.
    func send(
        _ action: R.Action, from origin: Origin, as wait: StoreWait,
        _ continuation: CheckedContinuation<Int, any Error>
    ) {
        if wait.isCancelled { return continuation.resume(throwing: CancellationError()) }
        let group = EffectGroup()
        if let revision = revision(
            of: core.dispatch(action, from: origin, group: group), for: continuation)
        {
            waits.add(wait, for: group, revision: revision, continuation)
        }
    }

    func cancel(_ wait: StoreWait) {
        if let group = waits.cancel(wait) { core.cancelEffects(of: group) }
    }

    /// The number of the commit; where there is none, `continuation` gets to know why.
    func revision(
        of outcome: Outcome, for continuation: CheckedContinuation<Int, any Error>
    ) -> Int? {
        switch outcome {
        case .committed(let revision): return revision
        case .refused(let error): continuation.resume(throwing: error)
        case .aborted: continuation.resume(throwing: ActionAborted())
        case .unchanged, .queued:
            preconditionFailure("a job of the store was done from inside another")
        }
        return nil
    }
}
