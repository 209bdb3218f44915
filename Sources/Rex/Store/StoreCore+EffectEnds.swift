extension StoreCore {
    /// Starts the next step of a sequence when the one before has ended; ends what has no more to
    /// do.
    func advance(_ strand: Strand<R.Action>) {
        // A loop: what ends may be the last part of a long row of parts of one another.
        var next: Strand<R.Action>? = strand
        while let strand = next, !strand.isHeld, !strand.isOver {
            startSteps(of: strand)
            if strand.isOver { return }
            guard strand.children.isEmpty else { return dissolve(strand) }
            close(strand)
            next = strand.parent
        }
    }

    private func startSteps(of strand: Strand<R.Action>) {
        strand.isHeld = true
        while strand.children.isEmpty, !strand.isOver {
            if strand.rest.isEmpty, let refill = strand.refill { strand.rest = refill()[...] }
            guard let step = strand.rest.popFirst() else { break }
            start(step, at: EffectPlace(inside: strand))
        }
        strand.isHeld = false
    }

    /// Leaves its parts to what it is a part of itself, where nothing else is left of it.
    private func dissolve(_ strand: Strand<R.Action>) {
        guard let stand = strand.stand else { return }
        for number in strand.children { table[number]?.move(to: stand) }
        close(strand)
    }

    func fail(_ strand: Strand<R.Action>, with error: any Error) {
        if let recover = strand.recover {
            strand.recover = nil
            spawn(strand.named(recover(error)), from: strand)
        } else {
            giveUp(strand, after: error)
        }
        if strand.isOver { return }
        strand.isHeld = false
        advance(strand)
    }

    /// What it is a part of has failed with it: that is done again where somebody said so;
    /// otherwise the steps behind are dropped, as they supposed that it would succeed.
    private func giveUp(_ strand: Strand<R.Action>, after error: any Error) {
        var dropped: [Strand<R.Action>] = []
        var above: Strand? = strand
        while let failed = above {
            if let retry = failed.retry, !failed.isOver {
                if tryAgain(retry.effect, of: failed, as: retry.policy, after: error) { return }
            }
            dropped.append(failed)
            above = failed.parent
        }
        onFault?(.effectFailed(id: strand.listed.label, error: error))
        for failed in dropped {
            failed.rest = []
            failed.refill = nil
        }
    }

    /// False where the effect has failed for good.
    private func tryAgain(
        _ effect: Effect<R.Action>, of strand: Strand<R.Action>, as policy: RetryPolicy<R.Action>,
        after error: any Error
    ) -> Bool {
        let attempt = strand.retry?.attempts ?? 1
        let steps: [Effect<R.Action>]
        if attempt < policy.maxAttempts && policy.shouldRetry(error) {
            strand.retry?.attempts += 1
            steps = [.pause(policy.wait(after: attempt)), effect]
        } else {
            strand.retry = nil
            policy.onError(error)
            guard let recover = policy.recover else { return false }
            steps = [recover(error)]
        }
        strand.isHeld = true
        endParts(of: strand)
        strand.rest = steps[...]
        strand.isHeld = false
        advance(strand)
        return true
    }

    /// Ends a strand and its parts; the sequence that it is a step of goes on.
    func cancel(_ strand: Strand<R.Action>) {
        strand.stop()
        endParts(of: strand)
        close(strand)
        if let parent = strand.parent { advance(parent) }
    }

    /// Ends the parts of a strand and theirs, the innermost first.
    private func endParts(of strand: Strand<R.Action>) {
        var parts = strand.children.compactMap { table[$0] }
        var known = 0
        while known < parts.count {
            parts[known].stop()
            parts += parts[known].children.compactMap { table[$0] }
            known += 1
        }
        for part in parts.reversed() { close(part) }
    }

    /// Out of the table first, then whoever waited is told: they may call the core again.
    private func close(_ strand: Strand<R.Action>) {
        strand.isOver = true
        didEnd(strand)
        strand.lease.end()
        strand.task?.cancel()
        table.remove(strand)
        strand.trail?.leave()
        strand.group?.leave()
    }
}
