import CUV
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

    /// Not all of standard output could be written: the disk is full, say.
    public struct Failure: Error, CustomStringConvertible {
        /// With the system's words.
        public let description: String

        fileprivate init(_ error: Int32) {
            description = "standard output cannot be written: \(SystemReason.words(error))"
        }
    }

    /// Writes to standard error; what cannot be written is let go (nobody is left to be told).
    public static func writeError(_ bytes: [UInt8]) { _ = write(bytes, to: STDERR_FILENO) }

    /// Writes to standard output. Returns false when nobody reads it any more.
    public static func writeOutput(_ bytes: [UInt8]) throws(Failure) -> Bool {
        let error = write(bytes, to: STDOUT_FILENO)
        guard error == 0 || error == EPIPE else { throw Failure(error) }
        return error == 0
    }

    /// Hands what `print` keeps back to whoever reads standard output. Waits for nobody who is
    /// reading standard input, as `fflush(nil)` would. That nobody reads is no failure.
    public static func flush() throws(Failure) {
        let error = rex_flush_output()
        guard error == 0 || error == EPIPE else { throw Failure(error) }
    }

    /// Ends the process, output flushed.
    public static func exit(_ status: Int32) -> Never { Glibc.exit(status) }

    /// Ends the process at once, without any clean-up.
    public static func exitNow(_ status: Int32) -> Never { _exit(status) }

    /// Returns the system's number of what went wrong; 0 where nothing did.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        bytes.withUnsafeBytes { buffer in
            var left = buffer[...]
            while !left.isEmpty {
                let count = Glibc.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: left).baseAddress, left.count)
                if count < 0 {
                    if errno == EINTR { continue }
                    return errno
                }
                left = left.dropFirst(count)
            }
            return 0
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
