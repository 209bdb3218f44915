import Glibc

/// The system's words for its numbers.
public enum SystemReason {
    /// What an `errno` says: `No space left on device`.
    public static func words(_ number: Int32) -> String { String(cString: strerror(number)) }
}
