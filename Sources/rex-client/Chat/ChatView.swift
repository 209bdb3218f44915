import RexClient
import RexProtocol

/// What the person sees and types: the narrator, the input line, the screen. The only one that
/// writes to stdout while a chat goes on.
actor ChatView {
    /// What a key or a line came to.
    enum Deed: Sendable {
        case submitted(ChatInput)
        case typing
        case interrupted
        case ended
    }

    private var narrator: ChatNarrator
    private var input = InputLine()
    private var keys = KeyDecoder()
    private var notice = TypingNotice()
    private var screen: ChatScreen?

    /// - Parameter isInteractive: true for a terminal in raw mode, false for plain pipes.
    init(room: String, me: String, isInteractive: Bool) {
        narrator = ChatNarrator(
            room: VisibleText.escaped(room), me: me, tellsTyping: !isInteractive,
            time: LocalTime.hourAndMinute)
        if isInteractive {
            screen = ChatScreen(
                columns: TerminalMode.columns, prompt: "\(VisibleText.escaped(me))> ",
                hasColour: StandardOutput.hasColour)
        }
    }

    /// The room as it was last shown.
    var room: ChatRoom? { narrator.present }

    /// Shows how the room has changed; `isAnew` when it has another history.
    func tell(_ room: ChatRoom, isAnew: Bool) {
        if isAnew { narrator.forget() }
        let status = narrator.status
        let lines = narrator.tell(room)
        if !lines.isEmpty || narrator.status != status { write(lines) }
    }

    /// Shows lines of the program's own.
    func note(_ lines: [String]) { write(lines) }

    /// The window has another size.
    func resized() {
        screen?.columns = TerminalMode.columns
        write([])
    }

    /// Takes what was typed.
    func typed(_ bytes: [UInt8]) -> [Deed] {
        var deeds: [Deed] = []
        for key in keys.feed(bytes) {
            switch input.apply(key) {
            case .changed:
                if notice.isDue(for: input.content, at: .now) { deeds.append(.typing) }
            case .submitted(let line):
                notice.ended()
                deeds.append(.submitted(ChatInput(line)))
            case .interrupted: deeds.append(.interrupted)
            case .ended: deeds.append(.ended)
            case .moved, .nothing: break
            }
        }
        write([])
        return deeds
    }

    /// Takes the status and input lines away.
    func end() {
        guard var screen else { return }
        StandardOutput.raw(screen.erase())
        self.screen = nil
    }

    private func write(_ lines: [String]) {
        if screen != nil {
            StandardOutput.raw(screen!.show(lines, status: narrator.status, input: input))
        } else {
            for line in lines { StandardOutput.line(line) }
        }
    }
}
