/// Where a user is: the path from the root node to the active one, each node once.
///
/// What a node shows stays in the state around it; the graph says which nodes are there. In JSON
/// `{"path":["rooms","room"]}`: the path, the root first.
///
/// Source: Swift-Rex. Two of its faults are not repeated: pushing a node that is in the path does
/// not put it there twice, and `popTo` a node that is not in the path is refused.
public struct StateGraph: Statable, Hashable {
    /// The most nodes in a path; pushing one more is refused.
    public static let depthLimit = 64

    /// The nodes from the root to the active one. Never empty, each node once.
    public private(set) var activePath: [GraphNodeID]

    /// A graph that shows its root.
    public init(rootID: GraphNodeID = "root") {
        activePath = [rootID]
    }

    /// The node below all others; always in the path.
    public var rootID: GraphNodeID { activePath[0] }

    /// The node on top.
    public var activeNodeID: GraphNodeID { activePath[activePath.count - 1] }

    /// The nodes that are there, with the node that each was pushed from. O(path).
    public var nodes: [GraphNodeID: Node] {
        var nodes: [GraphNodeID: Node] = [:]
        for (index, id) in activePath.enumerated() {
            nodes[id] = Node(parentID: index == 0 ? nil : activePath[index - 1])
        }
        return nodes
    }

    /// A node's place in the graph.
    public struct Node: Hashable, Sendable {
        /// The node it was pushed from; nil for the root.
        public let parentID: GraphNodeID?

        /// A node that was pushed from another; the root from none.
        public init(parentID: GraphNodeID?) {
            self.parentID = parentID
        }
    }

    /// Does what was asked.
    ///
    /// - Returns: the nodes that are not there any more, the top one first.
    /// - Throws: `Refusal` for a node that is not in the path, or a path at `depthLimit`. The graph
    ///   is as it was.
    @discardableResult
    public mutating func apply(_ action: GraphAction) throws(Refusal) -> [GraphNodeID] {
        switch action {
        case .push(let id): try push(id)
        case .pop: pop().map { [$0] } ?? []
        case .popTo(let id): try popTo(id)
        case .popToRoot: popToRoot()
        }
    }

    /// Makes a node the active one. A node that is in the path is gone back to.
    ///
    /// - Returns: the nodes that are not there any more, the top one first. O(path).
    /// - Throws: `Refusal` when the path is at `depthLimit`.
    @discardableResult
    public mutating func push(_ id: GraphNodeID) throws(Refusal) -> [GraphNodeID] {
        if activePath.contains(id) { return try popTo(id) }
        guard activePath.count < Self.depthLimit else {
            throw Refusal("the path has \(Self.depthLimit) nodes already, which is the limit")
        }
        activePath.append(id)
        return []
    }

    /// Goes back by one and returns the node that is not there any more; nil at the root. O(1).
    @discardableResult
    public mutating func pop() -> GraphNodeID? {
        activePath.count > 1 ? activePath.removeLast() : nil
    }

    /// Goes back to a node of the path.
    ///
    /// - Returns: the nodes that are not there any more, the top one first. O(path).
    /// - Throws: `Refusal` when the node is not in the path.
    @discardableResult
    public mutating func popTo(_ id: GraphNodeID) throws(Refusal) -> [GraphNodeID] {
        guard let index = activePath.firstIndex(of: id) else {
            let path = activePath.map(\.rawValue).joined(separator: " → ")
            throw Refusal("'\(id)' is not in the path \(path)")
        }
        return cut(after: index)
    }

    /// Goes back to the root and returns the nodes that are not there any more, the top one first.
    @discardableResult
    public mutating func popToRoot() -> [GraphNodeID] {
        cut(after: 0)
    }

    private mutating func cut(after index: Int) -> [GraphNodeID] {
        let removed = activePath[(index + 1)...].reversed()
        activePath.removeSubrange((index + 1)...)
        return Array(removed)
    }
}

extension StateGraph: Codable {
    private enum CodingKeys: String, CodingKey {
        case activePath = "path"
    }

    /// Reads a path; an empty one, one with a node twice or one over `depthLimit` is an error.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        activePath = try members.decode([GraphNodeID].self, forKey: .activePath)
        guard !activePath.isEmpty, activePath.count <= Self.depthLimit,
            Set(activePath).count == activePath.count
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .activePath, in: members,
                debugDescription:
                    "expected 1 to \(Self.depthLimit) different nodes, the root first")
        }
    }
}
