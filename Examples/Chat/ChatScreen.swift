public import Rex

/// The screens of a chat program, each opened from the one before.
public enum ChatScreen: String, CaseIterable, Sendable {
    /// All rooms; the messages of one; who is in it.
    case rooms, room, members

    /// The screen's node in a user's graph.
    public var id: GraphNodeID { GraphNodeID(rawValue) }

    /// The screen that this one is opened from; nil for the first.
    var parent: ChatScreen? {
        switch self {
        case .rooms: nil
        case .room: .rooms
        case .members: .room
        }
    }
}
