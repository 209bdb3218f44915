import Rex

extension ChatReducer {
    /// Takes a client out of its rooms and frees its name. O(its rooms × members).
    func disconnect(_ client: String, state: inout ChatState) -> [Effect<ChatAction>] {
        guard let name = state.name(of: client) else { return [] }
        // Sorted: a dictionary has another order in each process.
        let rooms = (state.users[name]?.unread ?? [:]).keys.sorted()
        let effects = rooms.flatMap { leave($0, name: name, state: &state) }
        state.release(name)
        return effects
    }

    /// Ends what the state claims of clients and effects that are not there: after a restart, or
    /// where an undo brought somebody back who has gone since.
    func reconcile(
        clients: [String], effects running: [String], state: inout ChatState
    ) -> [Effect<ChatAction>] {
        let present = Set(clients)
        let gone = state.users.values.compactMap(\.client).filter { !present.contains($0) }
        let effects = gone.sorted().flatMap { disconnect($0, state: &state) }

        let ids = Set(running)
        for (room, value) in state.rooms {
            let typing = value.typing.filter {
                ids.contains(Self.typingID(room: room, name: $0).rawValue)
            }
            if typing != value.typing { state.rooms[room]?.typing = typing }
        }
        return effects
    }
}
