import Rex

/// Patterns and topics, a line each, against a matcher of ten lines.
enum TopicTarget {
    private static let textsLimit = 24

    static func run(_ input: [UInt8]) throws {
        let texts = input.split(separator: 10).prefix(textsLimit).map {
            String(decoding: $0, as: UTF8.self)
        }
        let patterns = texts.compactMap { try? TopicPattern($0) }
        let topics = texts.compactMap { try? Topic($0) }
        var tree = TopicTree<Int>()
        for (index, pattern) in patterns.enumerated() {
            try hold(tree.insert(index, for: pattern), "\(pattern) was there already")
        }
        for topic in topics {
            var found: [Int] = []
            tree.forEachMatch(topic) { found.append($0) }
            let wanted = patterns.indices.filter { matches(patterns[$0].text, topic.text) }
            try hold(found.sorted() == wanted, "the tree finds \(found) for \(topic)")
            for (index, pattern) in patterns.enumerated() {
                let one = pattern.matches(topic)
                try hold(one == wanted.contains(index), "\(pattern) and \(topic): \(one)")
            }
            try checkRelations(of: wanted.map { patterns[$0] }, patterns, topic)
        }
        for (index, pattern) in patterns.enumerated() {
            try hold(tree.remove(index, for: pattern), "\(pattern) was not there")
        }
        try hold(tree.isEmpty, "the tree still holds something")
    }

    /// - Parameter meant: those that mean the topic.
    private static func checkRelations(
        of meant: [TopicPattern], _ all: [TopicPattern], _ topic: Topic
    ) throws {
        for one in meant {
            for other in meant {
                try hold(one.overlaps(other), "\(one) and \(other) have \(topic) in common")
            }
            for other in all where other.covers(one) {
                try hold(other.matches(topic), "\(other) covers \(one) without \(topic)")
            }
        }
    }

    /// The rule in its plainest form.
    private static func matches(_ pattern: String, _ topic: String) -> Bool {
        func split(_ text: String) -> ArraySlice<[UInt8]> {
            text.utf8.split(separator: 46, omittingEmptySubsequences: false).map { Array($0) }[...]
        }
        if topic.utf8.first == 36, pattern.utf8.first != 36 { return false }
        func match(_ pattern: ArraySlice<[UInt8]>, _ topic: ArraySlice<[UInt8]>) -> Bool {
            guard let wanted = pattern.first else { return topic.isEmpty }
            if wanted == [62] { return !topic.isEmpty }
            guard let token = topic.first, wanted == [42] || wanted == token else { return false }
            return match(pattern.dropFirst(), topic.dropFirst())
        }
        return match(split(pattern), split(topic))
    }
}
