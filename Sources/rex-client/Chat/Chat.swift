import RexClient
import RexProtocol
import Synchronization

extension Main {
    static func chat(_ call: Call) async throws -> ExitStatus {
        let isInteractive = StandardInput.isTerminal && StandardOutput.isTerminal
        return try await Chat(call, isInteractive: isInteractive).run()
    }
}

/// One person in one room, across reconnects.
final class Chat: Sendable {
    /// How long a name may still be held by our own lost connection before that is an error.
    private static let rejoinLimit: Duration = .seconds(30)
    /// The time between two tries to get our own name back.
    private static let rejoinPause: Duration = .milliseconds(500)
    /// How long the last words of the room are waited for when leaving.
    private static let leaveLimit: Duration = .seconds(2)

    private let room: String
    private let name: String
    private let store: String
    private let isInteractive: Bool
    private let view: ChatView
    private let link: RexLink
    private let notes: AsyncStream<String>
    private let isLeaving = Atomic(false)

    init(_ call: Call, isInteractive: Bool) {
        let room = call.operands[0]
        let name = call.operands[1]
        let store = call.store ?? "chat"
        self.room = room
        self.name = name
        self.store = store
        self.isInteractive = isInteractive
        view = ChatView(room: room, me: name, isInteractive: isInteractive)
        let (notes, teller) = AsyncStream.makeStream(
            of: String.self, bufferingPolicy: .bufferingNewest(16))
        self.notes = notes
        let join = ActionText.action(
            "join", RawJSON(["room": .string(room), "name": .string(name)]))
        let hasJoined = Atomic(false)
        link = RexLink(call.url, timeout: call.timeout, hello: call.hello) { news in
            if let line = news.line { teller.yield(line) }
        } greet: { connection throws(ConnectionError) in
            let deadline = ContinuousClock.now + Self.rejoinLimit
            while true {
                do throws(ConnectionError) {
                    _ = try await connection.request(
                        .dispatch(.init(store: store, action: .raw(join))))
                    hasJoined.store(true, ordering: .relaxed)
                    return
                } catch {
                    // Coming back, the server may not know yet that the old connection is gone.
                    guard case .refused(let refusal) = error, refusal.code == .rejected,
                        hasJoined.load(ordering: .relaxed), .now < deadline
                    else { throw error }
                    try? await Task.sleep(for: Self.rejoinPause)
                }
            }
        }
    }

    /// Until the person leaves.
    func run() async throws -> ExitStatus {
        try await link.connect()
        let terminal = TerminalMode()
        if isInteractive { terminal.enterRaw() }
        defer { if isInteractive { terminal.restore() } }
        let guardian =
            isInteractive
            ? await TerminalGuard(terminal) { [view] in Task { await view.resized() } } : nil
        defer { withExtendedLifetime(guardian) {} }
        let path = JSONPointer(tokens: ["rooms", room])
        let watch = Watch(link, store: store, path: path)
        let notes = Task { [notes, view, isInteractive] in
            for await note in notes {
                if isInteractive {
                    await view.note(["* \(note)"])
                } else {
                    StandardOutput.talk(note)
                }
            }
        }
        do { try await showNext(of: watch) } catch {
            await view.end()
            throw error
        }
        let (endings, teller) = AsyncStream.makeStream(of: Ending.self)
        Task { teller.yield(.room(await Self.result { try await self.follow(watch) })) }
        Task { teller.yield(.person(await Self.result { try await self.read() })) }
        let status = await end(endings, teller)
        notes.cancel()
        await link.close()
        await view.end()
        return try status.get()
    }

    /// Who ended the chat, and how.
    private enum Ending: Sendable {
        /// The person left, or what they asked for cannot be done.
        case person(Result<ExitStatus, any Error>)
        /// The room's last words were shown after leaving, or it cannot be followed.
        case room(Result<Void, any Error>)
        /// The last words were waited for long enough.
        case late
    }

    private func end(
        _ endings: AsyncStream<Ending>, _ teller: AsyncStream<Ending>.Continuation
    ) async -> Result<ExitStatus, any Error> {
        var status = Result<ExitStatus, any Error>.success(.done)
        for await ending in endings {
            switch ending {
            case .room(.failure(let error)): return .failure(error)
            case .room(.success), .late: return status
            case .person(let result):
                status = result
                guard case .success(.done) = result else { return result }
                Task {
                    try await Task.sleep(for: Self.leaveLimit)
                    teller.yield(.late)
                }
            }
        }
        return status
    }

    private static func result<T: Sendable>(
        _ body: () async throws -> T
    ) async -> Result<T, any Error> {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    // MARK: The room

    /// Shows the room and each change of it; returns once the person has left.
    private func follow(_ watch: Watch) async throws {
        while true {
            try await showNext(of: watch)
            let members = await view.room?.members ?? []
            if isLeaving.load(ordering: .relaxed), !members.contains(name) { return }
        }
    }

    private func showNext(of watch: Watch) async throws {
        let epoch = await watch.replica?.position.epoch
        _ = try await watch.next()
        guard let replica = await watch.replica, let state = replica.state else { return }
        let isAnew = epoch != nil && epoch != replica.position.epoch
        await view.tell(ChatRoom(state), isAnew: isAnew)
    }

    // MARK: The person

    private func read() async throws -> ExitStatus {
        while true {
            for deed in try await deeds() {
                switch deed {
                case .submitted(let input):
                    if try await perform(input) { return try await leave() }
                case .typing: noteTyping()
                case .interrupted: return .interrupted
                case .ended: return try await leave()
                }
            }
        }
    }

    private func deeds() async throws -> [ChatView.Deed] {
        guard isInteractive else {
            guard let line = try await StandardInput.shared.line() else { return [.ended] }
            return [.submitted(ChatInput(line))]
        }
        let bytes = await StandardInput.shared.bytes()
        return bytes.isEmpty ? [.ended] : await view.typed(bytes)
    }

    /// True when the person wants to leave.
    private func perform(_ input: ChatInput) async throws -> Bool {
        switch input {
        case .nothing: break
        case .leave: return true
        case .help: await view.note(ChatInput.helpLines)
        case .wrong(let text): await complain(text)
        case .who:
            let members = await view.room?.members ?? []
            let names = members.map(VisibleText.escaped).joined(separator: ", ")
            await view.note(["* here: \(names)"])
        case .say(let text): try await act("send", ["text": .string(text)])
        case .topic(let text): try await act("setTopic", ["topic": .string(text)])
        case .edit(let id, let text):
            var message = id
            if message == nil { message = try await lastMessage() }
            guard let message else {
                await complain("you have said nothing to edit")
                break
            }
            try await act("edit", ["id": .string(message), "text": .string(text)])
        }
        return false
    }

    private func complain(_ text: String) async {
        if isInteractive { await view.note(["* \(text)"]) } else { StandardOutput.talk(text) }
    }

    /// Says it to the server; across a lost connection with the same key, so it is done once.
    private func act(_ type: String, _ members: JSONObject) async throws {
        var members = members
        members["room"] = .string(room)
        let action = ActionText.action(type, RawJSON(.object(members)))
        let key = "\(name)-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        _ = try await ask { [store] in
            var frame = ClientFrame.Dispatch(store: store, action: .raw(action))
            frame.key = key
            return .dispatch(frame)
        }
    }

    /// One's own last message as the server has it: what is shown may not hold yet what was just
    /// said.
    private func lastMessage() async throws -> String? {
        let path = JSONPointer(tokens: ["rooms", room])
        let answer = try await ask { [store] in
            var frame = ClientFrame.Get(store: store)
            frame.path = path
            return .get(frame)
        }
        guard case .state(let state)? = answer else { return nil }
        return ChatRoom(state.state.value).messages.last { $0.from == name }?.id
    }

    /// Asks until there is an answer, over the next connection where one is lost; nil when the
    /// server said no, which is told.
    private func ask(_ frame: @Sendable () -> ClientFrame) async throws -> ServerFrame? {
        while true {
            do throws(ConnectionError) {
                return try await link.connection().request(frame())
            } catch {
                if case .refused = error {
                    await complain("\(error)")
                    return nil
                }
                guard error.isWorthAnotherTry else { throw error }
            }
        }
    }

    /// Tells the others, without waiting: a lost notice is no loss.
    private func noteTyping() {
        let action = ActionText.action("typing", RawJSON(["room": .string(room)]))
        Task { [link, store] in
            guard let connection = try? await link.connection() else { return }
            _ = try? await connection.request(.dispatch(.init(store: store, action: .raw(action))))
        }
    }

    /// Leaves the room; its last words still come.
    private func leave() async throws -> ExitStatus {
        isLeaving.store(true, ordering: .relaxed)
        try await act("leave", [:])
        return .done
    }
}
