/// What follows an action besides the new state: a value that says what to do, not a thing that
/// runs. The store starts it after the commit.
///
/// Sends, publishes and cancels are done at once by the store, without a task. Everything else runs
/// in a task of its own and never delays the next action. An effect without an id is listed as
/// `#<number>` and can be cancelled so.
///
/// Source: Swift-Rex (`Effect { emitter in }`, `just`, `many`, `delayed`, `stream`), RxCompose
/// (`send`, `run … catch`, `timer`, `interval`, `cancel`).
public struct Effect<Action: Sendable>: Sendable {
    let plan: Plan

    /// What an effect consists of. The store interprets it; see `StoreCore+Effects`.
    indirect enum Plan: Sendable {
        case none
        case send([Action])
        case publish(topic: String, event: any Sendable)
        case cancel(EffectID)
        case cancelAll
        case endScope(EffectScope)
        case endOwned([EffectOwner])
        case work(EffectWork<Action>)
        case sequence([Effect])
        case concurrent([Effect])
        case labelled(EffectLabel, Effect)
        case owned(EffectOwner, Effect)
        case retry(Effect, RetryPolicy<Action>)
        case repeating(Effect, Repetition)
        case throttle(Effect, Throttling)
        case reminder(Reminder<Action>)
        case fire(Action)
    }

    /// Nothing.
    public static var none: Effect { Effect(plan: .none) }

    /// Dispatches `action` behind whatever is queued.
    public static func send(_ action: Action) -> Effect {
        Effect(plan: .send([action]))
    }

    /// The same as `send`, as Swift-Rex calls it.
    public static func just(_ action: Action) -> Effect {
        Effect(plan: .send([action]))
    }

    /// Dispatches the actions in this order.
    public static func many(_ actions: Action...) -> Effect {
        Effect(plan: .send(actions))
    }

    /// Dispatches the actions in this order.
    public static func many(_ actions: [Action]) -> Effect {
        Effect(plan: .send(actions))
    }

    /// Publishes a typed event on the store's event bus, after the commit that it came with.
    public static func publish(topic: String, event: some Sendable) -> Effect {
        Effect(plan: .publish(topic: topic, event: event))
    }

    /// The same as `publish(topic:event:)`.
    public static func publish(_ topic: String, _ event: some Sendable) -> Effect {
        Effect(plan: .publish(topic: topic, event: event))
    }

    /// Ends every effect of the store that carries this id. What it still emits is dropped.
    public static func cancel(_ id: EffectID) -> Effect {
        Effect(plan: .cancel(id))
    }

    /// The same as `cancel(_:)`.
    public static func cancel(id: EffectID) -> Effect {
        Effect(plan: .cancel(id))
    }

    /// Ends every effect of the store.
    public static var cancelAll: Effect { Effect(plan: .cancelAll) }

    /// Ends every effect of exactly this scope.
    public static func endScope(_ scope: EffectScope) -> Effect {
        Effect(plan: .endScope(scope))
    }
}

extension Effect {
    /// True when the store can do it at once, without a task.
    var isInstant: Bool {
        switch plan {
        case .none, .send, .publish, .cancel, .cancelAll, .endScope, .endOwned, .fire: true
        case .work, .retry, .repeating, .throttle, .reminder: false
        case .sequence(let parts), .concurrent(let parts): parts.allSatisfy(\.isInstant)
        case .labelled(_, let inner), .owned(_, let inner): inner.isInstant
        }
    }

    /// What of it ends the effects of a scope, or of a part of the state; nil where nothing does.
    /// It follows from the state that was committed, so it is done whatever becomes of the rest.
    @usableFromInline
    var ending: Effect? {
        switch plan {
        case .endScope, .endOwned: return self
        case .owned(let owner, let inner):
            return inner.ending.map { Effect(plan: .owned(owner, $0)) }
        case .sequence(let parts), .concurrent(let parts):
            let endings = parts.compactMap(\.ending)
            return endings.isEmpty ? nil : Effect(plan: .concurrent(endings))
        default: return nil
        }
    }

    /// True for several at once, with or without a name around them.
    var isConcurrent: Bool {
        switch plan {
        case .concurrent: true
        case .labelled(_, let inner), .owned(_, let inner): inner.isConcurrent
        default: false
        }
    }

    /// True when it does not end by itself: a timer with a period, an interval, a stream, or
    /// anything with one of these as a part. Nobody waits for the end of such an effect.
    public var isLongLived: Bool {
        switch plan {
        case .none, .send, .publish, .cancel, .cancelAll, .endScope, .endOwned, .fire: false
        case .reminder: true
        case .work(let work): work.isLongLived
        case .sequence(let parts), .concurrent(let parts): parts.contains(where: \.isLongLived)
        case .labelled(_, let inner), .owned(_, let inner), .retry(let inner, _),
            .throttle(let inner, _):
            inner.isLongLived
        case .repeating(let inner, let repetition):
            repetition.count == nil || inner.isLongLived
        }
    }
}

/// The name and scope that a modifier puts on an effect.
struct EffectLabel: Sendable {
    var id: EffectID?
    var cancelInFlight = false
    var scope: EffectScope?
}

/// The one kind of effect that needs a task.
struct EffectWork<Action: Sendable>: Sendable {
    typealias Operation = @Sendable (EffectEmitter<Action>) async throws -> Void

    let isLongLived: Bool
    /// Called when the effect is registered, on the owner's thread: deadlines count from here.
    let prepare: @Sendable (any Clock<Duration>) -> Operation
    /// Called on the owner's thread with what the operation threw.
    let recover: (@Sendable (any Error) -> Effect<Action>)?
    /// It follows a sequence from outside, whose next element may come at any time.
    var isFollowing = false
}
