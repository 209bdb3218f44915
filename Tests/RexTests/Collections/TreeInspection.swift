import Testing

@testable import Rex

/// What a tree must be at all times.
extension TreeNode {
    /// What is wrong with a whole tree; nil where nothing is.
    var fault: String? {
        if !isLeaf && children.count == 1 { return "a root with one child" }
        if !isLeaf && children.count == 2 {
            let limit = children[0].node.isLeaf ? Self.leafLimit : Self.branchLimit
            if children[0].node.size + children[1].node.size <= limit {
                return "a root with two children that fit into one"
            }
        }
        return fault(height: height, isRoot: true, isFirst: true, isLast: true)
    }

    private func fault(height: Int, isRoot: Bool, isFirst: Bool, isLast: Bool) -> String? {
        if !elements.isEmpty && !children.isEmpty { return "elements and children" }
        if isLeaf {
            if height != 0 { return "leaves at several depths" }
            if elements.count != count { return "a leaf of \(elements.count) counts \(count)" }
            if count > Self.leafLimit { return "a leaf of \(count)" }
        } else {
            if height == 0 { return "leaves at several depths" }
            if children.count > Self.branchLimit { return "a node of \(children.count) children" }
            if children.reduce(0, { $0 + $1.node.count }) != count { return "a wrong count" }
        }
        if !isRoot && size < (isFirst || isLast ? 1 : minimum) { return "a node of size \(size)" }
        for (slot, child) in children.enumerated() {
            let fault = child.node.fault(
                height: height - 1, isRoot: false, isFirst: isFirst && slot == 0,
                isLast: isLast && slot == children.count - 1)
            if let fault { return fault }
        }
        return nil
    }

    /// The addresses of all nodes.
    var identities: Set<UnsafeRawPointer?> {
        children.reduce(into: [identity]) { $0.formUnion($1.node.identities) }
    }

    /// How many nodes are not among these. Below a node that is, all are.
    func nodes(notIn known: Set<UnsafeRawPointer?>) -> Int {
        if known.contains(identity) { return 0 }
        return children.reduce(1) { $0 + $1.node.nodes(notIn: known) }
    }

    /// The levels that a tree of so many elements may have: every node inside is half full, and a
    /// level more for thin edges.
    var heightLimit: Int {
        var limit = 1
        var reach = Self.leafLimit / 2
        while reach < count {
            reach *= Self.branchLimit / 2
            limit += 1
        }
        return limit
    }
}

/// An element so large that a leaf holds few: trees of it are deep.
struct Wide: Hashable, Codable, CustomStringConvertible {
    var value: Int
    private var a = Ballast()
    private var b = Ballast()

    init(_ value: Int) { self.value = value }

    var description: String { "\(value)" }

    private struct Ballast: Hashable, Codable {
        var a = 0, b = 1, c = 2, d = 3, e = 4, f = 5, g = 6, h = 7
    }
}
