/// The bounds that the counter's reducer keeps.
public enum CounterLimits {
    /// The longest wait that may be asked for: a day.
    public static let waitLimitMilliseconds = 86_400_000
    /// The shortest period of the timer.
    public static let periodMinimumMilliseconds = 1
    /// The longest text of an alert, in Unicode scalars.
    public static let alertScalarsLimit = 4_000
}
