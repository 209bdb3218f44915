/// The bounds of what a client keeps; each names what happens there.
public enum ClientLimits {
    /// Bytes that wait to be sent; beyond it `send` and `request` wait too.
    public static let outboxBytes = 1 << 20

    /// Bytes of one line from the server; a longer one ends the connection (`lineTooLong`). A state
    /// travels as one line, so this bounds the states that a client can follow.
    public static let lineBytes = 256 << 20

    /// Pushes that wait to be taken, of one subscription, listener or connection; beyond it nothing
    /// is read from the server until half of them are taken: back-pressure, nothing is lost.
    public static let waitingPushes = 1_024

    /// Bytes of those pushes; the same happens.
    public static let waitingPushBytes = 16 << 20

    /// Requests without an answer on one connection; beyond it `request` waits.
    public static let outstandingRequests = 4_096
}
