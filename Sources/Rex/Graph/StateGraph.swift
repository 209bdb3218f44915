/// Where a user is: the path from the root node to the active one, each node once; and the nodes
/// that are mounted beside the path because a node of it depends on them.
///
/// What a node shows stays in the state around it; the graph says which nodes are there. A node
/// that goes takes with it what was mounted from it. In JSON `{"path":["rooms","room"]}`: the path,
/// the root first; nodes beside it, if there are any, follow as
/// `"beside":[{"id":"people","parent":"room","key":"members"}]`.
///
/// Source: Swift-Rex. Two of its faults are not repeated: pushing a node that is in the path does
/// not put it there twice, and `popTo` a node that is not in the path is refused.
public struct StateGraph: Statable, Hashable {
    /// The most nodes in a path; pushing one more is refused.
    public static let depthLimit = 64
    /// The most nodes beside a path; mounting one more is refused.
    public static let besideLimit = 256

    /// The nodes from the root to the active one. Never empty, each node once.
    public private(set) var activePath: [GraphNodeID] {
        didSet { assert(violation == nil, violation ?? "") }
    }

    /// What is mounted beside the path, each behind the node that it was mounted from.
    private(set) var beside: [GraphEdge] = [] {
        didSet { assert(violation == nil, violation ?? "") }
    }

    /// A graph that shows its root.
    public init(rootID: GraphNodeID = "root") {
        activePath = [rootID]
    }

    /// As it was read; the caller looks for a violation.
    init(path: [GraphNodeID], beside: [GraphEdge]) {
        activePath = path
        self.beside = beside
    }

    /// The node below all others; always in the path.
    public var rootID: GraphNodeID { activePath[0] }

    /// The node on top.
    public var activeNodeID: GraphNodeID { activePath[activePath.count - 1] }

    /// Does what was asked.
    ///
    /// - Returns: the nodes that are not there any more, the top one first.
    /// - Throws: `Refusal` for a node that is not in the path, or a path at `depthLimit`. The graph
    ///   is as it was.
    @discardableResult
    public mutating func apply(_ action: GraphAction) throws(Refusal) -> [GraphNodeID] {
        switch action {
        case .push(let id): try push(id)
        case .pop: cut(after: max(activePath.count - 2, 0))
        case .popTo(let id): try popTo(id)
        case .popToRoot: popToRoot()
        }
    }

    /// Makes a node the active one. A node that is in the path is gone back to; one that is beside
    /// it, and what was mounted from that, goes before it comes into the path.
    ///
    /// - Returns: the nodes that are not there any more, the top one first. O(path).
    /// - Throws: `Refusal` when the path is at `depthLimit`.
    @discardableResult
    public mutating func push(_ id: GraphNodeID) throws(Refusal) -> [GraphNodeID] {
        if activePath.contains(id) { return try popTo(id) }
        guard activePath.count < Self.depthLimit else {
            throw Refusal("the path has \(Self.depthLimit) nodes already, which is the limit")
        }
        let removed = removeBeside(from: [id], and: id)
        activePath.append(id)
        return removed.filter { $0 != id }
    }

    /// Goes back by one and returns the node that is not there any more; nil at the root. What was
    /// mounted from it goes too.
    @discardableResult
    public mutating func pop() -> GraphNodeID? {
        guard activePath.count > 1 else { return nil }
        let id = activeNodeID
        _ = cut(after: activePath.count - 2)
        return id
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
}

extension StateGraph {
    /// Mounts a node beside the path, because the active node, or another that is mounted, depends
    /// on it. It lives as long as that. Mounting it again in the same way changes nothing.
    ///
    /// - Parameter key: what it is needed for; names the edge.
    /// - Throws: `Refusal` where `parent` is not mounted, the node is mounted elsewhere, or as many
    ///   nodes are beside the path as may be. The graph is as it was.
    public mutating func mount(
        _ id: GraphNodeID, from parent: GraphNodeID? = nil, dependency key: String
    ) throws(Refusal) {
        let parent = parent ?? activeNodeID
        let edge = GraphEdge(from: parent, to: id, kind: .dependency(key))
        if beside.contains(edge) { return }
        guard isMounted(parent) else {
            throw Refusal("'\(parent)' is not mounted, so nothing can be mounted from it")
        }
        guard !isMounted(id) else { throw Refusal("'\(id)' is mounted already") }
        guard beside.count < Self.besideLimit else {
            throw Refusal("\(Self.besideLimit) nodes are beside the path, which is the limit")
        }
        beside.append(edge)
    }

    /// Takes a node away, with everything above it where it is in the path, and everything that was
    /// mounted from these.
    ///
    /// - Returns: the nodes that are not there any more, the top one first, each before the node
    ///   that it was mounted from.
    /// - Throws: `Refusal` for the root, and for a node that is not mounted.
    @discardableResult
    public mutating func unmount(_ id: GraphNodeID) throws(Refusal) -> [GraphNodeID] {
        guard id != rootID else { throw Refusal("'\(id)' is the root, which stays") }
        if let index = activePath.firstIndex(of: id) { return cut(after: index - 1) }
        guard isMounted(id) else { throw Refusal("'\(id)' is not mounted") }
        return removeBeside(from: [id], and: id)
    }

    private mutating func cut(after index: Int) -> [GraphNodeID] {
        let removed = Array(activePath[(index + 1)...].reversed())
        if removed.isEmpty { return [] }
        // First what depends on them: a node is never without the one it was mounted from.
        let dependent = removeBeside(from: Set(removed), and: nil)
        activePath.removeSubrange((index + 1)...)
        return dependent + removed
    }

    /// Takes away what was mounted from these nodes, and `id` itself where it is beside the path.
    /// Returns them, each before the node that it was mounted from.
    private mutating func removeBeside(
        from parents: Set<GraphNodeID>, and id: GraphNodeID?
    ) -> [GraphNodeID] {
        if beside.isEmpty { return [] }
        var gone = parents
        var removed: [GraphNodeID] = []
        // A node stands behind the one that it was mounted from, so one pass finds all.
        let left = beside.filter { edge in
            guard edge.to == id || gone.contains(edge.from) else { return true }
            gone.insert(edge.to)
            removed.append(edge.to)
            return false
        }
        if !removed.isEmpty { beside = left }
        return removed.reversed()
    }
}
