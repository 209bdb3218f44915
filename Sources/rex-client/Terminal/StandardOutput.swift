import Glibc

/// The two streams of talk: data to stdout, words for a person to stderr.
///
/// Each line is written at once, whole. When nobody reads any more (`| head`) the program ends
/// quietly.
enum StandardOutput {
    /// True when stdout is a terminal.
    static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// True when stderr is a terminal.
    static let talksToTerminal = isatty(STDERR_FILENO) == 1

    /// True where colour may be shown: on a terminal, and not with NO_COLOR.
    static let hasColour =
        isTerminal && (getenv("NO_COLOR").map { $0.pointee == 0 } ?? true)
        && getenv("TERM").map { String(cString: $0) } != "dumb"

    /// Writes a line of data.
    static func line(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

    /// Writes text as it is, for a screen.
    static func raw(_ text: String) { write(text, to: STDOUT_FILENO) }

    /// Writes a line to stderr, with the program's name before it.
    static func talk(_ text: String) { write("rex-client: \(text)\n", to: STDERR_FILENO) }

    /// Writes over the last such line on a terminal at stderr.
    static func progress(_ text: String) { write("\r\u{1B}[K\(text)", to: STDERR_FILENO) }

    private static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeBufferPointer(rebasing: rest)
                let count = Glibc.write(descriptor, part.baseAddress, part.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    poll(&wait, 1, -1)
                } else if errno != EINTR {
                    // EPIPE and whatever else: there is nobody left to tell.
                    exit(descriptor == STDOUT_FILENO && errno == EPIPE ? 0 : 1)
                }
            }
        }
    }
}
