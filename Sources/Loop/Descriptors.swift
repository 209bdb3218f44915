import Glibc

/// The descriptors that the process may have (RLIMIT_NOFILE).
public enum Descriptors {
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    /// Their number: each is below it.
    static var limit: Int32 {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return .max }
        return Int32(clamping: limit.rlim_cur)
    }

    /// The one that the next socket or file gets; `limit` where none is free.
    static var lowestFree: Int32 {
        let lowest = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
        guard lowest >= 0 else { return errno == EMFILE ? limit : 0 }
        close(lowest)
        return lowest
    }

    /// Lets the process have as many as the system allows it. For a program that serves many; what
    /// uses `select` must not do so.
    public static func raiseLimit() {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
    }
}
