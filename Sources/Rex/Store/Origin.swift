/// Who a client is: stamped by the server, never taken from what the client sends.
public struct ClientIdentity: Sendable, Hashable, Codable {
    /// The name of the client, unique in one server for as long as its session lives (`c7`).
    public let id: String
    /// The user whose token the client showed; nil where nobody is signed in.
    public let user: String?

    /// Makes the identity of one client.
    public init(id: String, user: String?) {
        self.id = id
        self.user = user
    }
}
