import Foundation

/// The few calls of the system that the tests need, with a deadline each.
enum Sockets {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static let noSignal = Int32(MSG_NOSIGNAL)
    static let noWait = Int32(MSG_DONTWAIT)
    private static let streamKind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)

    /// The system's words for what went wrong last.
    static var reason: String { String(cString: strerror(errno)) }

    /// Whether this machine can talk to itself by IPv6.
    static var hasIPv6: Bool {
        (try? String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8))?
            .contains(" lo\n") == true
    }

    /// Whether a descriptor became ready before the deadline.
    static func wait(
        _ descriptor: Int32, for event: Int32, until deadline: ContinuousClock.Instant
    ) -> Bool {
        var list = [pollfd(fd: descriptor, events: Int16(event), revents: 0)]
        while true {
            let left = max(.zero, deadline - .now) / .milliseconds(1)
            let count = poll(&list, 1, Int32(min(left + 1, 1_000_000)))
            if count > 0 { return true }
            if count == 0 || errno != EINTR { return false }
        }
    }

    /// Lets time pass in which nothing is expected of a process but that it stays as it is.
    static func idle(_ time: Duration) { poll(nil, 0, Int32(time / .milliseconds(1))) }

    /// - Parameter source: the address that the connection comes from, such as 127.0.0.2.
    static func connect(
        port: UInt16, receiveBuffer: Int32? = nil, from source: String? = nil
    ) throws -> Int32 {
        let descriptor = socket(AF_INET, streamKind, 0)
        if let source {
            var own = loopback(0)
            own.sin_addr.s_addr = inet_addr(source)
            let status = withUnsafePointer(to: &own) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard status == 0 else { throw failure(descriptor, "come from \(source)") }
        }
        if var size = receiveBuffer {
            setsockopt(
                descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = loopback(port)
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw failure(descriptor, "connect to port \(port)") }
        var on: Int32 = 1
        setsockopt(
            descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }

    static func connect(path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, streamKind, 0)
        let status = withAddress(of: path) { Foundation.connect(descriptor, $0, $1) }
        guard status == 0 else { throw failure(descriptor, "connect to \(path)") }
        return descriptor
    }

    /// A socket that listens on a free port and takes nobody.
    static func listen(
        toEverybody: Bool = false
    ) throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, streamKind, 0)
        var address = loopback(0)
        if toEverybody { address.sin_addr.s_addr = INADDR_ANY }
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && Foundation.listen(descriptor, 64) == 0
                    && getsockname(descriptor, address, &length) == 0
            }
        }
        guard status else { throw failure(descriptor, "listen") }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    /// A datagram socket at a path.
    static func datagrams(at path: String) throws -> Int32 {
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard withAddress(of: path, { bind(descriptor, $0, $1) }) == 0 else {
            throw failure(descriptor, "bind \(path)")
        }
        return descriptor
    }

    /// The next datagram.
    static func receive(from descriptor: Int32, within limit: Duration) throws -> String {
        guard wait(descriptor, for: POLLIN, until: .now + limit) else {
            throw Failure(description: "no datagram in time")
        }
        let bytes = [UInt8](unsafeUninitializedCapacity: 4_096) { memory, filled in
            filled = max(0, recv(descriptor, memory.baseAddress, memory.count, 0))
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The other side learns at once that nobody reads any more.
    static func closeByReset(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close(descriptor)
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return address
    }

    private static func withAddress(
        of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private static func failure(_ descriptor: Int32, _ operation: String) -> Failure {
        defer { close(descriptor) }
        return Failure(description: "cannot \(operation): \(reason)")
    }
}
