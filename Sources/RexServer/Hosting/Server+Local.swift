import Rex
import RexProtocol

/// What the program itself asks of the stores that it hosts.
extension Server {
    func dispatch<State, Action>(
        _ action: Action, on store: LocalStore<State, Action>, waitForEffects: Bool
    ) async throws -> Int {
        if phase == .saying || phase == .stopped { throw ServerStopped() }
        let group = waitForEffects ? EffectGroup() : nil
        guard let hosted = stores[store.name] else { throw ServerStopped() }
        try checkStorageForProgram(of: hosted)
        let revision = try host(of: store).dispatch(action, group)
        try await waitUntilStored(hosted)
        if let group, !group.isEnded {
            await withCheckedContinuation { continuation in
                group.onEnd = { continuation.resume() }
            }
        }
        return revision
    }

    func snapshot<State, Action>(
        of store: LocalStore<State, Action>
    ) -> LocalStore<State, Action>.Snapshot {
        host(of: store).present()
    }

    func effects<State, Action>(of store: LocalStore<State, Action>) -> [RunningEffect] {
        stores[store.name]?.host.effects ?? []
    }

    func cancelEffect<State, Action>(
        _ id: EffectID, of store: LocalStore<State, Action>
    ) -> Int {
        stores[store.name]?.host.cancel(effect: id.rawValue) ?? 0
    }

    /// The present state, once it is another than that at `revision`; nil when the server has
    /// stopped or the task is cancelled.
    nonisolated func snapshot<State, Action>(
        of store: LocalStore<State, Action>, after revision: Int?
    ) async -> LocalStore<State, Action>.Snapshot? {
        let wait = Wait()
        return await withTaskCancellationHandler {
            await newSnapshot(of: store, after: revision, wait)
        } onCancel: {
            Task { await end(wait, on: store.name) }
        }
    }

    private func newSnapshot<State, Action>(
        of store: LocalStore<State, Action>, after revision: Int?, _ wait: Wait
    ) async -> LocalStore<State, Action>.Snapshot? {
        while !Task.isCancelled {
            let present = host(of: store).present()
            if present.revision != revision { return present }
            guard phase != .stopped, let hosted = stores[store.name] else { return nil }
            await withCheckedContinuation { continuation in
                // Asked again: the loop may have turned on the way into this closure.
                if Task.isCancelled || phase == .stopped || hosted.host.revision != revision {
                    continuation.resume()
                } else {
                    hosted.waits[ObjectIdentifier(wait)] = continuation
                }
            }
        }
        return nil
    }

    private func end(_ wait: Wait, on name: String) {
        stores[name]?.waits.removeValue(forKey: ObjectIdentifier(wait))?.resume()
    }

    /// One task's wait for a newer state.
    private final class Wait: Sendable {}

    private func host<State, Action>(
        of store: LocalStore<State, Action>
    ) -> LocalHost<State, Action> {
        guard let host = stores[store.name]?.host.local as? LocalHost<State, Action> else {
            preconditionFailure("\(store.name) was hosted with other types than \(State.self)")
        }
        return host
    }
}

/// What a hosted store is for the program, which knows its state and its actions and not its
/// reducer. A class of its own: to find it costs 0.1 µs, by a protocol with both types 18.
final class LocalHost<State: Statable, Action: Actionable> {
    /// The present state.
    let present: () -> LocalStore<State, Action>.Snapshot
    /// Has an action of the program reduced and returns its revision; throws why it was not.
    let dispatch: (Action, EffectGroup?) throws -> Int

    init(
        present: @escaping () -> LocalStore<State, Action>.Snapshot,
        dispatch: @escaping (Action, EffectGroup?) throws -> Int
    ) {
        self.present = present
        self.dispatch = dispatch
    }
}

extension TypedHost {
    func makeLocal() -> LocalHost<State, Action> {
        LocalHost(
            present: { [unowned self] in
                .init(revision: current.revision, state: current.state)
            },
            dispatch: { [unowned self] action, group in
                try dispatchLocal(action, group: group)
            })
    }

    private func dispatchLocal(_ action: Action, group: EffectGroup?) throws -> Int {
        switch core.dispatch(action, from: .local, group: group) {
        case .committed(let revision): return revision
        case .refused(let error): throw error
        case .aborted: throw ActionAborted()
        case .unchanged, .queued:
            preconditionFailure("the store \(name) was busy on its own loop")
        }
    }
}

// MARK: Events

extension Server {
    /// Publishes an event of the program's own, to everybody who listens at the end of this turn;
    /// its frame has no `from`.
    ///
    /// - Parameters:
    ///   - topic: not under `$`, which is the server's, and not under the name of a store, whose
    ///     reducer publishes there by `Effect.publish`.
    ///   - data: encoded once for all listeners.
    /// - Returns: how many listen. Nobody does once the server has stopped.
    /// - Throws: `PublishingError` for such a topic, or data that cannot be written as JSON.
    @discardableResult
    public func publish(
        topic: String, data: some Encodable & Sendable
    ) throws(PublishingError) -> Int {
        let parsed: Topic
        do throws(TopicError) { parsed = try Topic(topic) } catch {
            throw PublishingError("\(error)")
        }
        if let owner = owner(of: parsed) { throw PublishingError(owner) }
        do {
            return publish(parsed, try RawJSON(encoding: data), from: .server)
        } catch {
            throw PublishingError("data for \(topic) cannot be written as JSON: \(error)")
        }
    }

    /// Whose a topic is, in words, where it is not for everybody to publish to.
    func owner(of topic: Topic) -> String? {
        let first = topic.firstToken
        if first.hasPrefix("$") { return "topics under $ are the server's own" }
        // A fork's name is chosen by whoever makes it, and takes nothing from anybody.
        guard let store = stores[first], store.ruleName == first else { return nil }
        return "topics under \(first) are the store's own"
    }
}

/// An event that cannot be published, in a person's words.
public struct PublishingError: Error, CustomStringConvertible {
    public let description: String
    init(_ text: String) { description = text }
}
