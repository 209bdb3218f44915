/// Decides when to tell the others that one is typing.
///
/// The notice ends by itself at the server 3 s after the last one (protocol.md §9), so it is
/// renewed while the typing goes on, well before that, and not with every key.
package struct TypingNotice {
    /// The least time between two notices.
    package static let renewal: Duration = .seconds(2)

    private var last: ContinuousClock.Instant?

    package init() {}

    /// True when a notice is due for this content: there is some, and it is no command.
    package mutating func isDue(for content: String, at now: ContinuousClock.Instant) -> Bool {
        guard !content.isEmpty, !content.hasPrefix("/") || content.hasPrefix("//") else {
            return false
        }
        if let last, last.duration(to: now) < Self.renewal { return false }
        last = now
        return true
    }

    /// The message was said: the next key is a new beginning.
    package mutating func ended() { last = nil }
}
