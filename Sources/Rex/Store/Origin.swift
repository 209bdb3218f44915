/// The program at the other end, as the server knows it; a client cannot forge it.
public struct ClientIdentity: Sendable, Hashable, Codable {
    /// The server's name for the client, unique while the server runs.
    public let id: String
    /// The name it proved, or nil for one without a name.
    public let user: String?

    /// A client as its server names it.
    public init(id: String, user: String? = nil) {
        self.id = id
        self.user = user
    }
}

/// Who asked for an action.
public enum Origin: Sendable, Hashable {
    /// Code in the same process.
    case local
    /// A client over the wire.
    case client(ClientIdentity)
    /// An effect, by its id, or by `#<number>` where it has none.
    case effect(EffectID)
    /// The owner of the store itself (`connected`, `disconnected`, `reconcile`, …).
    case system
}
