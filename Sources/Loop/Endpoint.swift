import CUV
import Glibc

/// A place to listen on or to connect to: a TCP address or a Unix socket.
public enum Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// A host name or a literal IPv4 or IPv6 address (without brackets), and a port; 0 is any free
    /// one.
    case tcp(host: String, port: UInt16)
    /// The path of a Unix socket.
    case unix(path: String)

    /// The longest path that a Unix socket address can hold, in bytes.
    public static let unixPathLimit = 107

    /// Reads `host:port`, `[v6]:port` or `unix:/path`.
    public init(parsing text: String) throws(EndpointError) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard !path.isEmpty else { throw EndpointError("\(text): a path is missing") }
            guard path.utf8.count <= Self.unixPathLimit else {
                throw EndpointError(
                    "\(path): longer than the \(Self.unixPathLimit) bytes of a socket path")
            }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":") else {
            throw EndpointError("\(text): expected host:port, [v6]:port or unix:/path")
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            throw EndpointError("\(text): an IPv6 address goes in brackets, as in [::1]:7390")
        }
        let digits = text[text.index(after: colon)...]
        guard !host.isEmpty, let port = UInt16(digits), digits.allSatisfy(\.isNumber) else {
            throw EndpointError("\(text): expected a host and a port from 0 to 65535")
        }
        self = .tcp(host: host, port: port)
    }

    /// As it is written on a command line: `127.0.0.1:7390`, `[::1]:7390`, `unix:/run/rex`.
    public var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }

    /// True where only this machine can reach it: 127.0.0.0/8, ::1, `localhost`, a Unix socket.
    public var isLoopback: Bool {
        guard case .tcp(let host, _) = self else { return true }
        var four = in_addr()
        if inet_pton(AF_INET, host, &four) == 1 { return host.hasPrefix("127.") }
        var six = in6_addr()
        if inet_pton(AF_INET6, host, &six) == 1 {
            return withUnsafeBytes(of: six) { $0.dropLast().allSatisfy { $0 == 0 } && $0[15] == 1 }
        }
        return host.lowercased() == "localhost"
    }

    /// True for an address in numbers, and for a Unix socket: no name has to be looked up.
    public var isLiteral: Bool {
        guard case .tcp(let host, _) = self else { return true }
        var four = in_addr()
        var six = in6_addr()
        return inet_pton(AF_INET, host, &four) == 1 || inet_pton(AF_INET6, host, &six) == 1
    }
}

/// An address that cannot be read, in a person's words.
public struct EndpointError: Error, CustomStringConvertible {
    public let description: String
    init(_ text: String) { description = text }
}

extension Endpoint {
    /// Resolves a TCP host on the calling thread (literal addresses at once) and hands the address
    /// on.
    func withAddress<T>(
        on loop: Loop, _ operation: String, _ body: (UnsafePointer<sockaddr>) -> T
    ) throws(LoopError) -> T {
        guard case .tcp(let host, let port) = self else {
            preconditionFailure("a Unix socket has no address to resolve")
        }
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var request = uv_getaddrinfo_t()
        let status = uv_getaddrinfo(loop.uv, &request, nil, host, "\(port)", &hints)
        guard status == 0, let first = request.addrinfo else {
            throw LoopError(
                operation, description, code: status < 0 ? status : UV_EAI_NONAME.rawValue)
        }
        defer { uv_freeaddrinfo(first) }
        return body(first.pointee.ai_addr)
    }

    /// The endpoint that a socket address names.
    static func tcp(_ storage: sockaddr_storage) -> Endpoint {
        var storage = storage
        var name = [CChar](repeating: 0, count: 64)
        return withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                uv_ip_name(address, &name, name.count)
                let text = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
                let port = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    UInt16(bigEndian: $0.pointee.sin_port)
                }
                return .tcp(host: text, port: port)
            }
        }
    }
}
