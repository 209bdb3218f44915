import RexProtocol

/// Why a connection, or a request on it, did not do what it was asked.
public enum ConnectionError: Error, Sendable, CustomStringConvertible {
    /// Nobody answers at the address; the system's words.
    case unreachable(String)
    /// No connection, or no answer, within the time. The request may have been carried out.
    case timedOut(after: Duration)
    /// The connection is gone without a farewell; the system's words, or what the server did.
    case lost(String)
    /// The server sent a line longer than the limit.
    case lineTooLong(limit: Int)
    /// The server sent what is not a frame.
    case malformed(String)
    /// The task that waited was cancelled, or the connection was closed by its owner.
    case cancelled

    /// A sentence for a person.
    public var description: String {
        switch self {
        case .unreachable(let reason): reason
        case .timedOut(let duration): "no answer within \(DurationText.text(duration))"
        case .lost(let reason): "connection lost: \(reason)"
        case .lineTooLong(let limit): "the server sent a line of more than \(limit) bytes"
        case .malformed(let text): "the server sent what is not a frame: \(text)"
        case .cancelled: "cancelled"
        }
    }
}
