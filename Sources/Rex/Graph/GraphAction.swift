/// What a user may ask of a `StateGraph`.
///
/// As an action: `{"type":"push","payload":"room"}`, `{"type":"pop"}`,
/// `{"type":"popTo","payload":"rooms"}`, `{"type":"popToRoot"}`.
///
/// Source: Swift-Rex.
public enum GraphAction: Actionable, Codable, Hashable {
    /// Makes the node the active one: above the active one, or by going back to it where it is in
    /// the path already.
    case push(GraphNodeID)
    /// Goes back by one; at the root nothing happens.
    case pop
    /// Goes back to a node of the path.
    case popTo(GraphNodeID)
    /// Goes back to the root.
    case popToRoot
}
