extension Effect {
    /// One after the other: a step starts when the one before has ended. It is one effect: listed
    /// once, cancelled as a whole. A step that is cancelled by an id of its own counts as ended; a
    /// step that fails without a `catch` ends the sequence.
    public static func sequence(_ effects: Effect...) -> Effect { sequence(effects) }

    /// One after the other; see above.
    public static func sequence(_ effects: [Effect]) -> Effect {
        Effect(plan: .sequence(effects))
    }

    /// The actions in this order, as `many`.
    ///
    /// Source: Swift-Rex.
    @_disfavoredOverload
    public static func sequence(_ actions: Action...) -> Effect { .many(actions) }

    /// All at once, each an effect of its own.
    public static func concurrent(_ effects: Effect...) -> Effect { concurrent(effects) }

    /// All at once; see above.
    public static func concurrent(_ effects: [Effect]) -> Effect {
        Effect(plan: .concurrent(effects))
    }

    /// The same as `concurrent`.
    public static func merge(_ effects: Effect...) -> Effect { concurrent(effects) }

    /// The same as `concurrent`.
    public static func merge(_ effects: [Effect]) -> Effect { concurrent(effects) }

    /// All at once, as one effect: listed once, cancelled together, ended with the last.
    ///
    /// Source: Swift-Rex.
    public static func combine(_ effects: Effect...) -> Effect { combine(effects) }

    /// All at once, as one effect; see above.
    public static func combine(_ effects: [Effect]) -> Effect {
        Effect(plan: .labelled(EffectLabel(), .concurrent(effects)))
    }

    /// Names the effect. Around several it makes them one: listed once, cancelled together. Inside
    /// an effect that already has a name, both names hold.
    ///
    /// - Parameter cancelInFlight: first ends what runs under the same id.
    public func cancellable(id: EffectID, cancelInFlight: Bool = false) -> Effect {
        if case .labelled(var label, let inner) = plan, label.id == nil {
            label.id = id
            label.cancelInFlight = cancelInFlight
            return Effect(plan: .labelled(label, inner))
        }
        return Effect(plan: .labelled(EffectLabel(id: id, cancelInFlight: cancelInFlight), self))
    }

    /// Ties the effect to a scope: when that ends, the effect is cancelled. The innermost holds.
    public func scoped(to scope: EffectScope) -> Effect {
        if case .labelled(var label, let inner) = plan {
            guard label.scope == nil else { return self }
            label.scope = scope
            return Effect(plan: .labelled(label, inner))
        }
        return Effect(plan: .labelled(EffectLabel(scope: scope), self))
    }

    /// The same effect for a store with other actions: what a child's reducer returned becomes the
    /// parent's. Ids and scopes stay.
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Action) -> Other
    ) -> Effect<Other> {
        switch plan {
        case .none: .none
        case .send(let actions): .many(actions.map(transform))
        case .publish(let topic, let event):
            Effect<Other>(plan: .publish(topic: topic, event: event))
        case .cancel(let id): .cancel(id)
        case .cancelAll: .cancelAll
        case .endScope(let scope): .endScope(scope)
        case .endOwned(let owners): Effect<Other>(plan: .endOwned(owners))
        case .work(let work): Effect<Other>(plan: .work(work.map(transform)))
        case .sequence(let parts): .sequence(parts.map { $0.map(transform) })
        case .concurrent(let parts): .concurrent(parts.map { $0.map(transform) })
        case .labelled(let label, let inner):
            Effect<Other>(plan: .labelled(label, inner.map(transform)))
        case .owned(let owner, let inner):
            Effect<Other>(plan: .owned(owner, inner.map(transform)))
        case .retry(let inner, let policy):
            Effect<Other>(plan: .retry(inner.map(transform), policy.map(transform)))
        case .repeating(let inner, let repetition):
            Effect<Other>(plan: .repeating(inner.map(transform), repetition))
        case .throttle(let inner, let throttling):
            Effect<Other>(plan: .throttle(inner.map(transform), throttling))
        case .reminder(let reminder): Effect<Other>(plan: .reminder(reminder.map(transform)))
        case .fire(let action): Effect<Other>(plan: .fire(transform(action)))
        }
    }
}

extension EffectWork {
    fileprivate func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Action) -> Other
    ) -> EffectWork<Other> {
        let (prepare, recover) = (prepare, recover)
        var recoverOther: (@Sendable (any Error) -> Effect<Other>)?
        if let recover { recoverOther = { recover($0).map(transform) } }
        return EffectWork<Other>(
            isLongLived: isLongLived,
            prepare: { clock in
                let operation = prepare(clock)
                return { try await operation($0.accepting(transform)) }
            },
            recover: recoverOther, isFollowing: isFollowing)
    }
}
