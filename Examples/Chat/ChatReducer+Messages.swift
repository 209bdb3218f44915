import Rex

extension ChatReducer {
    /// Adds a message, counts it as unread for the others, alerts who is named in it, and tells
    /// who listens. O(members).
    func send(
        _ text: String, to room: String, state: inout ChatState, context: ReducerContext
    ) throws -> [Effect<ChatAction>] {
        try checkText(text)
        let (room, name) = try place(in: room, state: state, context: context)
        let message = ChatState.Message(
            id: "m" + context.uniqueID(), from: name, text: text, at: context.now)
        var effects = endTyping(of: name, in: room, state: &state)

        state.rooms[room]?.append(message)
        for other in state.rooms[room]?.members ?? [] where other != name {
            state.users[other]?.unread[room, default: 0] += 1
        }
        for mentioned in mentions(in: text, of: state.users) {
            state.users[mentioned]?.alert = shortened(text)
        }
        effects.append(.publish(topic: room, event: message))
        return effects
    }

    func edit(
        _ id: String, in room: String, text: String, state: inout ChatState,
        context: ReducerContext
    ) throws {
        try checkText(text)
        let place = try place(in: room, state: state, context: context)
        let index = try ownMessage(id, at: place, state: state)
        state.rooms[place.room]?.messages[index].text = text
        state.rooms[place.room]?.messages[index].edited = true
    }

    func remove(
        _ id: String, in room: String, state: inout ChatState, context: ReducerContext
    ) throws {
        let place = try place(in: room, state: state, context: context)
        let index = try ownMessage(id, at: place, state: state)
        state.rooms[place.room]?.messages.remove(at: index)
    }

    /// Where a message of the actor's own stands. O(messages), from the newest back.
    private func ownMessage(
        _ id: String, at place: (room: String, name: String), state: ChatState
    ) throws -> Int {
        let messages = state.rooms[place.room]?.messages ?? []
        guard let index = messages.lastIndex(where: { $0.id == id }) else {
            throw Refusal("there is no message '\(id)' in '\(place.room)'")
        }
        guard messages[index].from == place.name else {
            throw Refusal("the message '\(id)' is by '\(messages[index].from)', not your own")
        }
        return index
    }

    private func shortened(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard scalars.count > ChatLimits.alertScalars else { return text }
        return String(scalars.prefix(ChatLimits.alertScalars - 1)) + "…"
    }
}

extension ChatReducer {
    /// Who of the people is named in a text, each once, in the order of the text.
    ///
    /// A name begins behind an `@` that does not stand in a word (`ann@home` names nobody) and ends
    /// where a word ends; of several the longest counts. The cost is bounded: so many `@`, and for
    /// each so many lengths of a name.
    private func mentions(in text: String, of users: TreeMap<String, ChatState.User>) -> [String] {
        let scalars = text.unicodeScalars
        var found: [String] = []
        var left = ChatLimits.mentionsPerMessage
        var isInWord = false
        for index in scalars.indices {
            defer { isInWord = scalars[index].isOfWord }
            guard scalars[index] == "@", !isInWord else { continue }
            guard left > 0 else { break }
            left -= 1
            let rest = scalars[scalars.index(after: index)...]
            if let name = longestName(at: rest, of: users), !found.contains(name) {
                found.append(name)
            }
        }
        return found
    }

    private func longestName(
        at rest: Substring.UnicodeScalarView, of users: TreeMap<String, ChatState.User>
    ) -> String? {
        var candidate = rest.prefix(ChatLimits.nameScalars)
        while !candidate.isEmpty {
            let endsWord = candidate.endIndex == rest.endIndex || !rest[candidate.endIndex].isOfWord
            if endsWord, let index = users.index(forKey: String(candidate)) {
                return users[index].key
            }
            candidate.removeLast()
        }
        return nil
    }
}

extension ChatState.Room {
    /// Adds a message; the oldest goes where there are as many as may be.
    fileprivate mutating func append(_ message: ChatState.Message) {
        messages.append(message)
        if messages.count > ChatLimits.messagesPerRoom {
            messages.removeFirst(messages.count - ChatLimits.messagesPerRoom)
        }
    }
}

extension Unicode.Scalar {
    /// Letters, digits, marks on them, and what joins them.
    fileprivate var isOfWord: Bool { properties.isIDContinue }
}
