import Glibc
import RexLoop

/// Standard input, read on a thread of its own, because reading a terminal or a pipe waits.
///
/// Pull, not push: nothing is read before somebody asks, so a fast producer waits in its pipe.
actor StandardInput {
    /// The process's one standard input.
    static let shared = StandardInput()

    /// True when stdin is a terminal.
    static let isTerminal = isatty(STDIN_FILENO) == 1

    /// Bytes of a line beyond which it is refused, as the server's own default for a frame.
    static let lineLimitBytes = 64 << 20

    private nonisolated let thread = LoopThread()
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.loop.asUnownedSerialExecutor()
    }

    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    /// The next line without its end; nil at the end of input.
    func line() throws -> String? {
        var searched = start
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return String(decoding: buffer[start..<end], as: UTF8.self)
            }
            searched = buffer.count
            if isAtEnd {
                guard start < buffer.count else { return nil }
                defer { start = buffer.count }
                return String(decoding: buffer[start...], as: UTF8.self)
            }
            guard buffer.count - start <= Self.lineLimitBytes else {
                throw Failure(
                    "a line of standard input is longer than \(Self.lineLimitBytes) bytes")
            }
            searched -= start
            buffer.removeFirst(start)
            start = 0
            buffer += read()
        }
    }

    /// Lines beyond which `lines` gives what it has.
    static let batchLimit = 256

    private var number = 0

    /// The next line and those after it that are there without waiting, with their numbers from 1;
    /// nil at the end of input.
    func lines() throws -> [(number: Int, text: String)]? {
        guard let first = try line() else { return nil }
        number += 1
        var batch = [(number: number, text: first)]
        while batch.count < Self.batchLimit, hasWholeLine, let next = try line() {
            number += 1
            batch.append((number, next))
        }
        return batch
    }

    private var hasWholeLine: Bool { buffer[start...].contains(UInt8(ascii: "\n")) }

    /// Everything up to the end of input.
    func everything() throws -> [UInt8] {
        while !isAtEnd {
            buffer += read()
            guard buffer.count <= Self.lineLimitBytes else {
                throw Failure("standard input is longer than \(Self.lineLimitBytes) bytes")
            }
        }
        defer { start = buffer.count }
        return Array(buffer[start...])
    }

    /// The next bytes, as they come from a terminal; empty at the end of input.
    func bytes() -> [UInt8] { read() }

    private func read() -> [UInt8] {
        let chunkBytes = 64 * 1024
        while true {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: chunkBytes) { memory, filled in
                count = Glibc.read(STDIN_FILENO, memory.baseAddress, chunkBytes)
                filled = max(0, count)
            }
            if count > 0 { return bytes }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                var wait = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
                poll(&wait, 1, -1)
                continue
            }
            isAtEnd = true
            return []
        }
    }
}
