import Rex

/// An action that travels: an enum with Swift's synthesized Codable.
///
/// On the wire it is a Flux Standard Action, `{"type":"send","payload":{"text":"hi"}}`; see
/// `ActionCodec`.
public protocol WireAction: Actionable, Codable, Equatable {
    /// The types that clients may send: the names of the cases. A case that is in no list is
    /// `forbidden` from clients.
    static var clientTypes: [String] { get }
    /// The store's own types: committed like all others, `forbidden` from clients.
    static var ownTypes: [String] { get }
    /// The action for a client's first subscription to or dispatch on the store; nil for none.
    static func connected(_ client: ClientIdentity) -> Self?
    /// The action for a client that has gone; nil for none.
    static func disconnected(_ client: ClientIdentity) -> Self?
    /// The action that the store dispatches when it is hosted: what runs while the server runs is
    /// begun by it, as effects do not outlive the server. Nil for none.
    static var onStart: Self? { get }
    /// The action that makes the state agree with the clients and effects that there are, after
    /// recovery, travel and `cancel`; nil for none.
    static func reconcile(clients: [String], effects: [String]) -> Self?
    /// A shortcut for actions that come by the thousand: reads one from its object without
    /// `Codable`, which takes a good part of what an action costs. It has to give what `Codable`
    /// gives; nil where it is not one of those, or not as it should be: then `Codable` is asked,
    /// and says what is wrong.
    static func readDirectly(_ node: JSONNode) -> Self?
}

extension WireAction {
    /// No types of the store's own.
    public static var ownTypes: [String] { [] }
    /// No action.
    public static func connected(_ client: ClientIdentity) -> Self? { nil }
    /// No action.
    public static func disconnected(_ client: ClientIdentity) -> Self? { nil }
    /// No action.
    public static var onStart: Self? { nil }
    /// No action.
    public static func reconcile(clients: [String], effects: [String]) -> Self? { nil }
    /// No shortcut.
    public static func readDirectly(_ node: JSONNode) -> Self? { nil }
}
