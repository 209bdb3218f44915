extension StateGraph {
    /// The nodes that are there, with the node that each came from. O(nodes).
    public var nodes: [GraphNodeID: Node] {
        var nodes = [rootID: Node(parentID: nil)]
        for edge in edges {
            if case .dependency(let key) = edge.kind {
                nodes[edge.to] = Node(parentID: edge.from, dependency: key)
            } else {
                nodes[edge.to] = Node(parentID: edge.from)
            }
        }
        return nodes
    }

    /// A node's place in the graph.
    public struct Node: Hashable, Sendable {
        /// The node it came from; nil for the root.
        public let parentID: GraphNodeID?
        /// What that needs it for; nil for a node of the path.
        public let dependency: String?

        /// A node that came from another; the root from none.
        public init(parentID: GraphNodeID?, dependency: String? = nil) {
            self.parentID = parentID
            self.dependency = dependency
        }
    }

    /// The nodes that are there: those of the path, the root first, then those beside it.
    public var mounted: [GraphNodeID] { activePath + beside.map(\.to) }

    /// True for a node that is there, in the path or beside it. O(nodes).
    public func isMounted(_ id: GraphNodeID) -> Bool {
        activePath.contains(id) || beside.contains { $0.to == id }
    }

    /// Why each node but the root is there: those of the path, then those beside it.
    public var edges: [GraphEdge] {
        zip(activePath, activePath.dropFirst()).map {
            GraphEdge(from: $0, to: $1, kind: .navigation)
        }
            + beside
    }

    /// The nodes that came from this one, that of the path first.
    public func children(of id: GraphNodeID) -> [GraphNodeID] {
        edges.filter { $0.from == id }.map(\.to)
    }

    /// What a node needs, and the nodes that are mounted for it.
    public func dependencies(from id: GraphNodeID) -> [(key: String, node: GraphNodeID)] {
        beside.compactMap { edge in
            guard edge.from == id, case .dependency(let key) = edge.kind else { return nil }
            return (key, edge.to)
        }
    }

    /// What is wrong with the graph, in words; nil where every node is there once, behind the one
    /// that it came from, and none are too many. Checked after each change in debug builds.
    public var violation: String? {
        if activePath.isEmpty || activePath.count > Self.depthLimit {
            return "expected 1 to \(Self.depthLimit) different nodes, the root first"
        }
        var seen: Set<GraphNodeID> = []
        for id in activePath where !seen.insert(id).inserted {
            return "'\(id)' is in the path twice: each node once, the root first"
        }
        if beside.count > Self.besideLimit {
            return "expected at most \(Self.besideLimit) nodes beside the path"
        }
        for edge in beside {
            if !seen.contains(edge.from) {
                return "'\(edge.to)' stands before '\(edge.from)', from which it was mounted"
            }
            if !seen.insert(edge.to).inserted { return "'\(edge.to)' is mounted twice" }
        }
        return nil
    }
}

/// Lets `graph.activeNodeID?.rawValue` stand as Swift-Rex's users write it; the node is never nil.
public protocol StateGraphReading {
    /// The nodes from the root to the active one.
    var activePath: [GraphNodeID] { get }
}

extension StateGraph: StateGraphReading {}

extension StateGraphReading {
    /// The node on top, as an optional that is never nil.
    public var activeNodeID: GraphNodeID? { activePath.last }
}

extension StateGraph: Codable {
    private enum CodingKeys: String, CodingKey {
        case activePath = "path"
        case beside
    }

    /// A node beside the path, as it is written.
    private struct Mount: Codable {
        let id: GraphNodeID
        let parent: GraphNodeID
        let key: String
    }

    /// Reads a path and what is beside it; what breaks a rule of the graph is an error.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let path = try members.decode([GraphNodeID].self, forKey: .activePath)
        let mounts = try members.decodeIfPresent([Mount].self, forKey: .beside) ?? []
        self.init(
            path: path,
            beside: mounts.map {
                GraphEdge(from: $0.parent, to: $0.id, kind: .dependency($0.key))
            })
        if let violation {
            throw DecodingError.dataCorruptedError(
                forKey: .activePath, in: members, debugDescription: violation)
        }
    }

    /// Writes the path, and what is beside it where there is anything.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(activePath, forKey: .activePath)
        if beside.isEmpty { return }
        let mounts = beside.map { edge in
            guard case .dependency(let key) = edge.kind else {
                preconditionFailure("'\(edge.to)' is beside the path without a reason")
            }
            return Mount(id: edge.to, parent: edge.from, key: key)
        }
        try members.encode(mounts, forKey: .beside)
    }
}
