import CUV
import Glibc

extension Endpoint {
    /// Finds the addresses behind the host's name, in the order in which they should be tried.
    ///
    /// Literal addresses and Unix sockets are answered at once; a name is looked up on a thread of
    /// libuv's pool, so the loop does not wait. Called on the loop's thread, and answers there,
    /// once.
    /// - Parameter done: the addresses, at least one, or why there are none.
    public func resolve(
        on loop: Loop, done: @escaping (Result<[Endpoint], LoopError>) -> Void
    ) {
        guard case .tcp(let host, let port) = self, !Self.isLiteral(host) else {
            done(.success([self]))
            return
        }
        let request = ResolveRequest(self, port, done)
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        let status = uv_getaddrinfo(
            loop.uv, request.memory, { ResolveRequest.of($0!).did($1, $2) }, host, nil, &hints)
        if status < 0 { request.did(status, nil) }
    }

    private static func isLiteral(_ host: String) -> Bool {
        var six = in6_addr()
        return inet_pton(AF_INET, host, &six) == 1 || inet_pton(AF_INET6, host, &six) == 1
    }
}

/// A look-up under way; owned by libuv from the start to the callback.
private final class ResolveRequest {
    let memory = UnsafeMutablePointer<uv_getaddrinfo_t>.allocate(capacity: 1)
    private let endpoint: Endpoint
    private let port: UInt16
    private let done: (Result<[Endpoint], LoopError>) -> Void

    init(
        _ endpoint: Endpoint, _ port: UInt16,
        _ done: @escaping (Result<[Endpoint], LoopError>) -> Void
    ) {
        self.endpoint = endpoint
        self.port = port
        self.done = done
        memory.pointee.data = Unmanaged.passRetained(self).toOpaque()
    }

    static func of(_ request: UnsafeMutablePointer<uv_getaddrinfo_t>) -> ResolveRequest {
        Unmanaged<ResolveRequest>.fromOpaque(request.pointee.data).takeUnretainedValue()
    }

    func did(_ status: Int32, _ list: UnsafeMutablePointer<addrinfo>?) {
        defer {
            uv_freeaddrinfo(list)
            Unmanaged.passUnretained(self).release()
        }
        var found: [Endpoint] = []
        var next = list
        while let entry = next {
            if let host = Self.literal(entry.pointee), !found.contains(host) { found.append(host) }
            next = entry.pointee.ai_next
        }
        if status == 0, !found.isEmpty {
            done(.success(found.map { $0.withPort(port) }))
        } else {
            let code = status < 0 ? status : UV_EAI_NONAME.rawValue
            done(.failure(LoopError("look up", endpoint.description, code: code)))
        }
    }

    private static func literal(_ entry: addrinfo) -> Endpoint? {
        guard let address = entry.ai_addr else { return nil }
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(
                from: UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen)))
        }
        return .tcp(storage)
    }

    deinit { memory.deallocate() }
}

extension Endpoint {
    fileprivate func withPort(_ port: UInt16) -> Endpoint {
        guard case .tcp(let host, _) = self else { return self }
        return .tcp(host: host, port: port)
    }
}
