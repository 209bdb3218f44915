import RexClient
import RexCommandLine
import RexProtocol
import Synchronization

extension Main {
    static func repl(_ call: Call) async throws -> ExitStatus { try await Repl(call).run() }
}

/// Lines typed, frames sent, every line of the server shown.
actor Repl {
    private let call: Call
    private let isInteractive = StandardInput.isTerminal && StandardOutput.isTerminal
    private let notices = Notices()
    private let words = Mutex<[String]>(ReplLine.ownWords + ClientFrame.ops)
    private var store: String?
    private var connection: LineConnection?
    private var shower: Task<Void, Never>?

    init(_ call: Call) {
        self.call = call
        store = call.store
    }

    func run() async throws -> ExitStatus {
        try await connect()
        guard isInteractive else { return try await plain() }
        await learnTypes()
        let terminal = TerminalMode()
        let guardian = await TerminalGuard(terminal)
        defer {
            withExtendedLifetime(guardian) {}
            terminal.restore()
        }
        let editor = LineEditor(
            prompt: "rex> ", historyFile: HistoryFile.path(in: Process.environment),
            notices: notices
        ) { [weak self] line in
            Completion.complete(line, from: self?.words.withLock { $0 } ?? [])
        }
        show("\(call.url); help tells what can be typed")
        while let line = await editor.line() {
            guard await perform(line) else { break }
        }
        await editor.end()
        StandardOutput.raw("\n")
        await connection?.close()
        return .done
    }

    /// The last question of a conversation without a terminal: replies come in order, so its answer
    /// means that all others are there.
    private static let lastID = "rex-client: end of input"

    /// Without a terminal: lines in, frames out, until all are answered.
    private func plain() async throws -> ExitStatus {
        while let line = try await StandardInput.shared.line() {
            guard await perform(line) else { break }
        }
        if let connection {
            let ping = ClientFrame.ping(.init(id: FrameID(Self.lastID)))
            var writer = JSONWriter(capacity: 64)
            ping.encode(into: &writer)
            await connection.send(writer.bytes + [UInt8(ascii: "\n")])
            await shower?.value
            await connection.close()
        }
        return .done
    }

    /// False when the person wants to quit.
    private func perform(_ line: String) async -> Bool {
        let input: ReplLine
        do throws(UsageError) { input = try ReplLine(line, store: store) } catch {
            complain(error.description)
            return true
        }
        switch input {
        case .nothing: break
        case .quit: return false
        case .help: for line in ReplLine.helpLines { show(line) }
        case .use(let name):
            store = name
            await learnTypes()
        case .send(let text):
            do {
                try await connect()
                await connection?.send(Array("\(text)\n".utf8))
            } catch {
                complain("\(error)")
            }
        }
        return true
    }

    // MARK: The server

    /// Connects where there is no connection, the first time and after one is lost.
    private func connect() async throws(ConnectionError) {
        guard connection == nil else { return }
        let connection = try await call.connectLines()
        self.connection = connection
        shower = Task {
            let reason = await showAll(from: connection)
            lost(reason)
        }
    }

    private func lost(_ reason: String) {
        connection = nil
        if isInteractive { complain("\(reason); the next line connects again") }
    }

    private nonisolated func showAll(from connection: LineConnection) async -> String {
        do throws(ConnectionError) {
            while let line = try await connection.nextLine() {
                if !isInteractive, Self.isLast(line) { break }
                show(frame: line)
            }
            return "the server ended the connection"
        } catch {
            return error.description
        }
    }

    private static func isLast(_ line: [UInt8]) -> Bool {
        guard let frame = try? RawJSON(parsing: line).value else { return false }
        return frame["op"] == "pong" && frame["id"]?.string == lastID
    }

    /// The action types of the store, from what the server says to one that it does not know.
    private func learnTypes() async {
        var frame = ClientFrame.Dispatch(
            store: store, action: .raw(ActionText.action("?", nil)))
        frame.dryRun = true
        do throws(ConnectionError) {
            _ = try await call.ask(.dispatch(frame))
        } catch {
            guard case .refused(let refusal) = error else { return }
            let types = Completion.knownTypes(in: refusal.message)
            words.withLock { $0 = ReplLine.ownWords + ClientFrame.ops + types }
        }
    }

    // MARK: Showing

    private nonisolated func show(frame line: [UInt8]) {
        let text = VisibleText.escaped(String(decoding: line, as: UTF8.self))
        guard isInteractive, VisibleText.columns(text) > TerminalMode.columns,
            let json = try? RawJSON(parsing: line)
        else { return show(text) }
        show(JSONText.indented(json, style: StandardOutput.hasColour ? .coloured : .plain))
    }

    private nonisolated func show(_ line: String) {
        if isInteractive { notices.put(line) } else { StandardOutput.line(line) }
    }

    private nonisolated func complain(_ text: String) {
        if isInteractive { notices.put(text) } else { StandardOutput.talk(text) }
    }
}
