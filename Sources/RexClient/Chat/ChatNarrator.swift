/// Tells what happens in a room, line by line, from its states alone.
///
/// Two states in, lines out. So nothing is told twice after a reconnect, and what happened
/// meanwhile is told then. Everything that others wrote is escaped.
package struct ChatNarrator {
    /// Messages shown of what was said before.
    package static let recallLimit = 20

    private let room: String
    private let me: String
    private let time: (String) -> String
    private let tellsTyping: Bool
    private var last: ChatRoom?

    /// - Parameters:
    ///   - tellsTyping: true where there is no status line for it (plain pipes).
    ///   - time: what to show of a message's RFC 3339 time.
    package init(
        room: String, me: String, tellsTyping: Bool, time: @escaping (String) -> String
    ) {
        self.room = room
        self.me = me
        self.tellsTyping = tellsTyping
        self.time = time
    }

    /// The room as it was last told.
    package var present: ChatRoom? { last }

    /// The room begins anew, as after a restart that kept nothing: the next state is a greeting
    /// again.
    package mutating func forget() { last = nil }

    /// The lines that tell how the room became this one. O(messages).
    package mutating func tell(_ next: ChatRoom) -> [String] {
        defer { last = next }
        guard let last else { return greeting(next) }
        var lines: [String] = []
        lines += next.members.filter { !last.members.contains($0) }.map { "* \(safe($0)) joined" }
        if next.topic != last.topic { lines.append("* topic: \(safe(next.topic))") }
        lines += tellMessages(from: last, to: next)
        lines += last.members.filter { !next.members.contains($0) }.map { "* \(safe($0)) left" }
        if tellsTyping { lines += tellTyping(from: last, to: next) }
        return lines
    }

    private func greeting(_ next: ChatRoom) -> [String] {
        var lines = next.messages.suffix(Self.recallLimit).map(line)
        if !next.topic.isEmpty { lines.append("* topic: \(safe(next.topic))") }
        lines.append("* here: \(next.members.map(safe).joined(separator: ", "))")
        return lines
    }

    private func tellMessages(from last: ChatRoom, to next: ChatRoom) -> [String] {
        var before: [String: ChatRoom.Message] = [:]
        for message in last.messages { before[message.id] = message }
        var lines: [String] = []
        for message in next.messages {
            guard let old = before.removeValue(forKey: message.id) else {
                lines.append(line(message))
                continue
            }
            if old.text != message.text { lines.append(line(message)) }
        }
        if before.isEmpty { return lines }
        // A full room forgets its oldest messages as new ones come: those are not "removed".
        let forgotten = last.messages.prefix { before[$0.id] != nil }.count
        let isFull = last.messages.count >= 1_000 && forgotten == before.count
        if isFull { return lines }
        if next.messages.isEmpty { return ["* the room was cleared"] }
        for message in last.messages where before[message.id] != nil {
            lines.append("* \(safe(message.from)) removed: \(safe(message.text))")
        }
        return lines
    }

    private func tellTyping(from last: ChatRoom, to next: ChatRoom) -> [String] {
        let started = next.typing.filter { $0 != me && !last.typing.contains($0) }
        let spoke = Set(
            next.messages.suffix(32).map(\.from)
                .filter { name in
                    next.messages.last { $0.from == name } != last.messages.last { $0.from == name }
                })
        let ended = last.typing.filter {
            $0 != me && !next.typing.contains($0) && next.members.contains($0)
                && !spoke.contains($0)
        }
        return started.map { "* \(safe($0)) is typing…" }
            + ended.map { "* \(safe($0)) stopped typing" }
    }

    private func line(_ message: ChatRoom.Message) -> String {
        let edited = message.isEdited ? " (edited)" : ""
        return "\(time(message.at)) \(safe(message.from))\(edited): \(safe(message.text))"
    }

    /// One line: the room, who is here, who is typing.
    package var status: String {
        guard let last else { return "\(room): …" }
        var text = "\(room): " + last.members.map(safe).joined(separator: ", ")
        let typing = last.typing.filter { $0 != me }.map(safe)
        switch typing.count {
        case 0: break
        case 1: text += " — \(typing[0]) is typing…"
        default: text += " — \(typing.joined(separator: ", ")) are typing…"
        }
        return text
    }

    private func safe(_ text: String) -> String { VisibleText.escaped(text) }
}
