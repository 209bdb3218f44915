/// Durations as they are written on a command line: `5s`, `250ms`, `2m`, `1.5s`; a bare number is
/// seconds.
package enum DurationText {
    /// The longest duration that is read, a day: anything longer is a slip of the keyboard.
    package static let limit: Duration = .seconds(86_400)

    /// Reads a positive duration.
    package static func parse(_ text: String) throws(UsageError) -> Duration {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = text[digits.endIndex...]
        let scales: [Substring: Double] = ["": 1, "s": 1, "ms": 0.001, "m": 60, "h": 3600]
        guard let number = Double(digits), let scale = scales[unit] else {
            throw UsageError("expected a duration such as 5s, 250ms or 2m, got \(text)")
        }
        let duration = Duration.seconds(number * scale)
        guard duration > .zero, duration <= limit else {
            throw UsageError("expected a duration of more than 0 and at most 24h, got \(text)")
        }
        return duration
    }

    /// A duration for a person: `5s`, `250ms`, `1.5s`.
    package static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        if milliseconds < 1000 { return "\(milliseconds)ms" }
        let tenths = (milliseconds + 50) / 100
        return tenths % 10 == 0 ? "\(tenths / 10)s" : "\(tenths / 10).\(tenths % 10)s"
    }
}
