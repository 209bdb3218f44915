import Rex

extension ChatReducer {
    /// The id of the effect that ends somebody's typing. Names have no `:`, so no two are alike.
    static func typingID(room: String, name: String) -> EffectID {
        EffectID("typing:\(room):\(name)")
    }

    /// Shows that the actor is writing, and sets the clock, anew where it runs. The effect lives
    /// no longer than the client.
    func startTyping(
        in room: String, state: inout ChatState, context: ReducerContext
    ) throws -> [Effect<ChatAction>] {
        let client = try client(context)
        let (room, name) = try place(in: room, state: state, context: context)
        if state.rooms[room]?.typing.contains(name) == false {
            state.rooms[room]?.typing.append(name)
        }
        return [
            .delayed(
                .typingEnded(room: room, name: name), delay: ChatLimits.typing,
                id: Self.typingID(room: room, name: name), cancelInFlight: true
            ).scoped(to: .client(client.id))
        ]
    }

    /// Shows that somebody is not writing any more, and stops the clock.
    func endTyping(
        of name: String, in room: String, state: inout ChatState
    ) -> [Effect<ChatAction>] {
        guard state.rooms[room]?.typing.contains(name) == true else { return [] }
        state.rooms[room]?.typing.removeAll { $0 == name }
        return [.cancel(Self.typingID(room: room, name: name))]
    }
}
