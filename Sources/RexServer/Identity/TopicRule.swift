import Rex

/// Which topics somebody may hear, or publish on: those that some `allow` means and no `deny` does.
///
/// The patterns are those of `listen`, so `>` does not mean the topics that begin with `$`.
struct TopicRule: Hashable, Sendable {
    private let allow: [TopicPattern]
    private let deny: [TopicPattern]
    private let isAll: Bool

    /// Every topic, also those that begin with `$`.
    static let all = TopicRule(isAll: true, allow: [], deny: [])
    /// None.
    static let none = TopicRule(isAll: false, allow: [], deny: [])

    init(allow: [TopicPattern], deny: [TopicPattern]) {
        self.init(isAll: false, allow: allow, deny: deny)
    }

    private init(isAll: Bool, allow: [TopicPattern], deny: [TopicPattern]) {
        self.isAll = isAll
        self.allow = allow
        self.deny = deny
    }

    /// Whether this topic is allowed. O(patterns × tokens).
    func allows(_ topic: Topic) -> Bool {
        if isAll { return true }
        return allow.contains { $0.matches(topic) } && !deny.contains { $0.matches(topic) }
    }

    /// Whether a topic that the pattern means could be allowed: otherwise nothing would ever come.
    func mayAllow(_ pattern: TopicPattern) -> Bool {
        if isAll { return true }
        return allow.contains { $0.overlaps(pattern) } && !deny.contains { $0.covers(pattern) }
    }
}
