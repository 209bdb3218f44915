import Glibc

/// The process's own output, written at once and whole.
public enum StandardStreams {
    /// Opens those of the three that the process was started without: the next socket would take
    /// the place, and be sent what is meant for a person. First thing in a program.
    public static func openMissing() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number, which is this one.
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// Writes to standard error; what cannot be written is let go (nobody is left to be told).
    public static func writeError(_ bytes: [UInt8]) { write(bytes, to: STDERR_FILENO) }

    /// Writes to standard output. Returns false when nobody reads it any more.
    @discardableResult
    public static func writeOutput(_ bytes: [UInt8]) -> Bool { write(bytes, to: STDOUT_FILENO) }

    /// Hands what `print` keeps back to whoever reads standard output.
    public static func flush() { fflush(nil) }

    /// Ends the process, output flushed.
    public static func exit(_ status: Int32) -> Never { Glibc.exit(status) }

    /// Ends the process at once, without any clean-up.
    public static func exitNow(_ status: Int32) -> Never { _exit(status) }

    @discardableResult
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var left = buffer[...]
            while !left.isEmpty {
                let count = Glibc.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: left).baseAddress, left.count)
                if count < 0 {
                    if errno == EINTR { continue }
                    return false
                }
                left = left.dropFirst(count)
            }
            return true
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The offset of the first `byte`, by the C library's vectorised search.
    public func firstOffset(of byte: UInt8) -> Int? {
        guard let baseAddress, let found = memchr(baseAddress, Int32(byte), count) else {
            return nil
        }
        return UnsafeRawPointer(found) - baseAddress
    }
}

extension UnsafeRawBufferPointer {
    /// How often `byte` occurs.
    public func count(of byte: UInt8) -> Int {
        var count = 0
        var rest = self
        while let offset = rest.firstOffset(of: byte) {
            count += 1
            rest = UnsafeRawBufferPointer(rebasing: rest[(offset + 1)...])
        }
        return count
    }
}
