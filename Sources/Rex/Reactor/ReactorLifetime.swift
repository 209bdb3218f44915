/// As long as this is there, the effects and subscriptions of a reactor are. Each reactor has one
/// of its own, in a stored property.
@MainActor
public final class ReactorLifetime {
    var engine: AnyObject?
    /// What timers and delays of the reactor sleep by; for its flows too, as in
    /// `action.debounce(for: .seconds(1), clock: lifetime.clock)`.
    public let clock: any Clock<Duration>
    let onFault: @MainActor (StoreFault) -> Void

    /// - Parameters:
    ///   - clock: what timers and delays sleep by.
    ///   - onFault: hears of effects that threw without a `catch`, and of limits that were met.
    public init(
        clock: any Clock<Duration> = SystemClock(),
        onFault: @escaping @MainActor (StoreFault) -> Void = { _ in }
    ) {
        self.clock = clock
        self.onFault = onFault
    }
}
