import Rex

// Who acts.
extension ChatReducer {
    /// The client that asks; code in the process and effects are nobody here.
    func client(_ context: ReducerContext) throws(Refusal) -> ClientIdentity {
        guard case .client(let client) = context.origin else {
            throw Refusal("only a client can do that")
        }
        return client
    }

    /// The name of the client that asks.
    func name(state: ChatState, context: ReducerContext) throws(Refusal) -> String {
        guard let name = state.name(of: try client(context).id) else {
            throw Refusal("you have no name here yet; join a room first")
        }
        return name
    }

    /// The room, as the state spells it, and the name of the client that asks, which is a member.
    func place(
        in room: String, state: ChatState, context: ReducerContext
    ) throws(Refusal) -> (room: String, name: String) {
        let client = try client(context)
        guard let name = state.name(of: client.id), state.users[name]?.unread[room] != nil,
            let room = state.spelling(ofRoom: room)
        else {
            throw Refusal("you are not in '\(room)'; join it first")
        }
        return (room, name)
    }
}

// What may be said.
extension ChatReducer {
    func checkText(_ text: String) throws(Refusal) {
        try checkCount(of: text, atLeast: 1, atMost: ChatLimits.textScalars, named: "a text")
    }

    /// As a text, but it may be empty.
    func checkTopic(_ topic: String) throws(Refusal) {
        try checkCount(of: topic, atLeast: 0, atMost: ChatLimits.textScalars, named: "a topic")
    }

    /// A name is shown beside a text and stands in `typing:<room>:<name>`: no control character, no
    /// colon, no white space around it.
    func checkPersonName(_ name: String) throws(Refusal) {
        try checkCount(of: name, atLeast: 1, atMost: ChatLimits.nameScalars, named: "a name")
        let scalars = name.unicodeScalars
        guard !scalars.contains(where: { $0 == ":" || $0.properties.generalCategory == .control })
        else {
            throw Refusal("a name has no colon and no control characters")
        }
        guard scalars.first?.properties.isWhitespace == false,
            scalars.last?.properties.isWhitespace == false
        else {
            throw Refusal("a name has no white space around it")
        }
    }

    /// A room's name is a token of the topic on which its messages are events.
    func checkRoomName(_ room: String) throws(Refusal) {
        guard (1...ChatLimits.roomNameBytes).contains(room.utf8.count) else {
            throw Refusal(
                "a room's name has 1 to \(ChatLimits.roomNameBytes) bytes, got \(room.utf8.count)")
        }
        let isToken = room.unicodeScalars.allSatisfy {
            $0 != "." && $0 != "*" && $0 != ">" && !$0.properties.isWhitespace
                && $0.properties.generalCategory != .control
        }
        guard isToken else {
            throw Refusal("a room's name has no '.', '*' or '>' and no white space")
        }
    }

    private func checkCount(
        of text: String, atLeast minimum: Int, atMost maximum: Int, named what: String
    ) throws(Refusal) {
        let count = text.unicodeScalars.count
        guard (minimum...maximum).contains(count) else {
            throw Refusal("\(what) has \(minimum) to \(maximum) Unicode scalars, got \(count)")
        }
    }
}
