import Rex

/// The chat in one process: several people at one terminal, and the log of the pipeline.
public final class ChatTerminal: TerminalExample {
    /// `chat`.
    public static let name = "chat"
    /// What it shows.
    public static let summary = "a chat with the log of its pipeline, as in Swift-Rex"
    /// Its lines.
    public static let usage = [
        "NAME join ROOM          enters a room",
        "NAME say ROOM TEXT      says something",
        "NAME typing ROOM        is writing, for \(ChatLimits.typing.components.seconds) s",
        "NAME leave ROOM         leaves a room",
        "NAME gone               has hung up",
        "undo, redo              travels in time",
    ]

    private let store: Store<ChatReducer>
    private let log = ExampleLines()
    private let write: @MainActor (String) -> Void
    private var shown: ChatState

    /// Nobody is there yet.
    public init(clock: any Clock<Duration>, write: @escaping @MainActor (String) -> Void) {
        let log = log
        self.write = write
        log.write = write
        shown = ChatState()
        store = Store(
            initialState: shown, reducer: ChatReducer(),
            pipelineHooks: {
                [AnyPipelineHook(LoggingPipelineHook(label: "ChatApp") { log.post($0) })]
            },
            timeTravel: TimeTravelPipelineHook(), clock: clock)
    }

    /// Acts as the person that the line names.
    public func take(_ words: [String]) async throws {
        defer { log.flush() }
        switch words {
        case ["undo"]: await store.undoTimeTravel()
        case ["redo"]: await store.redoTimeTravel()
        default: try await act(words)
        }
    }

    private func act(_ words: [String]) async throws {
        guard words.count >= 2 else { throw unknown(words) }
        let person = ClientIdentity(id: words[0])
        if words[1...] == ["gone"] {
            try await store.send(.disconnected(person), from: .system)
            return
        }
        guard words.count >= 3 else { throw unknown(words) }
        let room = words[2]
        let action: ChatAction
        switch (words[1], words.count) {
        case ("join", 3): action = .join(room: room, name: words[0])
        case ("leave", 3): action = .leave(room: room)
        case ("typing", 3): action = .typing(room: room)
        case ("say", 4...):
            action = .send(room: room, text: words.dropFirst(3).joined(separator: " "))
        default: throw unknown(words)
        }
        try await store.send(action, from: .client(person))
    }

    /// Shows the rooms, where they are other than before.
    public func show() {
        log.flush()
        let state = store.state
        if state == shown { return }
        shown = state
        for (name, room) in state.rooms.sorted(by: { $0.key < $1.key }) {
            let typing =
                room.typing.isEmpty ? "" : "; \(room.typing.joined(separator: ", ")) writes"
            let members = room.members.isEmpty ? "nobody" : room.members.joined(separator: ", ")
            write("#\(name): \(members)\(typing)")
            for message in room.messages { write("  \(message.from): \(message.text)") }
        }
    }

    /// The store's.
    public func effectCount() async -> Int { await store.effects.count }
}
