public import Rex

/// Decides who may do what in a chat.
///
/// A client acts under the name that it took with its first `join`, and only in rooms that it is
/// in. A name belongs to one client until that has gone. Time and ids come from the context, so
/// the same actions give the same states again.
///
/// The parts: `+Rooms` (who is where), `+Messages`, `+Typing` (the one effect), `+Presence` (who
/// has gone), `+Checks` (bounds, and the words of a refusal).
public struct ChatReducer: ContextReducer {
    /// A reducer; it keeps nothing between two actions.
    public init() {}

    /// Throws `Refusal` in words for a person; `state` is then to be dropped.
    public func reduce(
        state: inout ChatState, action: ChatAction, context: ReducerContext
    ) throws -> [Effect<ChatAction>] {
        switch action {
        case .join(let room, let name):
            return try join(room, as: name, state: &state, context: context)
        case .leave(let room):
            return try leave(room, state: &state, context: context)
        case .send(let room, let text):
            return try send(text, to: room, state: &state, context: context)
        case .typing(let room):
            return try startTyping(in: room, state: &state, context: context)
        case .setTopic(let room, let topic):
            try checkTopic(topic)
            let place = try place(in: room, state: state, context: context)
            state.rooms[place.room]?.topic = topic
        case .edit(let room, let id, let text):
            try edit(id, in: room, text: text, state: &state, context: context)
        case .remove(let room, let id):
            try remove(id, in: room, state: &state, context: context)
        case .clear(let room):
            let place = try place(in: room, state: state, context: context)
            state.rooms[place.room]?.messages = []
        case .read(let room):
            let place = try place(in: room, state: state, context: context)
            state.users[place.name]?.unread[place.room] = 0
        case .graph(let step):
            try move(step, state: &state, context: context)

        case .connected:
            break
        case .disconnected(let client):
            return disconnect(client.id, state: &state)
        case .typingEnded(let room, let name):
            state.rooms[room]?.typing.removeAll { $0 == name }
        case .reconcile(let clients, let effects):
            return reconcile(clients: clients, effects: effects, state: &state)
        }
        return []
    }

    /// Moves between the actor's own screens; a screen opens only from the one before it.
    private func move(
        _ step: GraphAction, state: inout ChatState, context: ReducerContext
    ) throws {
        let name = try name(state: state, context: context)
        guard var graph = state.users[name]?.graph else { return }
        if case .push(let id) = step, !graph.activePath.contains(id) {
            guard let screen = ChatScreen(rawValue: id.rawValue) else {
                let all = ChatScreen.allCases.map(\.rawValue).joined(separator: ", ")
                throw Refusal("there is no screen '\(id)'; the screens are \(all)")
            }
            guard let parent = screen.parent, graph.activeNodeID == parent.id else {
                throw Refusal("'\(id)' does not open from '\(graph.activeNodeID)'")
            }
        }
        try graph.apply(step)
        state.users[name]?.graph = graph
    }
}
