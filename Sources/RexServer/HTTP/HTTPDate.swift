import FoundationEssentials

/// The time as HTTP writes it, `Tue, 01 Dec 2026 12:00:00 GMT` (RFC 9110 §5.6.7), made once a
/// second.
struct HTTPDate {
    private var second = Int.min
    private var text = ""

    mutating func text(now: Date) -> String {
        let current = Int(now.timeIntervalSince1970.rounded(.down))
        if current != second {
            second = current
            text = Self.text(current)
        }
        return text
    }

    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// - Parameter seconds: since 1970, not before.
    static func text(_ seconds: Int) -> String {
        let days = seconds / 86_400
        let (year, month, day) = civil(days)
        let time = [seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60].map(twoDigits)
        return "\(weekdays[days % 7]), \(twoDigits(day)) \(months[month - 1]) \(year) "
            + "\(time.joined(separator: ":")) GMT"
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    /// The Gregorian date of a day since 1970-01-01, by counting from a 1 March, so that the leap
    /// day is the last of its year.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
