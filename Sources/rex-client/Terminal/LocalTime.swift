import FoundationEssentials
import Glibc
import RexProtocol

/// The hour and minute, here, of a time as the wire has it.
enum LocalTime {
    /// `14:05`; `--:--` for what is no time.
    static func hourAndMinute(_ text: String) -> String {
        guard let date = WireTime.date(text) else { return "--:--" }
        var seconds = time_t(date.timeIntervalSince1970)
        var parts = tm()
        localtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(parts.tm_hour)):\(two(parts.tm_min))"
    }
}
