import COpenSSL

/// What went wrong with a certificate, a key or a connection, as OpenSSL tells it.
public struct TLSError: Error, Sendable, Hashable, CustomStringConvertible {
    /// For a person; names the file or the step.
    public let description: String

    init(_ text: String) { description = text }

    /// With what OpenSSL noted last; its list of errors is empty afterwards.
    init(openSSL text: String) {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        guard code != 0, let reason = ERR_reason_error_string(code) else {
            description = text
            return
        }
        description = "\(text): \(String(cString: reason))"
    }
}
