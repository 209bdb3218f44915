import CEdit
import Glibc
import RexClient
import RexLoop
import Synchronization

/// Lines typed at a terminal, with editing, history and completion (libedit), while others' lines
/// appear above the one being typed.
///
/// libedit waits for keys; so it has a thread of its own, and reads through a function that also
/// wakes for `notices`.
actor LineEditor {
    private nonisolated let thread = LoopThread()
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.loop.asUnownedSerialExecutor()
    }

    /// Lines remembered, in memory and in the file.
    private static let historyLimit: Int32 = 1_000

    private let prompt: String
    private let historyFile: String?
    private let notices: Notices
    private let complete: @Sendable (String) -> (insert: String, choices: [String])
    private var editing: Editing?

    /// - Parameters:
    ///   - historyFile: where lines are remembered; nil for nowhere.
    ///   - notices: what is to be shown above the line.
    ///   - complete: what Tab does to the line before the cursor.
    init(
        prompt: String, historyFile: String?, notices: Notices,
        complete: @escaping @Sendable (String) -> (insert: String, choices: [String])
    ) {
        self.prompt = prompt
        self.historyFile = historyFile
        self.notices = notices
        self.complete = complete
    }

    /// The next line without its end; nil at the end of input.
    func line() -> String? {
        if editing == nil { editing = Editing(prompt, historyFile, notices, complete) }
        return editing!.line()
    }

    /// Gives the terminal back.
    func end() { editing = nil }

    /// libedit's own objects, used on the editor's thread only.
    private final class Editing {
        private let edit: OpaquePointer
        private let past: OpaquePointer
        private let historyFile: String?
        private let notices: Notices
        private let complete: (String) -> (insert: String, choices: [String])
        private let prompt: UnsafeMutablePointer<CChar>

        init(
            _ prompt: String, _ historyFile: String?, _ notices: Notices,
            _ complete: @escaping (String) -> (insert: String, choices: [String])
        ) {
            setlocale(LC_ALL, "")
            if String(cString: nl_langinfo(nl_item(CODESET))) != "UTF-8" {
                setlocale(LC_CTYPE, "C.UTF-8")
            }
            self.historyFile = historyFile
            self.notices = notices
            self.complete = complete
            self.prompt = strdup(prompt)
            edit = rex_edit_open("rex-client")
            past = history_init()
            _ = rex_history_set_size(past, LineEditor.historyLimit)
            if let historyFile { _ = rex_history_load(past, historyFile) }
            rex_edit_keep(edit, Unmanaged.passUnretained(self).toOpaque())
            rex_edit_set_prompt(edit) { Editing.of($0).prompt }
            rex_edit_set_editor(edit, "emacs")
            rex_edit_use_history(edit, past)
            rex_edit_complete_with(edit) { edit, _ in Editing.of(edit).completeWord() }
            rex_edit_read_with(edit) { edit, character in Editing.of(edit).readKey(character!) }
        }

        deinit {
            el_end(edit)
            history_end(past)
            free(prompt)
        }

        private static func of(_ edit: OpaquePointer?) -> Editing {
            Unmanaged<Editing>.fromOpaque(rex_edit_owner(edit)!).takeUnretainedValue()
        }

        func line() -> String? {
            var count: Int32 = 0
            guard let text = el_gets(edit, &count), count > 0 else { return nil }
            let line = String(cString: text)
            if line.contains(where: { !$0.isWhitespace }) {
                _ = rex_history_enter(past, line)
                if let historyFile { _ = rex_history_save(past, historyFile) }
            }
            return line.hasSuffix("\n") ? String(line.dropLast()) : line
        }

        /// The next key, waiting for it and for notices.
        private func readKey(_ key: UnsafeMutablePointer<wchar_t>) -> Int32 {
            var bytes: [UInt8] = []
            while true {
                show(notices.take())
                var waits = [
                    pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: notices.descriptor, events: Int16(POLLIN), revents: 0),
                ]
                guard poll(&waits, 2, -1) > 0 else { continue }
                guard waits[0].revents != 0 else { continue }
                var byte: UInt8 = 0
                let count = read(STDIN_FILENO, &byte, 1)
                if count < 0, errno == EINTR || errno == EAGAIN { continue }
                guard count > 0 else { return 0 }
                bytes.append(byte)
                var decoder = UTF8()
                var iterator = bytes.makeIterator()
                if case .scalarValue(let scalar) = decoder.decode(&iterator) {
                    key.pointee = wchar_t(scalar.value)
                    return 1
                }
                if bytes.count == 4 { bytes = [] }
            }
        }

        private func show(_ lines: [String]) {
            guard !lines.isEmpty else { return }
            StandardOutput.raw("\r\u{1b}[J" + lines.map { $0 + "\n" }.joined())
            rex_edit_refresh(edit)
        }

        private func completeWord() -> UInt8 {
            guard let info = el_line(edit)?.pointee else { return UInt8(CC_ERROR) }
            let start = UnsafeRawPointer(info.buffer!)
            let bytes = UnsafeRawBufferPointer(
                start: start, count: UnsafeRawPointer(info.cursor!) - start)
            let (insert, choices) = complete(String(decoding: bytes, as: UTF8.self))
            if !insert.isEmpty { el_insertstr(edit, insert) }
            if choices.isEmpty { return UInt8(insert.isEmpty ? CC_ERROR : CC_REFRESH) }
            if insert.isEmpty {
                StandardOutput.raw("\n" + choices.joined(separator: "  ") + "\n")
                return UInt8(CC_REDISPLAY)
            }
            return UInt8(CC_REFRESH)
        }
    }
}

/// Lines that wait to be shown above the one being typed; put there from any thread.
final class Notices: Sendable {
    /// Lines that may wait; beyond it the oldest are dropped and counted, since the terminal cannot
    /// keep up.
    static let limit = 10_000

    private let lines = Mutex((waiting: [String](), dropped: 0))
    private let ends: (read: Int32, write: Int32)

    init() {
        var pair: [Int32] = [-1, -1]
        precondition(pipe(&pair) == 0, "no pipe: \(String(cString: strerror(errno)))")
        _ = fcntl(pair[0], F_SETFL, O_NONBLOCK)
        _ = fcntl(pair[1], F_SETFL, O_NONBLOCK)
        ends = (pair[0], pair[1])
    }

    deinit {
        close(ends.read)
        close(ends.write)
    }

    /// Readable while something may wait.
    var descriptor: Int32 { ends.read }

    func put(_ line: String) {
        let isFirst = lines.withLock { lines in
            if lines.waiting.count == Self.limit {
                lines.waiting.removeFirst()
                lines.dropped += 1
            }
            lines.waiting.append(line)
            return lines.waiting.count == 1
        }
        if isFirst {
            var byte: UInt8 = 0
            _ = write(ends.write, &byte, 1)
        }
    }

    /// Everything that waits.
    func take() -> [String] {
        var scratch = [UInt8](repeating: 0, count: 64)
        while read(ends.read, &scratch, scratch.count) > 0 {}
        return lines.withLock { lines in
            defer { lines = ([], 0) }
            return lines.dropped > 0
                ? ["… \(lines.dropped) lines were not shown"] + lines.waiting : lines.waiting
        }
    }
}
