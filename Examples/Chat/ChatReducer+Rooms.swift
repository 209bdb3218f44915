import FoundationEssentials
import Rex

extension ChatReducer {
    func join(
        _ room: String, as name: String, state: inout ChatState, context: ReducerContext
    ) throws -> [Effect<ChatAction>] {
        let client = try client(context)
        try checkRoomName(room)
        try checkPersonName(name)

        let actor: String
        if let own = state.name(of: client.id) {
            guard own == name else {
                throw Refusal("you are '\(own)' here; a client keeps its name until it goes")
            }
            actor = own
        } else {
            guard state.users[name]?.client == nil else {
                throw Refusal("the name '\(name)' is taken")
            }
            if state.users[name] == nil { try state.makePlaceForUser() }
            actor = state.claim(name, for: client.id)
        }

        if state.rooms[room] == nil {
            try state.makePlaceForRoom()
            state.rooms[room] = ChatState.Room()
        }
        state.enter(state.spelling(ofRoom: room) ?? room, name: actor)
        return []
    }

    func leave(
        _ room: String, state: inout ChatState, context: ReducerContext
    ) throws -> [Effect<ChatAction>] {
        let place = try place(in: room, state: state, context: context)
        return leave(place.room, name: place.name, state: &state)
    }

    /// Takes a member out of a room and ends what it had going there.
    func leave(
        _ room: String, name: String, state: inout ChatState
    ) -> [Effect<ChatAction>] {
        let effects = endTyping(of: name, in: room, state: &state)
        state.exit(room, name: name)
        return effects
    }
}

extension ChatState {
    /// A room's name as the state spells it: equal strings may differ in their bytes (é in one
    /// scalar or two), and what is written into the state or a topic must not.
    func spelling(ofRoom room: String) -> String? {
        rooms.index(forKey: room).map { rooms[$0].key }
    }

    /// Makes a person a member of a room. Nothing happens where the person is one. O(members).
    mutating func enter(_ room: String, name: String) {
        guard users[name]?.unread[room] == nil else { return }
        users[name]?.unread[room] = 0
        rooms[room]?.members.append(name)
    }

    /// Ends a membership. O(members).
    mutating func exit(_ room: String, name: String) {
        users[name]?.unread[room] = nil
        rooms[room]?.members.removeAll { $0 == name }
    }

    /// Removes an empty room where there are as many as may be. O(rooms) then, else O(1).
    mutating func makePlaceForRoom() throws(Refusal) {
        guard rooms.count >= ChatLimits.rooms else { return }
        let oldest = rooms.lazy
            .filter { $0.value.members.isEmpty }
            .min { a, b in
                let (x, y) = (a.value.lastMessageTime, b.value.lastMessageTime)
                return x != y ? x < y : a.key < b.key
            }
        guard let oldest else {
            throw Refusal("there are \(ChatLimits.rooms) rooms with people in them, the limit")
        }
        rooms[oldest.key] = nil
    }

    /// Removes somebody who is offline where there are as many people as may be. O(people) then,
    /// else O(1).
    mutating func makePlaceForUser() throws(Refusal) {
        guard users.count >= ChatLimits.users else { return }
        let gone = users.lazy.filter { $0.value.client == nil }.map(\.key).min()
        guard let gone else {
            throw Refusal("there are \(ChatLimits.users) people here, the limit")
        }
        users[gone] = nil
    }
}

extension ChatState.Room {
    /// When something was last said; the distant past where nothing was.
    fileprivate var lastMessageTime: Date { messages.last?.at ?? .distantPast }
}
