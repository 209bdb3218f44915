import RexLoop

/// Where a Rex server is: `tcp://host:port`, `unix:/path`, and in a later version `tls://`, `ws://`
/// and `wss://`.
///
/// The schemes that this version does not speak are understood as such, so that the answer is
/// "not supported yet" and not "what is that?".
public struct RexURL: Sendable, Hashable, CustomStringConvertible {
    /// The endpoint to connect to.
    public let endpoint: Endpoint

    /// The port of a Rex server where none is named.
    public static let defaultPort: UInt16 = 7390

    /// `tcp://127.0.0.1:7390`.
    public static let `default` = RexURL(.tcp(host: "127.0.0.1", port: defaultPort))

    /// The URL of an endpoint.
    public init(_ endpoint: Endpoint) { self.endpoint = endpoint }

    /// Reads `tcp://host[:port]`, `unix:/path`, or a bare `host[:port]`.
    ///
    /// - Throws: `RexURLError` for what is not an address, or is one of a kind not supported yet.
    public init(_ text: String) throws(RexURLError) {
        if text.hasPrefix("unix:") {
            var path = text.dropFirst("unix:".count)
            if path.hasPrefix("//") { path = path.dropFirst(2) }
            self.endpoint = try Self.endpoint("unix:\(path)")
            return
        }
        guard let mark = text.firstRange(of: "://") else {
            self.endpoint = try Self.endpoint(Self.withPort(text))
            return
        }
        let scheme = text[..<mark.lowerBound]
        var rest = String(text[mark.upperBound...])
        if rest.hasSuffix("/") { rest.removeLast() }
        switch scheme {
        case "tcp": self.endpoint = try Self.endpoint(Self.withPort(rest))
        case "tls", "ws", "wss":
            throw RexURLError("\(text): \(scheme):// is not supported yet; use tcp:// or unix:")
        default:
            throw RexURLError("\(text): expected tcp://host:port or unix:/path")
        }
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
        switch endpoint {
        case .tcp: "tcp://\(endpoint)"
        case .unix: endpoint.description
        }
    }
}

/// An address that cannot be used, in a person's words.
public struct RexURLError: Error, Hashable, CustomStringConvertible {
    /// What is wrong with it.
    public let description: String

    init(_ description: String) { self.description = description }
}
