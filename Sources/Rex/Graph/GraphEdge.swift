/// Why a node of a `StateGraph` is there: the node that it came from, and how.
///
/// Source: Swift-Rex.
public struct GraphEdge: Hashable, Sendable {
    /// What ties two nodes together.
    public enum Kind: Hashable, Sendable {
        /// The user went from one to the other.
        case navigation
        /// One needs the other, for what the key says.
        case dependency(String)
    }

    /// The node that was there first.
    public let from: GraphNodeID
    /// The node that is there because of it.
    public let to: GraphNodeID
    /// How they are tied.
    public let kind: Kind

    /// An edge between two nodes.
    public init(from: GraphNodeID, to: GraphNodeID, kind: Kind) {
        self.from = from
        self.to = to
        self.kind = kind
    }
}
