public import Rex
public import RexProtocol

/// What can happen in a chat. Who acts is the client that the action came from.
public enum ChatAction: WireAction {
    /// Enters a room, which is made where there is none, under a name that is free or the client's.
    case join(room: String, name: String)
    /// Leaves a room; the name stays the client's.
    case leave(room: String)
    /// Says something in a room.
    case send(room: String, text: String)
    /// Tells the room that the sender is writing; ends by itself after `ChatLimits.typing`.
    case typing(room: String)
    /// Says what the room is about; may be empty.
    case setTopic(room: String, topic: String)
    /// Changes a message of the sender's own.
    case edit(room: String, id: String, text: String)
    /// Takes back a message of the sender's own.
    case remove(room: String, id: String)
    /// Removes all messages of a room.
    case clear(room: String)
    /// The sender has read everything in the room.
    case read(room: String)
    /// Moves between the sender's own screens.
    case graph(GraphAction)

    // The store's own.
    /// Changes nothing, and no host is asked to dispatch it: a client is nobody until it joins.
    case connected(ClientIdentity)
    /// The client has gone: it leaves its rooms, its name is free.
    case disconnected(ClientIdentity)
    /// Somebody has not written on for `ChatLimits.typing`.
    case typingEnded(room: String, name: String)
    /// These clients and effects are there; whatever claims others ends.
    case reconcile(clients: [String], effects: [String])

    /// What clients may send.
    public static let clientTypes = [
        "join", "leave", "send", "typing", "setTopic", "edit", "remove", "clear", "read", "graph",
    ]
    /// What only the store itself may dispatch.
    public static let ownTypes = ["connected", "disconnected", "typingEnded", "reconcile"]

    /// The dispatch for a client that has gone.
    public static func disconnected(_ client: ClientIdentity) -> ChatAction? {
        .disconnected(client) as ChatAction
    }

    /// The dispatch after a restart, travel and a cancel.
    public static func reconcile(clients: [String], effects: [String]) -> ChatAction? {
        .reconcile(clients: clients, effects: effects) as ChatAction
    }

    /// The shortcut for what is said.
    public static func readDirectly(_ node: JSONNode) -> ChatAction? {
        guard node["type"]?.isEqual(to: "send") == true, let payload = node["payload"],
            let room = payload["room"]?.string, let text = payload["text"]?.string
        else { return nil }
        return .send(room: room, text: text)
    }
}
