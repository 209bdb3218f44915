import FoundationEssentials
import Glibc
import Synchronization

/// A program that a test started: its output as it comes, its input, its end. Every wait has a
/// deadline.
///
/// The child starts with no signal blocked and none ignored, whatever the test runner's own mask
/// is. It is killed when the object goes, so that a failed test leaves nothing behind.
public final class ChildProcess {
    /// How the child ended.
    public enum End: Equatable, Sendable {
        case exited(Int32)
        case signalled(Int32)
    }

    /// What did not happen in time, or ended before it happened.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// How long a wait goes on where nothing else is said: far longer than anything takes on a busy
    /// machine.
    public static let patience: Duration = .seconds(60)

    /// The child's number.
    public let pid: Int32
    private let name: String
    private var input: Int32
    private var output: Int32
    private var errors: Int32
    private var reaped: End?
    /// What came on the child's output and was not taken by `line` yet.
    private var held: [UInt8] = []
    private var outputEnded = false
    private(set) var errorBytes: [UInt8] = []
    /// Bytes of `errorBytes` that `errors(until:)` has passed.
    private var errorsTaken = 0

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - words: the program's path and its arguments.
    ///   - environment: replaces or adds to this process's own; a nil value removes.
    ///   - terminal: input and output are a pseudo-terminal of this size (columns, rows) instead of
    ///     pipes.
    ///   - descriptors: what the child gets as descriptors 3, 4, … ; they stay open here too.
    public init(
        _ words: [String], environment: [String: String?] = [:],
        terminal: (columns: Int, rows: Int)? = nil, descriptors: [Int32] = []
    ) throws {
        // Writing to a child that has ended must be an error and not this process's end.
        Glibc.signal(SIGPIPE, SIG_IGN)
        name = words[0].split(separator: "/").last.map(String.init) ?? words[0]
        // One at a time: another child must not inherit the ends of this one's pipes.
        (pid, input, output, errors) = try Self.spawning.withLock { _ in
            let plumbing =
                try terminal.map { try Plumbing.terminal($0.columns, $0.rows) } ?? Plumbing.pipes()
            let pid = try Self.spawn(words, environment, plumbing, descriptors)
            plumbing.closeChildEnds()
            return (pid, plumbing.input, plumbing.output, plumbing.errors)
        }
    }

    private static let spawning = Mutex(())

    private static func spawn(
        _ words: [String], _ changes: [String: String?], _ plumbing: Plumbing,
        _ further: [Int32]
    ) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let terminal = plumbing.terminal {
            posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
            posix_spawn_file_actions_adddup2(&actions, 0, 1)
            posix_spawn_file_actions_adddup2(&actions, plumbing.child[0], 2)
        } else {
            for (index, descriptor) in plumbing.child.enumerated() {
                posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(index))
            }
        }
        // In two steps: a place may be taken by a descriptor that is still to be moved.
        let places = Int32(3)..<Int32(3 + further.count)
        for (place, descriptor) in zip(places, further) {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Self.aside + place)
        }
        for place in places {
            posix_spawn_file_actions_adddup2(&actions, Self.aside + place, place)
            posix_spawn_file_actions_addclose(&actions, Self.aside + place)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | newSession))
        var environment = ProcessInfo.processInfo.environment
        for (key, value) in changes { environment[key] = value }
        var pid: Int32 = 0
        let status = withCStrings(words) { argv in
            withCStrings(environment.map { "\($0.key)=\($0.value)" }) { envp in
                posix_spawnp(&pid, words[0], &actions, &attributes, argv, envp)
            }
        }
        guard status == 0 else {
            throw Failure(description: "\(words[0]) could not be started: \(text(of: status))")
        }
        return pid
    }

    /// Above all descriptors that a test has open.
    private static let aside: Int32 = 900

    /// POSIX_SPAWN_SETSID, which the C library shows to GNU sources only.
    private static let newSession: Int32 = 0x80

    private static func text(of error: Int32) -> String { String(cString: strerror(error)) }

    private static func withCStrings<T>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> T
    ) -> T {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }

    // MARK: Input

    /// Writes to the child's input.
    public func write(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(input, $0.baseAddress, $0.count) }
            guard count > 0 else {
                throw Failure(description: "\(name) takes no input: \(Self.text(of: errno))")
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Ends the child's input.
    public func closeInput() {
        if input >= 0, input != output { close(input) }
        input = -1
    }

    // MARK: Output

    /// The next line of the child's output, without its line feed.
    public func line(within limit: Duration = patience) throws -> String {
        let deadline = ContinuousClock.now + limit
        while true {
            if let end = held.firstIndex(of: 10) {
                defer { held.removeSubrange(...end) }
                return String(decoding: held[..<end], as: UTF8.self)
            }
            guard try fill(before: deadline, for: "a line") else {
                throw Failure(
                    description:
                        "\(name) ended its output; so far \(String(decoding: held, as: UTF8.self))")
            }
        }
    }

    /// Reads until the output so far holds `text`, and returns all of it up to there.
    @discardableResult
    public func output(until text: String, within limit: Duration = patience) throws -> String {
        let deadline = ContinuousClock.now + limit
        while true {
            let all = String(decoding: held, as: UTF8.self)
            if let range = all.firstRange(of: text) {
                let end = all.utf8.distance(from: all.startIndex, to: range.upperBound)
                held.removeSubrange(..<end)
                return String(all[..<range.upperBound])
            }
            guard try fill(before: deadline, for: text) else {
                throw Failure(description: "\(name) ended without \(text); so far \(all)")
            }
        }
    }

    /// Everything until the output ends.
    public func rest(within limit: Duration = patience) throws -> String {
        let deadline = ContinuousClock.now + limit
        while try fill(before: deadline, for: "the end") {}
        defer { held = [] }
        return String(decoding: held, as: UTF8.self)
    }

    /// What came on standard error so far.
    public var errorText: String { String(decoding: errorBytes, as: UTF8.self) }

    /// Reads standard error until it holds `text` behind what an earlier call returned, and returns
    /// all of it up to there.
    @discardableResult
    public func errors(until text: String, within limit: Duration = patience) throws -> String {
        let deadline = ContinuousClock.now + limit
        while true {
            let all = String(decoding: errorBytes[errorsTaken...], as: UTF8.self)
            if let range = all.firstRange(of: text) {
                errorsTaken += all.utf8.distance(from: all.startIndex, to: range.upperBound)
                return String(all[..<range.upperBound])
            }
            guard errors >= 0, try wait(for: errors, before: deadline) else {
                throw Failure(description: "\(name) did not say \(text); it said \(all)")
            }
            readErrors()
        }
    }

    /// Whether a descriptor became readable before the deadline.
    private func wait(
        for descriptor: Int32, before deadline: ContinuousClock.Instant
    ) throws -> Bool {
        let left = deadline - .now
        guard left > .zero else { return false }
        var list = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
        return poll(&list, 1, Int32(left / .milliseconds(1)) + 1) > 0
    }

    /// Waits for more; false when the output has ended.
    private func fill(
        before deadline: ContinuousClock.Instant, for wanted: String
    ) throws -> Bool {
        while true {
            if outputEnded { return false }
            let left = deadline - .now
            guard left > .zero else {
                let soFar = String(decoding: held, as: UTF8.self)
                throw Failure(
                    description: "\(wanted) did not come in time from \(name); so far \(soFar) "
                        + "| \(errorText)")
            }
            var list = [
                pollfd(fd: output, events: Int16(POLLIN), revents: 0),
                pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
            ]
            poll(
                &list, 2,
                Int32(
                    left.components.seconds * 1000 + left.components.attoseconds
                        / 1_000_000_000_000_000 + 1))
            if list[1].revents != 0 { readErrors() }
            if list[0].revents != 0 {
                let more = read(output)
                if more.isEmpty { outputEnded = true } else { held += more }
                return !more.isEmpty
            }
        }
    }

    private func readErrors() {
        let more = read(errors)
        if more.isEmpty {
            close(errors)
            errors = -1
        }
        errorBytes += more
    }

    private func read(_ descriptor: Int32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
        }
    }

    // MARK: The end

    /// Sends a signal, such as SIGTERM.
    public func signal(_ number: Int32) {
        if reaped == nil { kill(pid, number) }
    }

    /// Waits for the end and returns how it came; reads what is left of standard error.
    @discardableResult
    public func wait(within limit: Duration = patience) throws -> End {
        let deadline = ContinuousClock.now + limit
        if input >= 0, input != output { closeInput() }
        while !outputEnded || errors >= 0 {
            var list = [
                pollfd(fd: outputEnded ? -1 : output, events: Int16(POLLIN), revents: 0),
                pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
            ]
            guard ContinuousClock.now < deadline else { break }
            poll(&list, 2, 50)
            if list[1].revents != 0 { readErrors() }
            if list[0].revents != 0 {
                let more = read(output)
                if more.isEmpty { outputEnded = true } else { held += more }
            }
            if reapIfEnded(), list.allSatisfy({ $0.revents == 0 }) { break }
        }
        while !reapIfEnded() {
            guard ContinuousClock.now < deadline else {
                throw Failure(description: "\(name) has not ended in time | \(errorText)")
            }
            poll(nil, 0, 2)
        }
        return reaped!
    }

    private func reapIfEnded() -> Bool {
        if reaped != nil { return true }
        var status: Int32 = 0
        guard waitpid(pid, &status, WNOHANG) == pid else { return false }
        reaped = status & 0x7f == 0 ? .exited((status >> 8) & 0xff) : .signalled(status & 0x7f)
        return true
    }

    /// True until the child has ended.
    public var isRunning: Bool { !reapIfEnded() }

    deinit {
        if !reapIfEnded() {
            kill(pid, SIGKILL)
            var status: Int32 = 0
            waitpid(pid, &status, 0)
        }
        for descriptor in Set([input, output, errors]) where descriptor >= 0 { close(descriptor) }
    }
}

/// The three descriptors of a child and our ends of them.
private struct Plumbing {
    /// What the child gets as 0, 1 and 2; with a terminal as 2 alone.
    let child: [Int32]
    /// The child opens it itself as 0 and 1: as the leader of its session it is then controlled by
    /// it, so that Ctrl-C is a signal.
    var terminal: String?
    let input: Int32
    let output: Int32
    let errors: Int32

    static func pipes() throws -> Plumbing {
        let (inRead, inWrite) = try pipe()
        let (outRead, outWrite) = try pipe()
        let (errorRead, errorWrite) = try pipe()
        return Plumbing(
            child: [inRead, outWrite, errorWrite], input: inWrite, output: outRead,
            errors: errorRead)
    }

    /// TIOCSPTLCK and TIOCGPTN of Linux.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    static func terminal(_ columns: Int, _ rows: Int) throws -> Plumbing {
        // /dev/ptmx by hand: posix_openpt and its friends are shown to XOPEN sources only.
        let ours = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var unlocked: Int32 = 0
        var number: Int32 = 0
        guard ours >= 0, ioctl(ours, setLock, &unlocked) == 0, ioctl(ours, getNumber, &number) == 0
        else { throw ChildProcess.Failure(description: "no pseudo-terminal can be had") }
        var size = winsize(
            ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(ours, UInt(TIOCSWINSZ), &size)
        let (errorRead, errorWrite) = try pipe()
        return Plumbing(
            child: [errorWrite], terminal: "/dev/pts/\(number)", input: ours, output: ours,
            errors: errorRead)
    }

    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard Glibc.pipe(&ends) == 0 else {
            throw ChildProcess.Failure(description: "no pipe can be had")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    func closeChildEnds() {
        for descriptor in Set(child) { close(descriptor) }
    }
}
