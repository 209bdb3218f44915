import COpenSSL
public import RexLoop

/// One connection's TLS, without a socket: bytes of the wire in, bytes of the program out, and the
/// other way round.
///
/// After each call `takeOutgoing` has what is to be sent. Belongs to one thread at a time.
public final class TLSSession: SocketCipher {
    /// Who this side is.
    public enum Role: Sendable {
        /// It was connected to.
        case server
        /// It has connected to this host, whose certificate must name it.
        case client(host: String)
    }

    private let session: OpaquePointer
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    private let context: TLSContext
    /// What the program sent before the handshake was done.
    private var early: [UInt8] = []

    /// What the program may send before the handshake is done, in bytes.
    public static let earlyBytes = 1 << 20

    /// The handshake is done: the other side is who it says.
    public private(set) var isOpen = false
    /// The other side has said that nothing follows.
    public private(set) var hasEnded = false

    private static let pieceBytes = 16 * 1024

    /// A session that has not begun; for a client `takeOutgoing` has its first bytes.
    public init(_ context: TLSContext, as role: Role) throws(TLSError) {
        guard let session = SSL_new(context.pointer), let incoming = BIO_new(BIO_s_mem()),
            let outgoing = BIO_new(BIO_s_mem())
        else { throw TLSError(openSSL: "OpenSSL made no session") }
        self.session = session
        self.incoming = incoming
        self.outgoing = outgoing
        self.context = context
        rex_bio_wait(incoming)
        SSL_set_bio(session, incoming, outgoing)
        switch role {
        case .server: SSL_set_accept_state(session)
        case .client(let host):
            SSL_set_connect_state(session)
            try expect(host)
            try advance()
        }
    }

    deinit { SSL_free(session) }

    /// The certificate must be for this name or address (RFC 6125); a name is also sent (SNI).
    private func expect(_ host: String) throws(TLSError) {
        let parameters = SSL_get0_param(session)
        if X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1 { return }
        ERR_clear_error()
        guard SSL_set1_host(session, host) == 1, rex_ssl_name_server(session, host) == 1 else {
            throw TLSError(openSSL: "\(host) is no name of a host")
        }
    }

    /// Takes bytes that came from the wire and hands on what they say, piece by piece; a piece is
    /// good during the call.
    ///
    /// - Throws: where the other side breaks the protocol or shows no good certificate. What
    ///   `takeOutgoing` then has tells it so; nothing more is received.
    public func receive(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(SocketCipherError) {
        do {
            try take(bytes, body)
        } catch {
            throw SocketCipherError(error.description)
        }
    }

    private func take(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(TLSError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = BIO_write(incoming, rest.baseAddress, Int32(clamping: rest.count))
            guard count > 0 else { throw TLSError(openSSL: "OpenSSL takes no more") }
            rest = UnsafeRawBufferPointer(rebasing: rest[Int(count)...])
        }
        try advance()
        if isOpen { try read(body) }
    }

    private func read(_ body: (UnsafeRawBufferPointer) -> Void) throws(TLSError) {
        let failure = withUnsafeTemporaryAllocation(byteCount: Self.pieceBytes, alignment: 16) {
            piece -> TLSError? in
            while !hasEnded {
                let count = SSL_read(session, piece.baseAddress, Int32(piece.count))
                if count > 0 {
                    body(UnsafeRawBufferPointer(rebasing: piece[..<Int(count)]))
                    continue
                }
                switch SSL_get_error(session, count) {
                case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return nil
                case SSL_ERROR_ZERO_RETURN: hasEnded = true
                default: return TLSError(openSSL: "TLS")
                }
            }
            return nil
        }
        if let failure { throw failure }
    }

    /// Goes on with the handshake, as far as what has come allows.
    private func advance() throws(TLSError) {
        guard !isOpen else { return }
        let status = SSL_do_handshake(session)
        if status == 1 {
            isOpen = true
            let text = early
            early = []
            try text.withUnsafeBytesThrowing { (bytes) throws(TLSError) in try write(bytes) }
            return
        }
        switch SSL_get_error(session, status) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return
        default: throw handshakeFailure()
        }
    }

    private func handshakeFailure() -> TLSError {
        let result = SSL_get_verify_result(session)
        guard result != X509_V_OK, let reason = X509_verify_cert_error_string(result) else {
            return TLSError(openSSL: "TLS handshake")
        }
        ERR_clear_error()
        return TLSError("certificate not accepted: \(String(cString: reason))")
    }

    /// Encrypts what the program sends; before the handshake is done it is kept.
    ///
    /// - Throws: when more than `earlyBytes` would be kept.
    public func send(_ bytes: UnsafeRawBufferPointer) throws(SocketCipherError) {
        guard isOpen else {
            guard early.count + bytes.count <= Self.earlyBytes else {
                throw SocketCipherError(
                    "more than \(Self.earlyBytes) bytes before the handshake is done")
            }
            early += bytes
            return
        }
        do {
            try write(bytes)
        } catch {
            throw SocketCipherError(error.description)
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(TLSError) {
        var rest = bytes
        while !rest.isEmpty {
            // Into memory: it takes all, or fails.
            let count = SSL_write(session, rest.baseAddress, Int32(clamping: rest.count))
            guard count > 0 else { throw TLSError(openSSL: "TLS") }
            rest = UnsafeRawBufferPointer(rebasing: rest[Int(count)...])
        }
    }

    /// Says that nothing follows (`close_notify`); the other side may still send.
    public func end() {
        if SSL_shutdown(session) < 0 { ERR_clear_error() }
    }

    /// What is to be sent; empty where there is nothing.
    public func takeOutgoing() -> [UInt8] {
        let count = rex_bio_pending(outgoing)
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { memory, filled in
            filled = max(0, Int(BIO_read(outgoing, memory.baseAddress, Int32(clamping: count))))
        }
    }

    /// The common name in the certificate that the other side has shown and that was verified; nil
    /// where it has shown none.
    public var peerName: String? {
        guard isOpen, SSL_get_verify_result(session) == X509_V_OK,
            let certificate = SSL_get1_peer_certificate(session)
        else { return nil }
        defer { X509_free(certificate) }
        let subject = X509_get_subject_name(certificate)
        let place = X509_NAME_get_index_by_NID(subject, NID_commonName, -1)
        guard place >= 0, let entry = X509_NAME_get_entry(subject, place) else { return nil }
        var text: UnsafeMutablePointer<UInt8>?
        let count = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry))
        guard count > 0, let text else { return nil }
        defer { CRYPTO_free(text, #file, #line) }
        let bytes = UnsafeBufferPointer(start: text, count: Int(count))
        // A name with a zero in it is somebody's trick.
        guard !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension [UInt8] {
    fileprivate func withUnsafeBytesThrowing(
        _ body: (UnsafeRawBufferPointer) throws(TLSError) -> Void
    ) throws(TLSError) {
        let result: Result<Void, TLSError> = withUnsafeBytes { bytes in
            Result { () throws(TLSError) in try body(bytes) }
        }
        try result.get()
    }
}
