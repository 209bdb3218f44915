import RexCommandLine
import RexProtocol

/// Why a connection, or a request on it, did not do what it was asked.
public enum ConnectionError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Nobody answers at the address; the system's words.
    case unreachable(String)
    /// No connection, or no answer, within the time. The request may have been carried out.
    case timedOut(after: Duration)
    /// The server said no to this request; the connection stands.
    case refused(WireError)
    /// The server said goodbye: why, and whether to come back. What was unanswered may have been
    /// carried out.
    case closed(ServerFrame.Bye)
    /// The connection is gone without a farewell; the system's words, or what the server did.
    case lost(String)
    /// The server sent a line longer than the limit.
    case lineTooLong(limit: Int)
    /// The server sent what is not a frame, or a frame that does not fit the ones before.
    case malformed(String)
    /// The task that waited was cancelled, or the connection was closed by its owner.
    case cancelled

    /// A sentence for a person.
    public var description: String {
        switch self {
        case .unreachable(let reason): return reason
        case .timedOut(let duration): return "no answer within \(DurationText.text(duration))"
        case .refused(let error):
            let place = error.at.map { " (at \($0))" } ?? ""
            return VisibleText.escaped("\(error.code.rawValue): \(error.message)\(place)")
        case .closed(let bye):
            return VisibleText.escaped(
                "the server closed the connection: \(bye.code.rawValue): \(bye.message)")
        case .lost(let reason): return "connection lost: \(reason)"
        case .lineTooLong(let limit): return "the server sent a line of more than \(limit) bytes"
        case .malformed(let text):
            return VisibleText.escaped("the server sent what does not fit: \(text)")
        case .cancelled: return "cancelled"
        }
    }

    /// True where a new connection may do better: nobody there, lost, closed with `reconnect`.
    public var isWorthAnotherTry: Bool {
        switch self {
        case .unreachable, .timedOut, .lost: true
        case .closed(let bye): bye.reconnect
        case .refused(let error): error.retryMilliseconds != nil || error.code == .shuttingDown
        case .lineTooLong, .malformed, .cancelled: false
        }
    }
}
