import Glibc
import RexCommandLine

/// What the program has from the system that started it.
enum Process {
    /// The words after the program's name.
    ///
    /// - Throws: `UsageError` where one is not UTF-8: what would be sent is not what was typed.
    static func words() throws(UsageError) -> [String] {
        var words: [String] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let bytes = CommandLine.unsafeArgv[index],
                let word = String(validatingCString: bytes)
            else { throw UsageError("word \(index) is not UTF-8") }
            words.append(word)
        }
        return words
    }

    /// The environment.
    static var environment: [String: String] {
        var result: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            if let mark = text.firstIndex(of: "=") {
                result[String(text[..<mark])] = String(text[text.index(after: mark)...])
            }
            next += 1
        }
        return result
    }

    /// Ctrl-C ends the program with status 130 from here on; a closed pipe is an error of `write`.
    static func prepareSignals() {
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        signal(SIGPIPE, SIG_IGN)
        signal(SIGINT) { _ in _exit(130) }
    }

    /// Ends the program.
    static func end(_ status: ExitStatus) -> Never { exit(status.rawValue) }

    /// The bytes of a file.
    static func contents(of path: String) throws(Failure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else {
            throw Failure("cannot read \(path): \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var result: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count > 0 { result += chunk[..<count] } else if count == 0 { return result }
            if count < 0, errno != EINTR {
                throw Failure("cannot read \(path): \(String(cString: strerror(errno)))")
            }
        }
    }
}
