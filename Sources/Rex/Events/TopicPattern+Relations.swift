// What two patterns have in common.
extension TopicPattern {
    /// Whether some topic is meant by both. O(tokens).
    public func overlaps(_ other: TopicPattern) -> Bool {
        if tokens[0].isServerOwned != other.tokens[0].isServerOwned { return false }
        for (index, token) in tokens.enumerated() {
            guard index < other.tokens.count else { return false }
            let its = other.tokens[index]
            if token == .rest || its == .rest { return true }
            if token != .one, its != .one, token != its { return false }
        }
        return tokens.count == other.tokens.count
    }

    /// Whether every topic that the other one means is meant by this one too. O(tokens).
    public func covers(_ other: TopicPattern) -> Bool {
        if tokens[0].isServerOwned != other.tokens[0].isServerOwned { return false }
        for (index, token) in tokens.enumerated() {
            guard index < other.tokens.count else { return false }
            if token == .rest { return true }
            let its = other.tokens[index]
            if its == .rest || token != .one && token != its { return false }
        }
        return tokens.count == other.tokens.count
    }
}
