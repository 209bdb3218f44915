/// What stands between a socket's bytes on the wire and those of its owner: TLS.
///
/// Bytes in, bytes out; it knows no socket. After each call `takeOutgoing` has what is to be sent.
public protocol SocketCipher: AnyObject {
    /// The other side is who it says, and both can be sent to and received from.
    var isOpen: Bool { get }
    /// The other side has said that nothing follows.
    var hasEnded: Bool { get }
    /// Takes bytes of the wire and hands on what they say, piece by piece.
    func receive(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(SocketCipherError)
    /// Takes bytes to be sent; what cannot leave yet is kept.
    func send(_ bytes: UnsafeRawBufferPointer) throws(SocketCipherError)
    /// What is to be put on the wire.
    func takeOutgoing() -> [UInt8]
    /// Says to the other side that nothing follows.
    func end()
}

/// Why nothing more can be said or heard, for a person.
public struct SocketCipherError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reason.
    public let description: String

    /// - Parameter description: the reason.
    public init(_ description: String) { self.description = description }
}
