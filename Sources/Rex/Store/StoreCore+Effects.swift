extension StoreCore {
    /// What an event of a running effect says is done: its action is dispatched, its effect
    /// started, its end noted. Events of an effect that has ended or was cancelled are dropped.
    public func receive(_ event: EffectEvent<R.Action>) {
        guard let strand = table[event.number] else { return }
        strand.lease.didReceive()
        switch event.signal {
        case .action(let action):
            let listed = strand.listed
            listed.emitted += 1
            let origin = Origin.effect(listed.label)
            report(dispatch(action, from: origin, group: strand.group), of: origin)
        case .effect(let effect):
            strand.listed.emitted += 1
            withDrain { spawn(effect, from: strand) }
        case .ended:
            withDrain {
                strand.isHeld = false
                advance(strand)
            }
        case .failed(let error):
            withDrain { fail(strand, with: error) }
        }
    }

    /// The effects that run, in the order in which they started.
    public var runningEffects: [RunningEffect] {
        let elapsed = stopwatch()
        return table.listed.map { strand in
            RunningEffect(
                id: strand.label, scope: strand.scope, fromRevision: strand.fromRevision,
                emitted: strand.emitted, age: elapsed - strand.startedAt,
                isLongLived: strand.isLongLived)
        }
    }

    /// How many tasks of effects are at work or sleep, without those that follow a sequence. O(n).
    package var workingTasks: Int { table.workingTasks }

    /// Ends every effect with this id, or the one without an id that is listed as `#<number>`, and
    /// returns how many there were. Whatever they still emit is dropped.
    @discardableResult
    public func cancelEffect(id: EffectID) -> Int {
        cancel(table.numbers(withID: id))
    }

    /// Ends every effect and returns how many were listed.
    @discardableResult
    public func cancelAllEffects() -> Int {
        let count = table.listed.count
        cancel(table.roots)
        return count
    }

    /// Ends every effect of exactly this scope and returns how many there were.
    @discardableResult
    public func endScope(_ scope: EffectScope) -> Int {
        cancel(table.numbers(in: scope))
    }

    func cancelEffects(startedAfter revision: Int) {
        cancel(table.roots.filter { table[$0].map { $0.fromRevision > revision } ?? false })
    }

    /// Ends the effects that `group` waits for. O(effects that run).
    func cancelEffects(of group: EffectGroup) {
        cancel(table.numbers(of: group))
    }

    /// What a child names is its own: it does not end what others run under the same id.
    private func cancel(_ id: EffectID, within owners: [EffectOwner]) {
        var numbers = table.numbers(withID: id)
        if !owners.isEmpty {
            numbers.removeAll { table[$0]?.owners.starts(with: owners) != true }
        }
        cancel(numbers)
    }

    @discardableResult
    private func cancel(_ numbers: [UInt64]) -> Int {
        // What is being cancelled already is not there any more.
        let numbers = numbers.filter { table[$0]?.isOver == false }
        if numbers.isEmpty { return 0 }
        withDrain {
            for number in numbers {
                if let strand = table[number], !strand.isOver { cancel(strand) }
            }
        }
        return numbers.count
    }

    // MARK: - Starting

    /// Does the effects of a commit, in order.
    @usableFromInline
    func perform(
        _ effects: [Effect<R.Action>], of revision: Int, group: EffectGroup?,
        trail: EffectGroup? = nil
    ) {
        for effect in effects {
            start(
                effect, at: EffectPlace(revision: revision, group: group, trail: trail))
        }
    }

    func start(_ effect: Effect<R.Action>, at place: EffectPlace<R.Action>) {
        switch effect.plan {
        case .none:
            break
        case .send(let actions):
            send(actions, at: place)
        case .publish(let topic, let event):
            onEvent?(StoreEvent(topic: topic, value: event, revision: place.revision))
        case .cancel(let id):
            cancel(id, within: place.owners)
        case .cancelAll:
            if place.owners.isEmpty {
                cancelAllEffects()
            } else {
                cancel(table.numbers(ownedBy: place.owners))
            }
        case .endScope(let scope):
            endScope(scope)
        case .endOwned(let owners):
            for owner in owners { cancel(table.numbers(ownedBy: place.owners + [owner])) }
        case .owned(let owner, let inner):
            var place = place
            place.owners.append(owner)
            start(inner, at: place)
        case .concurrent(let parts):
            for part in parts { start(part, at: place) }
        case .sequence(let parts) where effect.isInstant:
            for part in parts { start(part, at: place) }
        case .throttle(let inner, let throttling):
            start(inner, throttled: throttling, of: effect, at: place)
        case .fire(let action): fire(action, at: place)
        case .work, .sequence, .retry, .repeating, .reminder:
            open(effect, label: EffectLabel(), at: place)
        case .labelled(let label, let inner):
            if label.cancelInFlight, let id = label.id { cancel(id, within: place.owners) }
            if inner.isInstant {
                start(inner, at: place)
            } else {
                open(inner, label: label, at: place)
            }
        }
    }

    private func send(_ actions: [R.Action], at place: EffectPlace<R.Action>) {
        let label: EffectID
        if let strand = place.parent {
            label = strand.listed.label
        } else {
            lastNumber += 1
            label = EffectID("#\(lastNumber)")
        }
        for action in actions {
            place.group?.enter()
            report(
                enqueue(
                    action, from: .effect(label), group: place.group, ifItChanges: false),
                of: .effect(label))
        }
    }

    /// Registers a strand for `effect`, then starts it.
    func open(
        _ effect: Effect<R.Action>, label: EffectLabel, at place: EffectPlace<R.Action>
    ) {
        guard table.count < limits.runningEffects else {
            onFault?(
                .effectNotStarted(
                    StoreLimitReached(bound: .runningEffects, limit: limits.runningEffects)))
            return
        }
        var place = place
        // What was cancelled on the way here can have no more parts.
        if place.parent?.isOver == true { place.parent = nil }
        if let scope = label.scope { place.scope = scope }
        lastNumber += 1
        let strand = Strand(
            number: lastNumber, id: label.id,
            isListed: place.parent == nil || label.id != nil || label.scope != nil,
            place: place, effect: effect, startedAt: stopwatch())
        table.insert(strand)
        strand.group?.enter()
        strand.trail?.enter()
        switch effect.plan {
        case .work(let work):
            launch(work, as: strand)
        case .reminder(let reminder):
            wait(for: reminder, as: strand)
        case .sequence(let steps):
            strand.rest = steps[...]
            advance(strand)
        case .concurrent(let parts):
            startParts(parts, of: strand)
        case .retry(let inner, let policy):
            strand.retry = (inner, policy, 1)
            startParts([inner], of: strand)
        case .repeating(let inner, let repetition):
            repeatedly(inner, as: repetition, in: strand)
        case .throttle(let inner, let throttling):
            let window = ThrottleWindow<R.Action>()
            strand.window = window
            launch(window.work(throttling.duration), as: strand)
            start(inner, at: EffectPlace(inside: strand))
        default:
            startParts([effect], of: strand)
        }
    }

    func startParts(_ parts: [Effect<R.Action>], of strand: Strand<R.Action>) {
        strand.isHeld = true
        for part in parts {
            if strand.isOver { return }
            start(part, at: EffectPlace(inside: strand))
        }
        strand.isHeld = false
        advance(strand)
    }

    func launch(_ work: EffectWork<R.Action>, as strand: Strand<R.Action>) {
        let operation = work.prepare(clock)
        let (number, lease, inbox) = (strand.number, strand.lease, inbox)
        let emitter = EffectEmitter<R.Action>(
            emit: { signal in
                guard lease.willSend() else { return }
                inbox(EffectEvent(number: number, signal: signal))
            },
            lease: lease, clock: clock)
        strand.recover = work.recover
        strand.isFollowing = work.isFollowing
        strand.isHeld = true
        strand.task = Task.detached {
            do {
                try await operation(emitter)
                emitter.emit(.ended)
            } catch {
                emitter.emit(.failed(error))
            }
        }
    }

    /// An effect that a running one asked for: a part of it, unless it alone would keep it from
    /// ending.
    func spawn(_ effect: Effect<R.Action>, from strand: Strand<R.Action>) {
        var place = EffectPlace(inside: strand)
        if effect.isLongLived && !strand.isLongLived { place.parent = nil }
        start(effect, at: place)
    }
}
