import FoundationEssentials

/// Times on the wire: RFC 3339 in UTC with milliseconds, `2026-11-30T12:00:00.000Z`.
public enum WireTime {
    /// 2001-01-01, where `Date` counts from, in milliseconds since 1970.
    private static let reference = 978_307_200_000
    private static let dayMilliseconds = 86_400_000

    /// The text of a time, rounded to the millisecond; nil outside the years 0 to 9999.
    public static func text(_ date: Date) -> String? {
        let milliseconds = (date.timeIntervalSinceReferenceDate * 1_000).rounded()
        // Beyond these bounds lies no year of four digits, and an Int may not hold the number.
        guard milliseconds.magnitude < 300_000_000_000_000 else { return nil }
        let total = Int(milliseconds) + reference
        let days = Int((Double(total) / Double(dayMilliseconds)).rounded(.down))
        let (year, month, day) = civil(days)
        guard (0...9_999).contains(year) else { return nil }
        let rest = total - days * dayMilliseconds
        return String(unsafeUninitializedCapacity: 24) { buffer in
            func put(_ value: Int, _ width: Int, at place: Int, then mark: UInt8) {
                var value = value
                for i in (place..<(place + width)).reversed() {
                    buffer[i] = 0x30 + UInt8(value % 10)
                    value /= 10
                }
                buffer[place + width] = mark
            }
            put(year, 4, at: 0, then: 0x2D)
            put(month, 2, at: 5, then: 0x2D)
            put(day, 2, at: 8, then: 0x54)
            put(rest / 3_600_000, 2, at: 11, then: 0x3A)
            put(rest / 60_000 % 60, 2, at: 14, then: 0x3A)
            put(rest / 1_000 % 60, 2, at: 17, then: 0x2E)
            put(rest % 1_000, 3, at: 20, then: 0x5A)
            return 24
        }
    }

    /// Reads a time of RFC 3339: any offset, any number of digits of a second, `T` and `Z` in
    /// either case; a leap second reads as the second after it. Nil where the text is none.
    public static func date(_ text: UnsafeRawBufferPointer) -> Date? {
        var rest = Cursor(bytes: text)
        guard let year = rest.digits(4), rest.take(0x2D), let month = rest.digits(2),
            rest.take(0x2D), let day = rest.digits(2), rest.take(0x54) || rest.take(0x74),
            let hour = rest.digits(2), rest.take(0x3A), let minute = rest.digits(2),
            rest.take(0x3A), let second = rest.digits(2)
        else { return nil }
        guard (1...12).contains(month), day >= 1, day <= days(in: month, of: year), hour < 24,
            minute < 60, second <= 60
        else { return nil }
        var fraction = 0
        if rest.take(0x2E) {
            guard let nanoseconds = rest.fraction() else { return nil }
            fraction = nanoseconds
        }
        guard let offset = rest.offset(), rest.isAtEnd else { return nil }
        let seconds =
            dayNumber(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
        let whole = seconds * 1_000 + fraction / 1_000_000 - reference
        return Date(
            timeIntervalSinceReferenceDate: Double(whole) / 1_000
                + Double(fraction % 1_000_000) / 1e9)
    }

    /// Reads a time of RFC 3339 from a text.
    public static func date(_ text: String) -> Date? { text.withBytes { date($0) } }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1970-01-01 to a day of the proleptic Gregorian calendar, counted in eras of 400
    /// years that begin in March.
    private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }

    /// The day of the calendar that a number of days after 1970-01-01 is.
    private static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        let month = part < 10 ? part + 3 : part - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
            dayOfYear - (153 * part + 2) / 5 + 1
        )
    }

    private struct Cursor {
        let bytes: UnsafeRawBufferPointer
        var place = 0

        var isAtEnd: Bool { place == bytes.count }

        mutating func take(_ byte: UInt8) -> Bool {
            guard place < bytes.count, bytes[place] == byte else { return false }
            place += 1
            return true
        }

        mutating func digit() -> Int? {
            guard place < bytes.count, bytes[place] &- 0x30 < 10 else { return nil }
            place += 1
            return Int(bytes[place - 1] - 0x30)
        }

        mutating func digits(_ count: Int) -> Int? {
            var value = 0
            for _ in 0..<count {
                guard let digit = digit() else { return nil }
                value = value * 10 + digit
            }
            return value
        }

        /// The digits of a second in nanoseconds; finer ones are cut off.
        mutating func fraction() -> Int? {
            guard let first = digit() else { return nil }
            var value = first * 100_000_000
            var unit = 10_000_000
            while let digit = digit() {
                value += digit * unit
                unit /= 10
            }
            return value
        }

        /// `Z` or `±hh:mm`, in seconds east of UTC.
        mutating func offset() -> Int? {
            if take(0x5A) || take(0x7A) { return 0 }
            let sign = take(0x2B) ? 1 : take(0x2D) ? -1 : 0
            guard sign != 0, let hours = digits(2), take(0x3A), let minutes = digits(2),
                hours < 24, minutes < 60
            else { return nil }
            return sign * (hours * 3_600 + minutes * 60)
        }
    }
}
