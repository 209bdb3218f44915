extension StoreCore {
    /// Lets an effect through, or leaves it to the window that is open for its id.
    func start(
        _ effect: Effect<R.Action>, throttled throttling: Throttling,
        of whole: Effect<R.Action>, at place: EffectPlace<R.Action>
    ) {
        for number in table.numbers(withID: throttling.id) {
            guard let strand = table[number], !strand.isOver, strand.owners == place.owners,
                let window = strand.window
            else { continue }
            if window.hold(effect, latest: throttling.latest) { return }
        }
        open(whole, label: EffectLabel(id: throttling.id), at: place)
    }

    /// Does an effect, and again a while after it has ended.
    func repeatedly(
        _ effect: Effect<R.Action>, as repetition: Repetition, in strand: Strand<R.Action>
    ) {
        var left = repetition.count
        if let count = left, count < 1 { return advance(strand) }
        strand.rest = [effect]
        strand.refill = {
            if let count = left {
                if count <= 1 { return [] }
                left = count - 1
            }
            return [.pause(repetition.interval), effect]
        }
        advance(strand)
    }
}
