import Rex
import RexProtocol
import Testing

@testable import RexServer

/// What a rule lets through, without anybody who asks.
@Suite struct RuleTests {
    @Test(
        arguments: [
            (["*"], [], "anything", true), ([], [], "set", false), (["set"], [], "set", true),
            (["set"], [], "setTopic", false), (["set*"], [], "setTopic", true),
            (["*Topic"], [], "setTopic", true), (["*Topic"], [], "setTopics", false),
            (["s*T*c"], [], "setTopic", true), (["s*T*x"], [], "setTopic", false),
            (["*"], ["clear"], "clear", false), (["*"], ["clear"], "clears", true),
            (["*"], ["*"], "set", false), (["**"], [], "", true), (["a*b*c"], [], "abbbc", true),
            (["Set"], [], "set", false), (["\u{E9}"], [], "e\u{301}", false),
        ] as [([String], [String], String, Bool)])
    func actionsByTheirType(allow: [String], deny: [String], type: String, isAllowed: Bool) {
        #expect(ActionRule(allow: allow, deny: deny).allows(type) == isAllowed)
    }

    /// A pattern of many stars is no work without end.
    @Test func manyStarsAreDoneQuickly() {
        let rule = ActionRule(allow: [String(repeating: "a*", count: 200) + "b"], deny: [])
        #expect(!rule.allows(String(repeating: "a", count: 2_000)))
    }

    private func patterns(_ texts: [String]) throws -> [TopicPattern] {
        try texts.map { try TopicPattern($0) }
    }

    @Test(
        arguments: [
            ([">"], [], "news.sport", true), (["news.>"], [], "news", false),
            ([">"], ["secret.>"], "secret.x", false), ([">"], ["secret.>"], "secret", true),
            ([">"], ["*.x"], "secret.x", false), ([">"], [], "$server.shutdown", false),
            (["$server.*"], [], "$server.shutdown", true), ([], [], "a", false),
        ] as [([String], [String], String, Bool)])
    func topicsByPatterns(allow: [String], deny: [String], topic: String, isAllowed: Bool) throws {
        let rule = TopicRule(allow: try patterns(allow), deny: try patterns(deny))
        #expect(rule.allows(try Topic(topic)) == isAllowed)
    }

    @Test(
        arguments: [
            (["news.>"], [], ">", true), (["news.>"], [], "sport.>", false),
            ([">"], ["secret.>"], "secret.x", false), ([">"], ["secret.>"], "secret.>", false),
            ([">"], ["secret.>"], ">", true), ([">"], ["secret.x"], "secret.*", true),
            (["a.*"], [], "a.b.c", false), ([">"], [], "$server.>", false),
        ] as [([String], [String], String, Bool)])
    func patternsUnderWhichNothingCanComeAreNotAllowed(
        allow: [String], deny: [String], pattern: String, mayCome: Bool
    ) throws {
        let rule = TopicRule(allow: try patterns(allow), deny: try patterns(deny))
        #expect(rule.mayAllow(try TopicPattern(pattern)) == mayCome)
    }

    // MARK: What may be read

    private func scope(_ allow: [String], _ deny: [String] = []) throws -> ReadScope {
        ReadScope(
            allow: try allow.map { try JSONPointer($0) }, deny: try deny.map { try JSONPointer($0) }
        )
    }

    private static let whole: JSONValue = [
        "rooms": [
            "a": ["topic": "x", "log": [["text": 1, "by": "ann"], ["text": 2, "by": "bob"]]],
            "b": ["topic": "y", "log": []],
        ],
        "users": ["ann": ["mail": "m", "age": 3], "bob": ["mail": "n", "age": 4]],
        "count": 7, "*": 1,
    ]

    @Test(
        arguments: [
            ([""], [], whole), ([], [], nil), (["/nothing"], [], nil),
            (["/count"], [], ["count": 7]),
            (["/count/x"], [], nil), ([""], [""], nil), (["/count"], [""], nil),
            (["/rooms/a/topic", "/count"], [], ["count": 7, "rooms": ["a": ["topic": "x"]]]),
            (["/rooms/*/topic"], [], ["rooms": ["a": ["topic": "x"], "b": ["topic": "y"]]]),
            (
                ["/users"], ["/users/*/mail"],
                ["users": ["ann": ["age": 3], "bob": ["age": 4]]]
            ),
            (["/users/ann"], ["/users"], nil),
            (["/rooms/b/log"], [], ["rooms": ["b": ["log": []]]]),
            (
                ["/rooms/a/log/*/text"], [],
                ["rooms": ["a": ["log": [["text": 1], ["text": 2]]]]]
            ),
            (
                ["/rooms/a/log/1"], [],
                ["rooms": ["a": ["log": [.null, ["text": 2, "by": "bob"]]]]]
            ),
            (
                ["/rooms/a/log"], ["/rooms/a/log/1"],
                ["rooms": ["a": ["log": [["text": 1, "by": "ann"]]]]]
            ),
            (["/users/ann", "/users/ann/mail"], [], ["users": ["ann": ["mail": "m", "age": 3]]]),
        ] as [([String], [String], JSONValue?)])
    func onlyWhatIsAllowedIsSeen(
        allow: [String], deny: [String], seen: JSONValue?
    ) throws {
        #expect(try scope(allow, deny).visible(Self.whole) == seen)
    }

    @Test func whatIsSeenOfAPlaceIsThatPlaceOfWhatIsSeen() throws {
        let rules = [
            (["/rooms/*/topic", "/count"], []), ([""], ["/users/*/mail", "/rooms/a/log/0"]),
            (["/users/ann"], ["/users/ann/age"]), (["/rooms/a/log/*/by"], []),
        ]
        let places = [
            "", "/rooms", "/rooms/a", "/rooms/a/log", "/users/ann", "/users/bob", "/count",
        ]
        for (allow, deny) in rules {
            let scope = try scope(allow, deny)
            for text in places {
                let place = try JSONPointer(text)
                let cut = Self.whole.value(at: place).flatMap { scope.at(place).visible($0) }
                #expect(cut == scope.visible(Self.whole)?.value(at: place), "\(allow) \(text)")
            }
        }
    }

    @Test func aScopeKnowsWhetherItIsAllOrNothing() throws {
        let mail = try JSONPointer("/users/ann/mail")
        #expect(ReadScope.all.isAll && ReadScope.none.isNone)
        #expect(try scope(["/users"]).at(mail).isAll)
        #expect(try scope([""], ["/users/*/mail"]).at(mail).isNone)
        #expect(try scope([""], ["/users/*/mail"]).at(JSONPointer("/users/ann/age")).isAll)
        let users = try scope([""], ["/users/*/mail"]).at(JSONPointer("/users"))
        #expect(!users.isAll && !users.isNone)
        #expect(try scope(["/rooms"]).at(mail).isNone)
    }

    @Test func oneMeaningHasOneFingerprintAndAnotherHasAnother() throws {
        let one = try scope(["/a", "/b"], ["/a/c"])
        #expect(one == (try scope(["/b", "/a", "/b"], ["/a/c"])))
        #expect(one.fingerprint == (try scope(["/b", "/a"], ["/a/c"]).fingerprint))
        // It names positions of clients that outlive the server.
        #expect(one.fingerprint == "2043991cdb9ca62a")
        let others = [
            try scope(["/a"]), try scope(["/b"]), try scope(["/a"], ["/a/b"]),
            try scope([""], ["/a"]),
            try scope(["/a~1b"]), try scope(["/a/b"]), one,
        ]
        #expect(Set(others.map(\.fingerprint)).count == others.count)
    }

    @Test func aPatchForAPersonHasOnlyWhatTheySee() throws {
        let scope = try scope(["/rooms/*/topic", "/count"])
        let patch = try RawJSON(
            parsing:
                #"[{"op":"replace","path":"/count","value":1},"#
                + #"{"op":"add","path":"/users/x","value":2},"#
                + #"{"op":"add","path":"/rooms/c","value":{"topic":"z","log":[1]}},"#
                + #"{"op":"remove","path":"/rooms/a"},"#
                + #"{"op":"replace","path":"/rooms/b/log","value":[]}]"#
        )
        #expect(
            scope.visible(patch).value == [
                ["op": "replace", "path": "/count", "value": 1],
                ["op": "add", "path": "/rooms/c", "value": ["topic": "z"]],
            ])
    }
}
