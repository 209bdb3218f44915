import RexTesting
import Testing

@testable import Rex

@Suite struct TopicTests {
    @Test(
        arguments: [
            ("news.*", "news.sport", true), ("news.*", "news", false),
            ("news.*", "news.a.b", false),
            ("news.>", "news.a.b", true), ("news.>", "news", false), (">", "a", true),
            (">", "a.b", true),
            ("*", "a", true), ("*", "a.b", false), ("*.b", "a.b", true), ("a.*.c", "a.x.c", true),
            ("a.*.c", "a.x.d", false), ("a.b", "a.b", true), ("a.b", "a.B", false),
            (">", "$server.shutdown", false), ("*.shutdown", "$server.shutdown", false),
            ("$server.*", "$server.shutdown", true), ("$server.>", "$server.shutdown", true),
            ("$*", "$server", nil), ("a.$b", "a.$b", true), ("a.*", "a.$b", true),
            ("\u{E9}", "e\u{301}", false),
        ] as [(String, String, Bool?)])
    func patternsMeetTopics(pattern: String, topic: String, meets: Bool?) throws {
        guard let meets else {
            #expect(throws: TopicError.self) { try TopicPattern(pattern) }
            return
        }
        let pattern = try TopicPattern(pattern)
        let topic = try Topic(topic)
        #expect(pattern.matches(topic) == meets)
        var tree = TopicTree<Int>()
        tree.insert(7, for: pattern)
        #expect(matches(tree, topic) == (meets ? [7] : []))
    }

    private func matches(_ tree: TopicTree<Int>, _ topic: Topic) -> [Int] {
        var found: [Int] = []
        tree.forEachMatch(topic) { found.append($0) }
        return found.sorted()
    }

    @Test(arguments: [
        "", ".", "a.", ".a", "a..b", "a b", "a\tb", "a\u{A0}b", "a\u{0}", "a\u{7F}", "a*", "a.b*c",
        "a>", String(repeating: "x", count: 256),
    ])
    func malformedTopicsAndPatterns(text: String) {
        for make in [{ _ = try Topic(text) }, { _ = try TopicPattern(text) }] as [() throws -> Void]
        {
            do {
                try make()
                Issue.record("'\(text)' was taken")
            } catch {
                #expect((error as? TopicError)?.message.isEmpty == false)
            }
        }
    }

    @Test func wildcardsAreForPatternsOnly() throws {
        for text in ["*", ">", "a.*", "a.>"] {
            #expect(throws: TopicError.self) { try Topic(text) }
            #expect(try TopicPattern(text).text == text)
        }
        let early = ">.a"
        #expect(throws: TopicError.self) { try TopicPattern(early) }
        #expect(try Topic(String(repeating: "x", count: 255)).text.utf8.count == 255)
    }

    @Test func theTreeAgreesWithThePatternsAndEndsEmpty() throws {
        var random = SeededRandom(seed: 20_261_130)
        let words = ["a", "b", "c", "$s", "*"]
        var tree = TopicTree<Int>()
        var held: [(value: Int, pattern: TopicPattern)] = []
        for value in 0..<400 {
            var tokens = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                words.randomElement(using: &random) ?? "a"
            }
            if Bool.random(using: &random) { tokens.append(">") }
            let pattern = try TopicPattern(tokens.joined(separator: "."))
            let isNew = tree.insert(value, for: pattern)
            let isNewAgain = tree.insert(value, for: pattern)
            #expect(isNew && !isNewAgain)
            held.append((value, pattern))
        }
        held.shuffle(using: &random)
        while !held.isEmpty {
            let topic = try Topic(
                (0..<Int.random(in: 1...5, using: &random)).map { _ in
                    words.dropLast().randomElement(using: &random) ?? "a"
                }.joined(separator: "."))
            let expected = held.filter { $0.pattern.matches(topic) }.map(\.value).sorted()
            #expect(matches(tree, topic) == expected)
            let (value, pattern) = held.removeLast()
            let wasThere = tree.remove(value, for: pattern)
            let isThere = tree.remove(value, for: pattern)
            #expect(wasThere && !isThere)
            #expect(tree.count == held.count)
        }
        #expect(tree.isEmpty)
    }

    /// Every name of at most so many tokens.
    private func names(of tokens: [String], upTo count: Int) -> [String] {
        var all: [String] = []
        var last = [""]
        for _ in 0..<count {
            last = last.flatMap { start in
                tokens.map { start.isEmpty ? $0 : "\(start).\($0)" }
            }
            all += last
        }
        return all
    }

    /// By the topics that they mean: with a token that is in no pattern, and one token more.
    @Test func relationsOfPatternsAreThoseOfTheirTopics() throws {
        let topics = try names(of: ["a", "b", "$x", "c"], upTo: 4).map { try Topic($0) }
        let patterns = names(of: ["a", "b", "$x", "*", ">"], upTo: 3)
            .compactMap { try? TopicPattern($0) }
        let meant = patterns.map { pattern in
            Set(topics.indices.filter { pattern.matches(topics[$0]) })
        }
        for (one, its) in zip(patterns, meant) {
            for (other, others) in zip(patterns, meant) {
                let (overlaps, covers) = (one.overlaps(other), one.covers(other))
                if overlaps != !its.isDisjoint(with: others) { Issue.record("\(one) \(other)") }
                if covers != others.isSubset(of: its) { Issue.record("\(one) over \(other)") }
            }
        }
    }
}
