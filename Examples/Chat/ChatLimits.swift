/// The bounds that the chat's reducer keeps. What is over a bound is refused, except where another
/// is said.
public enum ChatLimits {
    /// Rooms. At the limit a new room takes the place of an empty one: the one whose last message
    /// is the oldest, a room without messages before all others. Only rooms with members in them
    /// stand against a new one.
    public static let rooms = 1_000
    /// People. At the limit a new one takes the place of one who is offline, the first by name.
    /// Only those who are there stand against a new one.
    public static let users = 10_000
    /// Messages that a room keeps; the oldest makes place for the newest.
    public static let messagesPerRoom = 1_000
    /// The longest text of a message or a topic, in Unicode scalars.
    public static let textScalars = 4_000
    /// The longest name of a person, in Unicode scalars.
    public static let nameScalars = 32
    /// The longest name of a room: with the store's name before it, it must fit a topic of 255.
    public static let roomNameBytes = 200
    /// How many `@` of a message are looked at for names.
    public static let mentionsPerMessage = 50
    /// How much of a message an alert shows, in Unicode scalars.
    public static let alertScalars = 200
    /// How long somebody counts as typing after the last `typing`.
    public static let typing = Duration.seconds(3)
}
