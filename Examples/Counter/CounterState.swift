public import Rex

/// A number, a timer that ticks beside it, and an answer that takes its time to come.
public struct CounterState: Statable, Codable {
    /// The number.
    public var count = 0
    /// Whether the timer runs.
    public var isRunning = false
    /// How often the timer ticked.
    public var ticks = 0
    /// What a person should be told.
    @PresentState public var alert: String?
    /// The last answer that came.
    public var fetched: String?
    /// Whether an answer is under way.
    public var isLoading = false

    /// At 0, with nothing under way.
    public init() {}
}
