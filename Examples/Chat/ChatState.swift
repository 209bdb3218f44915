public import FoundationEssentials
public import Rex

/// Rooms with their messages, and the people who talk in them.
///
/// Everything that the reducer decides by is in here, also which client owns a name, so that a
/// state that was restored or travelled to is whole.
public struct ChatState: Statable {
    /// Rooms by name. A room stays when the last member has left, until room is needed: see
    /// `ChatLimits.rooms`.
    public internal(set) var rooms: TreeMap<String, Room> = [:]
    /// People by name. Who has gone stays, offline, until room is needed: see `ChatLimits.users`.
    public internal(set) var users: TreeMap<String, User> = [:]

    /// The name that each client owns: `users` read the other way round. Not encoded, made anew
    /// when a state is decoded; `claim` and `release` keep it.
    private(set) var names: TreeMap<String, String> = [:]

    /// No rooms and nobody.
    public init() {}

    /// A room.
    public struct Room: Equatable, Sendable, Codable {
        /// What the room is about; may be empty.
        public internal(set) var topic = ""
        /// Who is in the room, in the order in which they came.
        public internal(set) var members: [String] = []
        /// Who is writing, in the order in which they began.
        public internal(set) var typing: [String] = []
        /// The last messages (`ChatLimits.messagesPerRoom`), the oldest first.
        public internal(set) var messages: TreeArray<Message> = []
    }

    /// A message, in its room and as an event.
    public struct Message: Equatable, Sendable, Codable {
        /// Unique in the store.
        public let id: String
        /// The name of who sent it.
        public let from: String
        /// What was said, as it was last edited.
        public internal(set) var text: String
        /// When it was sent, in whole milliseconds.
        public let at: Date
        /// Whether the text was changed after it was sent.
        public internal(set) var edited = false
    }

    /// A person.
    public struct User: Equatable, Sendable, Codable {
        /// Whether a client owns the name.
        public internal(set) var online: Bool
        /// For each room that the person is in, the messages of others since the last `read`.
        /// Whoever is a member has an entry, nobody else.
        public internal(set) var unread: [String: Int] = [:]
        /// Where the person is in the program: rooms → room → members.
        public internal(set) var graph = StateGraph(rootID: ChatScreen.rooms.id)
        /// The last message that named the person.
        @PresentState public internal(set) var alert: String?
        /// The client that owns the name; nil when nobody does.
        public internal(set) var client: String?

        init(client: String) {
            online = true
            self.client = client
        }
    }
}

extension ChatState {
    /// The name that a client owns.
    func name(of client: String) -> String? { names[client] }

    /// Gives a name, which must be free, to a client and returns it as the state spells it.
    mutating func claim(_ name: String, for client: String) -> String {
        let known = users.index(forKey: name).map { users[$0].key }
        if let known {
            users[known]?.client = client
            users[known]?.online = true
        } else {
            users[name] = User(client: client)
        }
        names[client] = known ?? name
        return known ?? name
    }

    /// Takes the name from the client that owns it; the person stays, offline.
    mutating func release(_ name: String) {
        guard let client = users[name]?.client else { return }
        users[name]?.client = nil
        users[name]?.online = false
        names[client] = nil
    }
}

extension ChatState: Codable {
    private enum CodingKeys: String, CodingKey {
        case rooms, users
    }

    /// Reads a state; one in which a client owns two names is an error. O(state).
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        rooms = try members.decode(TreeMap<String, Room>.self, forKey: .rooms)
        users = try members.decode(TreeMap<String, User>.self, forKey: .users)
        for (name, user) in users {
            guard let client = user.client else { continue }
            guard names.updateValue(name, forKey: client) == nil else {
                throw DecodingError.dataCorruptedError(
                    forKey: .users, in: members,
                    debugDescription: "the client \(client) owns more than one name")
            }
        }
    }
}
