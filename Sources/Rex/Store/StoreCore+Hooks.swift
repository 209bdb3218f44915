public import FoundationEssentials

extension StoreCore {
    /// As `process`, with every phase shown to every hook. An action that a hook aborts or the
    /// reducer refuses gets no further phase.
    @inlinable
    func processWithHooks(
        _ asked: R.Action, from origin: Origin, group: EffectGroup?, ifItChanges: Bool
    ) -> Outcome {
        let time = time()
        let seen = pipelineContext(for: origin)
        var action = asked
        var effects: [Effect<R.Action>] = []
        let next: R.State
        do {
            next = try reduceWithHooks(
                &action, effects: &effects, from: origin, at: time, seen: seen)
        } catch is ActionAborted {
            return .aborted
        } catch {
            return .refused(error)
        }
        if ifItChanges && next == current { return .unchanged }
        commit(next, action: action, travel: nil, from: origin, at: time)
        let revision = latest
        var ignored = action
        if !show({ _, effects in .willRunEffects(action, effects) }, &ignored, &effects, seen) {
            effects = effects.compactMap(\.ending)
        }
        runEffects(
            effects, of: action, revision: revision, group: group, seen: seen.withoutState)
        return .committed(revision)
    }

    @inlinable
    func reduceWithHooks(
        _ action: inout R.Action, effects: inout [Effect<R.Action>], from origin: Origin,
        at time: Date, seen: PipelineContext<R.Action, R.State>
    ) throws -> R.State {
        let before = current
        guard show({ action, _ in .willReceive(action) }, &action, &effects, seen),
            show({ action, _ in .willReduce(action, before) }, &action, &effects, seen)
        else { throw ActionAborted() }
        var next = before
        let reduced = action
        let own = try reducer._reduce(
            state: &next, action: reduced,
            context: context(for: origin, at: time, dryRun: seen.isDryRun))
        let after = next
        effects = effects.isEmpty ? own : own + effects
        // The reducer has spoken: to transform the action now would be a lie.
        var ignored = reduced
        guard
            show(
                { _, _ in .didReduce(reduced, before: before, after: after) }, &ignored, &effects,
                seen)
        else { throw ActionAborted() }
        return after
    }

    /// Shows one phase to every hook in order; false when one of them aborts.
    @inlinable
    func show(
        _ phase: (R.Action, [Effect<R.Action>]) -> PipelinePhase<R.Action, R.State>,
        _ action: inout R.Action, _ effects: inout [Effect<R.Action>],
        _ seen: PipelineContext<R.Action, R.State>
    ) -> Bool {
        for hook in hooks {
            switch hook.handle(phase: phase(action, effects), context: seen) {
            case .continue: continue
            case .transform(let other): action = other
            case .abort: return false
            case .appendEffects(let more): effects += more
            }
        }
        return true
    }

    /// Starts the effects; `didRunEffects` and `didComplete` come when those that end by themselves
    /// have ended: at once where there are none.
    @inlinable
    func runEffects(
        _ effects: [Effect<R.Action>], of action: R.Action, revision: Int, group: EffectGroup?,
        seen: PipelineContext<R.Action, R.State>
    ) {
        if !effects.isEmpty {
            let areAtWork = performWithTrail(
                effects, of: action, revision: revision, group: group, seen: seen)
            if areAtWork { return }
        }
        showEnd(of: action, revision: revision, seen: seen)
    }

    /// True where the end will be shown later.
    @usableFromInline
    func performWithTrail(
        _ effects: [Effect<R.Action>], of action: R.Action, revision: Int, group: EffectGroup?,
        seen: PipelineContext<R.Action, R.State>
    ) -> Bool {
        let trail = EffectGroup()
        trail.enter()
        perform(effects, of: revision, group: group, trail: trail)
        trail.leave()
        if trail.isEnded { return false }
        // The core holds the strands that hold the trail, so it outlives this closure's use.
        trail.onEnd = { [unowned self] in
            withDrain { showEnd(of: action, revision: revision, seen: seen) }
        }
        return true
    }

    /// The last two phases. Effects that a hook appends here start without phases of their own.
    @inlinable
    func showEnd(
        of action: R.Action, revision: Int, seen: PipelineContext<R.Action, R.State>
    ) {
        var ignored = action
        var effects: [Effect<R.Action>] = []
        _ = show({ _, _ in .didRunEffects(action) }, &ignored, &effects, seen)
        _ = show({ _, _ in .didComplete(action) }, &ignored, &effects, seen)
        if !effects.isEmpty { perform(effects, of: revision, group: nil) }
    }

    func dryRunWithHooks(
        _ asked: R.Action, from origin: Origin
    ) -> Result<R.State, any Error> {
        var action = asked
        var effects: [Effect<R.Action>] = []
        let seen = pipelineContext(for: origin, isDryRun: true)
        return Result {
            try reduceWithHooks(&action, effects: &effects, from: origin, at: time(), seen: seen)
        }
    }

    @inlinable
    func pipelineContext(
        for origin: Origin, isDryRun: Bool = false
    ) -> PipelineContext<R.Action, R.State> {
        PipelineContext(
            label: label, revision: latest + 1, origin: origin, isDryRun: isDryRun, state: current)
    }
}
