import Rex
import RexLoop
import RexTLS

/// TLS on the port where everything else is spoken too: a connection that begins with a handshake
/// speaks one of the others inside.
extension Server {
    /// The first byte of a TLS handshake (RFC 8446 §5.1).
    static let handshakeByte: UInt8 = 0x16

    /// Answers TLS handshakes with this certificate from now on; connections that stand keep the
    /// one that they began with.
    ///
    /// - Parameters:
    ///   - certificate: a PEM file: the certificate, then those up to the root.
    ///   - key: the PEM file of its private key.
    ///   - clientAuthority: a PEM file of roots. A client may then show a certificate that one of
    ///     them has signed.
    /// - Throws: `TLSError` that names the file at fault; what was there before goes on.
    public func useTLS(
        certificate: String, key: String, clientAuthority: String? = nil
    ) throws {
        tls = try TLSContext.server(
            certificate: certificate, key: key, clientAuthority: clientAuthority)
    }

    /// Whether `useTLS` would take these files; `TLSError` names the one at fault.
    public static func checkTLS(
        certificate: String, key: String, clientAuthority: String? = nil
    ) throws {
        _ = try TLSContext.server(
            certificate: certificate, key: key, clientAuthority: clientAuthority)
    }

    func beginTLS(
        _ bytes: UnsafeRawBufferPointer, on connection: Connection, with context: TLSContext
    ) {
        do {
            let session = try TLSSession(context, as: .server)
            add(.handshake(connection: connection.id), after: limits.handshakeMilliseconds)
            connection.secured = session
            connection.socket.secure(with: session, received: bytes)
        } catch {
            note(.error, "no_tls", about: "", ["reason": "\(error)"])
            connection.socket.close()
        }
    }

    /// A handshake has had its time. Nobody is there to be told why it ends.
    func checkHandshake(_ connection: Connection) {
        guard !connection.isSecure, !connection.socket.isClosing else { return }
        metrics.count(.handshakeMilliseconds)
        note(
            .debug, "handshake_late", about: connection.origin,
            ["client": connection.session.client.id, "peer": connection.socket.peer])
        connection.socket.close()
    }
}
