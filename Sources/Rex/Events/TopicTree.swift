/// Who listens to what: a tree over the tokens of the patterns.
///
/// A branch without values is removed on the spot, so the tree is never larger than its patterns.
/// Source of the shape: the subject lists of NATS, the pub/sub of Redis.
public struct TopicTree<Value: Hashable> {
    fileprivate struct Branch {
        var children: [TopicToken: Branch] = [:]
        /// Values of the patterns that end here.
        var values: Set<Value> = []
        /// Values of the patterns that end here with `>`.
        var rest: Set<Value> = []

        var isEmpty: Bool { children.isEmpty && values.isEmpty && rest.isEmpty }
    }

    private var root = Branch()

    /// How many pairs of pattern and value are held.
    public private(set) var count = 0

    /// A tree without patterns.
    public init() {}

    /// Whether nothing is held.
    public var isEmpty: Bool { count == 0 }

    /// Adds a value under a pattern; false where it is there already. O(tokens).
    @discardableResult
    public mutating func insert(_ value: Value, for pattern: TopicPattern) -> Bool {
        let isNew = Self.insert(value, pattern.tokens[...], &root)
        if isNew { count += 1 }
        return isNew
    }

    /// Removes a value from a pattern; false where it is not there. O(tokens).
    @discardableResult
    public mutating func remove(_ value: Value, for pattern: TopicPattern) -> Bool {
        let wasThere = Self.remove(value, pattern.tokens[...], &root)
        if wasThere { count -= 1 }
        return wasThere
    }

    /// Calls `body` with each value under each pattern that matches, in no particular order: twice
    /// with a value that two of them hold. O(tokens × branches that match).
    public func forEachMatch<E: Error>(
        _ topic: Topic, _ body: (Value) throws(E) -> Void
    ) throws(E) {
        try Self.visit(root, topic.tokens[...], topic.isServerOwned, body)
    }

    private static func insert(
        _ value: Value, _ tokens: ArraySlice<TopicToken>, _ branch: inout Branch
    ) -> Bool {
        guard let token = tokens.first else { return branch.values.insert(value).inserted }
        if token == .rest { return branch.rest.insert(value).inserted }
        return insert(value, tokens.dropFirst(), &branch.children[token, default: Branch()])
    }

    private static func remove(
        _ value: Value, _ tokens: ArraySlice<TopicToken>, _ branch: inout Branch
    ) -> Bool {
        guard let token = tokens.first else { return branch.values.remove(value) != nil }
        if token == .rest { return branch.rest.remove(value) != nil }
        guard let index = branch.children.index(forKey: token) else { return false }
        let wasThere = remove(value, tokens.dropFirst(), &branch.children.values[index])
        if branch.children.values[index].isEmpty { branch.children.remove(at: index) }
        return wasThere
    }

    /// `literally`: the first token begins with `$`, which no wildcard meets.
    private static func visit<E: Error>(
        _ branch: Branch, _ tokens: ArraySlice<TopicToken>, _ literally: Bool,
        _ body: (Value) throws(E) -> Void
    ) throws(E) {
        guard let token = tokens.first else {
            for value in branch.values { try body(value) }
            return
        }
        if !literally {
            for value in branch.rest { try body(value) }
            if let any = branch.children[.one] {
                try visit(any, tokens.dropFirst(), false, body)
            }
        }
        if let next = branch.children[token] {
            try visit(next, tokens.dropFirst(), false, body)
        }
    }
}

extension TopicTree: Sendable where Value: Sendable {}
extension TopicTree.Branch: Sendable where Value: Sendable {}
