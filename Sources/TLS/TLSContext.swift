import COpenSSL

/// What the sessions of one side have in common: certificate, key, and whom it trusts.
///
/// TLS 1.2 and newer, without renegotiation and compression (RFC 9325). Immutable: to change a
/// certificate, make another; sessions keep the one that they began with. Belongs, with its
/// sessions, to one thread at a time.
public final class TLSContext {
    let pointer: OpaquePointer

    private init(_ method: OpaquePointer?) throws(TLSError) {
        guard let pointer = SSL_CTX_new(method) else {
            throw TLSError(openSSL: "OpenSSL made no context")
        }
        self.pointer = pointer
        rex_ssl_configure(pointer)
        guard rex_ssl_require_tls12(pointer) == 1 else {
            throw TLSError(openSSL: "TLS 1.2 is not there")
        }
    }

    deinit { SSL_CTX_free(pointer) }

    /// The server's side.
    ///
    /// - Parameters:
    ///   - certificate: a PEM file: the certificate, then those up to the root.
    ///   - key: the PEM file of its private key.
    ///   - clientAuthority: a PEM file of roots. A client may then show a certificate; one that
    ///     they did not sign ends the handshake.
    /// - Throws: `TLSError` that names the file which is not there, is none, or does not fit.
    public static func server(
        certificate: String, key: String, clientAuthority: String? = nil
    ) throws(TLSError) -> TLSContext {
        let context = try TLSContext(TLS_server_method())
        try context.use(certificate: certificate, key: key)
        if let clientAuthority {
            try context.trust(clientAuthority)
            guard let names = SSL_load_client_CA_file(clientAuthority) else {
                throw TLSError(openSSL: "\(clientAuthority) has no certificates")
            }
            SSL_CTX_set_client_CA_list(context.pointer, names)
            SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
        }
        // Sessions may be resumed within this server only.
        let scope = Array("rex".utf8)
        SSL_CTX_set_session_id_context(context.pointer, scope, UInt32(scope.count))
        SSL_CTX_set_alpn_select_cb(context.pointer, chooseProtocol, nil)
        return context
    }

    /// The client's side. It verifies the server's certificate and its name.
    ///
    /// - Parameters:
    ///   - authority: a PEM file of roots; nil for those of the system.
    ///   - certificate: what the client shows of itself, with `key`.
    ///   - verifies: false only where the network is trusted, or for a test.
    public static func client(
        authority: String? = nil, certificate: String? = nil, key: String? = nil,
        verifies: Bool = true
    ) throws(TLSError) -> TLSContext {
        let context = try TLSContext(TLS_client_method())
        if let authority {
            try context.trust(authority)
        } else if SSL_CTX_set_default_verify_paths(context.pointer) != 1 {
            throw TLSError(openSSL: "the system has no certificates")
        }
        if let certificate { try context.use(certificate: certificate, key: key ?? certificate) }
        SSL_CTX_set_verify(context.pointer, verifies ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nil)
        return context
    }

    private func trust(_ file: String) throws(TLSError) {
        guard SSL_CTX_load_verify_locations(pointer, file, nil) == 1 else {
            throw TLSError(openSSL: "\(file) has no certificates")
        }
    }

    private func use(certificate: String, key: String) throws(TLSError) {
        guard SSL_CTX_use_certificate_chain_file(pointer, certificate) == 1 else {
            throw TLSError(openSSL: "\(certificate) is no certificate")
        }
        guard SSL_CTX_use_PrivateKey_file(pointer, key, SSL_FILETYPE_PEM) == 1 else {
            throw TLSError(openSSL: "\(key) is no private key of \(certificate)")
        }
    }
}

/// ALPN (RFC 7301): HTTP/1.1 where it is offered, for browsers; others name none.
private func chooseProtocol(
    _: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ chosenCount: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?,
    _ count: UInt32, _: UnsafeMutableRawPointer?
) -> Int32 {
    let wanted = Array("http/1.1".utf8)
    guard let offered else { return SSL_TLSEXT_ERR_NOACK }
    var index = 0
    while index < count {
        let length = Int(offered[index])
        let name = UnsafeBufferPointer(start: offered + index + 1, count: length)
        if index + 1 + length <= count, name.elementsEqual(wanted) {
            chosen?.pointee = offered + index + 1
            chosenCount?.pointee = UInt8(length)
            return SSL_TLSEXT_ERR_OK
        }
        index += 1 + length
    }
    return SSL_TLSEXT_ERR_NOACK
}
