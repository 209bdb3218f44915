extension StoreCore {
    /// Starts the next step of a sequence when the one before has ended; ends what has no more to
    /// do.
    func advance(_ strand: Strand<R.Action>) {
        if strand.isHeld || strand.isOver { return }
        strand.isHeld = true
        while strand.children.isEmpty, !strand.isOver {
            if strand.rest.isEmpty, let refill = strand.refill { strand.rest = refill()[...] }
            guard let step = strand.rest.popFirst() else { break }
            start(step, at: EffectPlace(inside: strand))
        }
        strand.isHeld = false
        if !strand.isOver && strand.children.isEmpty { end(strand) }
    }

    private func end(_ strand: Strand<R.Action>) {
        close(strand)
        if let parent = strand.parent { advance(parent) }
    }

    func fail(_ strand: Strand<R.Action>, with error: any Error) {
        if let recover = strand.recover {
            strand.recover = nil
            spawn(recover(error), from: strand)
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
        cancelParts(of: strand)
        end(strand)
    }

    private func cancelParts(of strand: Strand<R.Action>) {
        strand.isOver = true
        strand.rest = []
        strand.refill = nil
        endParts(of: strand)
    }

    private func endParts(of strand: Strand<R.Action>) {
        for number in strand.children {
            guard let child = table[number] else { continue }
            cancelParts(of: child)
            close(child)
        }
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
