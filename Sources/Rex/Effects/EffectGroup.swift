/// Waits for the effects of an action: counts the effects that end by themselves which it started
/// and, transitively, those of the actions that they dispatch. Timers with a period, intervals and
/// streams are not counted; a cancelled effect has ended.
///
/// Confined to the owner of the core that it is given to; one group serves one dispatch.
public final class EffectGroup {
    /// Called once, on the owner's thread, when nothing is left to wait for: at once where that is
    /// so already. It may be called from within the core's work; a dispatch from inside queues.
    public var onEnd: (() -> Void)? {
        didSet { reportIfEnded() }
    }

    /// How many effects and queued actions are waited for.
    public private(set) var pending = 0
    private var hasBegun = false
    /// Timers with a period, intervals and streams are counted too.
    let waitsForAll: Bool

    /// A group for one dispatch.
    public init() {
        waitsForAll = false
    }

    init(waitsForAll: Bool) {
        self.waitsForAll = waitsForAll
    }

    /// True once the action was reduced and nothing is left to wait for.
    public var isEnded: Bool { hasBegun && pending == 0 }

    @usableFromInline
    func enter() {
        hasBegun = true
        pending += 1
    }

    @usableFromInline
    func leave() {
        pending -= 1
        reportIfEnded()
    }

    private func reportIfEnded() {
        guard isEnded, let report = onEnd else { return }
        onEnd = nil
        report()
    }
}
