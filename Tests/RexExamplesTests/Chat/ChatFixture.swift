import Rex
import RexExamples

typealias Chat = Stage<ChatReducer>

extension Origin {
    /// The client with this id.
    static func client(_ id: String) -> Origin { .client(ClientIdentity(id: id)) }
}

extension Stage where R == ChatReducer {
    /// A chat in which these people are in the room `general`, each by the client `c-<name>`.
    convenience init(with names: String...) throws {
        self.init(ChatState(), ChatReducer())
        for name in names { try dispatch(.join(room: "general", name: name), as: name) }
    }

    /// Dispatches from the client `c-<name>`.
    @discardableResult
    func dispatch(_ action: ChatAction, as name: String) throws -> ChatState {
        try dispatch(action, from: .client("c-" + name))
    }

    /// The words of a refusal to the client `c-<name>`.
    func refusal(of action: ChatAction, as name: String) -> String? {
        refusal(of: action, from: .client("c-" + name))
    }

    var general: ChatState.Room? { state.rooms["general"] }

    func user(_ name: String) -> ChatState.User? { state.users[name] }

    /// What a host does when the client `c-<name>` has gone.
    func hangUp(_ name: String) {
        core.endScope(.client("c-" + name))
        core.dispatch(
            .disconnected(ClientIdentity(id: "c-" + name)), from: .system, ifItChanges: true)
    }
}
