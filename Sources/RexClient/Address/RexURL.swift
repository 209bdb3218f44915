import RexLoop

/// Where a Rex server is and what is spoken with it: `tcp://host:port`, `unix:/path`,
/// `ws://host:port`, and over TLS `tls://host:port` and `wss://host:port`.
public struct RexURL: Sendable, Hashable, CustomStringConvertible {
    /// How frames travel.
    public enum Transport: Sendable, Hashable {
        /// Each is a line.
        case lines
        /// Each is a message of a WebSocket that is opened at the path.
        case webSocket(path: String)
    }

    /// The endpoint to connect to.
    public let endpoint: Endpoint
    /// How frames travel there.
    public let transport: Transport
    /// How the server is verified and what is shown to it; nil where no TLS is spoken.
    public var security: Security?

    /// What TLS needs to know beside the host's name.
    public struct Security: Sendable, Hashable {
        /// A PEM file with the roots that are trusted; nil for those of the system.
        public var authority: String?
        /// A PEM file with the certificate that the client shows, and maybe its key.
        public var certificate: String?
        /// The PEM file of the certificate's key, where that is another.
        public var key: String?
        /// False only where the network is trusted: whoever answers is believed.
        public var verifies = true

        /// The system's roots, verified, and nothing shown.
        public init() {}
    }

    /// The port of a Rex server where none is named.
    public static let defaultPort: UInt16 = 7390

    /// `tcp://127.0.0.1:7390`.
    public static let `default` = RexURL(.tcp(host: "127.0.0.1", port: defaultPort))

    /// The URL of an endpoint.
    public init(
        _ endpoint: Endpoint, _ transport: Transport = .lines, security: Security? = nil
    ) {
        self.endpoint = endpoint
        self.transport = transport
        self.security = security
    }

    /// Reads `tcp://host[:port]`, `tls://host[:port]`, `unix:/path`, `ws://host[:port][/path]`,
    /// `wss://host[:port][/path]`, or a bare `host[:port]`. The port is 7390 where none is named,
    /// the path of a WebSocket `/ws`.
    ///
    /// - Throws: `RexURLError` for what is not an address.
    public init(_ text: String) throws(RexURLError) {
        if text.hasPrefix("unix:") {
            var path = text.dropFirst("unix:".count)
            if path.hasPrefix("//") { path = path.dropFirst(2) }
            self.init(try Self.endpoint("unix:\(path)"))
            return
        }
        guard let mark = text.firstRange(of: "://") else {
            self.init(try Self.endpoint(Self.withPort(text)))
            return
        }
        let scheme = text[..<mark.lowerBound]
        var rest = String(text[mark.upperBound...])
        if rest.hasSuffix("/") { rest.removeLast() }
        switch scheme {
        case "tcp": self.init(try Self.endpoint(Self.withPort(rest)))
        case "ws": try self.init(webSocket: rest)
        case "tls":
            self.init(try Self.endpoint(Self.withPort(rest)), security: Security())
        case "wss":
            try self.init(webSocket: rest)
            security = Security()
        default:
            throw RexURLError(
                "\(text): expected tcp://, tls://, ws:// or wss://host:port, or unix:/path")
        }
    }

    private init(webSocket rest: String) throws(RexURLError) {
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let path = String(rest[slash...])
        guard path.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "#") }) else {
            throw RexURLError(
                "ws://\(rest): a path has no blanks, and what is not ASCII is escaped")
        }
        self.init(
            try Self.endpoint(Self.withPort(String(rest[..<slash]))),
            .webSocket(path: path.isEmpty ? "/ws" : path))
    }

    private static func withPort(_ text: String) -> String {
        let hasPort =
            text.hasPrefix("[") ? text.contains("]:") : text.contains(":")
        return hasPort ? text : "\(text):\(defaultPort)"
    }

    private static func endpoint(_ text: String) throws(RexURLError) -> Endpoint {
        do {
            return try Endpoint(parsing: text)
        } catch {
            throw RexURLError(error.description)
        }
    }

    /// As it is given on a command line.
    public var description: String {
        switch (transport, endpoint) {
        case (.webSocket(let path), _): "\(security == nil ? "ws" : "wss")://\(endpoint)\(path)"
        case (.lines, .tcp): "\(security == nil ? "tcp" : "tls")://\(endpoint)"
        case (.lines, .unix): endpoint.description
        }
    }
}

/// An address that cannot be used, in a person's words.
public struct RexURLError: Error, Hashable, CustomStringConvertible {
    /// What is wrong with it.
    public let description: String

    init(_ description: String) { self.description = description }
}
