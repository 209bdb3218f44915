import CUV

/// The world failed: the operation, the object it was meant for, and the system's own words.
///
/// `description` reads as one line: `cannot listen on 0.0.0.0:7390: address already in use`.
public struct LoopError: Error, Equatable, CustomStringConvertible {
    /// What was tried, as it follows "cannot": `listen on`, `connect to`, `read`.
    public let operation: String
    /// What it was tried on: an address, a path, a signal; may be empty.
    public let object: String
    /// libuv's error number, always negative.
    public let code: Int32
    private let detail: String?

    /// - Parameter code: libuv's error number (negative).
    public init(_ operation: String, _ object: String, code: Int32) {
        self.operation = operation
        self.object = object
        self.code = code
        detail = nil
    }

    /// What a cipher says of the other side.
    init(_ operation: String, _ error: SocketCipherError) {
        self.operation = operation
        object = ""
        code = UV_EPROTO.rawValue
        detail = error.description
    }

    /// The system's words for `code`, such as `address already in use`; a cipher's own.
    public var reason: String { detail ?? String(cString: uv_strerror(code)) }

    /// The whole sentence for a person.
    public var description: String {
        object.isEmpty
            ? "cannot \(operation): \(reason)" : "cannot \(operation) \(object): \(reason)"
    }

    /// The error number for the other side's end of the stream.
    public static let endOfFile = UV_EOF.rawValue

    /// True when nobody answers at the address: refused, no such socket, unreachable, timed out.
    public var isUnreachable: Bool {
        [
            UV_ECONNREFUSED, UV_ENOENT, UV_EHOSTUNREACH, UV_ENETUNREACH, UV_ETIMEDOUT,
            UV_EAI_NONAME, UV_EAI_AGAIN,
        ].contains { $0.rawValue == code }
    }
}

/// Throws when a libuv call reported an error.
func check(_ status: Int32, _ operation: String, _ object: String = "") throws(LoopError) {
    if status < 0 { throw LoopError(operation, object, code: status) }
}
