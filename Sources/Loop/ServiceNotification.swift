import CUV
import Glibc

/// The service manager's side of starting: readiness and handed-over sockets (systemd's `sd_notify`
/// and `sd_listen_fds` protocols, which need no library).
public enum ServiceNotification {
    /// The first descriptor that a service manager hands over.
    static let firstDescriptor: Int32 = 3
    /// More than this is no number of sockets that anybody hands over.
    static let mostDescriptors: Int32 = 1_024

    /// Sends a state such as `READY=1` to `$NOTIFY_SOCKET`; does nothing where there is none.
    public static func send(_ state: String) {
        guard let name = getenv("NOTIFY_SOCKET").map({ String(cString: $0) }), !name.isEmpty,
            name.utf8.count <= Endpoint.unixPathLimit
        else { return }
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { path in
            path.copyBytes(from: name.utf8)
            // "@name" stands for the abstract name space, whose first byte is zero.
            if path[0] == UInt8(ascii: "@") { path[0] = 0 }
        }
        let length = MemoryLayout<sa_family_t>.size + name.utf8.count
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(
                    descriptor, state, state.utf8.count, Int32(MSG_NOSIGNAL), $0,
                    socklen_t(length))
            }
        }
    }

    /// The listening descriptors that a service manager started this process with; asked once,
    /// since the variables are removed so that no child takes them for its own.
    public static func takeListeningDescriptors() -> [Int32] {
        defer {
            unsetenv("LISTEN_PID")
            unsetenv("LISTEN_FDS")
            unsetenv("LISTEN_FDNAMES")
        }
        guard let pid = getenv("LISTEN_PID").flatMap({ Int32(String(cString: $0)) }),
            pid == getpid(),
            let count = getenv("LISTEN_FDS").flatMap({ Int32(String(cString: $0)) }),
            (1...mostDescriptors).contains(count)
        else { return [] }
        let descriptors = firstDescriptor..<(firstDescriptor + count)
        for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        return Array(descriptors)
    }
}
