import RexClient
import RexProtocol
import Testing

@Suite struct ChatNarratorTests {
    private func room(
        topic: String = "", members: [String] = ["ann", "bob"], typing: [String] = [],
        _ messages: [(String, String, String)] = []
    ) -> ChatRoom {
        ChatRoom([
            "topic": .string(topic), "members": .array(members.map(JSONValue.string)),
            "typing": .array(typing.map(JSONValue.string)),
            "messages": .array(
                messages.map {
                    [
                        "id": .string($0.0), "from": .string($0.1), "text": .string($0.2),
                        "at": "now",
                    ]
                }),
        ])
    }

    private func narrator(tellsTyping: Bool = false) -> ChatNarrator {
        ChatNarrator(room: "general", me: "ann", tellsTyping: tellsTyping) { _ in "12:00" }
    }

    @Test func theFirstStateIsTheGreeting() {
        var narrator = narrator()
        let lines = narrator.tell(room(topic: "news", [("m1", "bob", "hi")]))
        #expect(lines == ["12:00 bob: hi", "* topic: news", "* here: ann, bob"])
    }

    @Test func eachChangeIsToldOnce() {
        var narrator = narrator()
        _ = narrator.tell(room())
        #expect(narrator.tell(room([("m1", "bob", "hi")])) == ["12:00 bob: hi"])
        #expect(narrator.tell(room([("m1", "bob", "hi")])) == [])
        #expect(narrator.tell(room([("m1", "bob", "ho")])) == ["12:00 bob: ho"])
        #expect(narrator.tell(room([])) == ["* the room was cleared"])
        #expect(narrator.tell(room(members: ["ann", "cleo"])) == ["* cleo joined", "* bob left"])
        #expect(narrator.tell(room(topic: "t", members: ["ann", "cleo"])) == ["* topic: t"])
    }

    @Test func aRemovedMessageIsNamedAndAForgottenOneIsNot() {
        var narrator = narrator()
        _ = narrator.tell(room([("m1", "bob", "hi"), ("m2", "bob", "ho")]))
        #expect(narrator.tell(room([("m2", "bob", "ho")])) == ["* bob removed: hi"])
        let full = (0..<1000).map { ("n\($0)", "bob", "x") }
        var other = self.narrator()
        _ = other.tell(room(full))
        let next = Array(full.dropFirst()) + [("n1000", "bob", "new")]
        #expect(other.tell(room(next)) == ["12:00 bob: new"])
    }

    @Test func typingIsToldOnPipesAndShownInTheStatus() {
        var narrator = narrator(tellsTyping: true)
        _ = narrator.tell(room())
        #expect(narrator.tell(room(typing: ["bob", "ann"])) == ["* bob is typing…"])
        #expect(narrator.status == "general: ann, bob — bob is typing…")
        #expect(narrator.tell(room()) == ["* bob stopped typing"])
        #expect(narrator.status == "general: ann, bob")
        _ = narrator.tell(room(typing: ["bob"]))
        #expect(narrator.tell(room([("m1", "bob", "hi")])) == ["12:00 bob: hi"])
    }

    @Test func whatOthersWroteCannotSteerTheTerminal() {
        var narrator = narrator()
        _ = narrator.tell(room())
        #expect(
            narrator.tell(room([("m1", "bob", "\u{1b}[2Jx\n* eve joined")]))
                == ["12:00 bob: \\u001b[2Jx\\n* eve joined"])
    }
}

@Suite struct ChatInputTests {
    @Test func linesAndCommands() {
        #expect(ChatInput("hi there") == .say("hi there"))
        #expect(ChatInput("//etc") == .say("/etc"))
        #expect(ChatInput("  ") == .nothing)
        #expect(ChatInput("/topic new  things") == .topic("new  things"))
        #expect(ChatInput("/edit better") == .edit(id: nil, text: "better"))
        #expect(ChatInput("/edit #m3 better") == .edit(id: "m3", text: "better"))
        #expect(ChatInput("/edit") == .wrong("/edit needs the new text"))
        #expect(ChatInput("/leave") == .leave)
        guard case .wrong(let text) = ChatInput("/tpic x") else {
            Issue.record("understood")
            return
        }
        #expect(text.contains("did you mean /topic?"))
    }
}

@Suite struct InputLineTests {
    private func type(_ text: String, into line: inout InputLine) {
        var keys = KeyDecoder()
        for key in keys.feed(Array(text.utf8)) { _ = line.apply(key) }
    }

    @Test func keysAreDecodedAlsoWhenCutAnywhere() {
        let bytes = Array("aé😀\u{1b}[D\u{1b}[3~\u{1b}OH\u{7f}\r\u{1b}[1;5C".utf8)
        var whole = KeyDecoder()
        let expected: [Key] = [
            .character("a"), .character("é"), .character("😀"), .left, .delete, .home, .backspace,
            .enter, .right,
        ]
        #expect(whole.feed(bytes) == expected)
        var cut = KeyDecoder()
        #expect(bytes.flatMap { cut.feed([$0]) } == expected)
    }

    @Test func editing() {
        var line = InputLine()
        type("hello world", into: &line)
        #expect(line.apply(.wordBack) == .changed)
        #expect(line.content == "hello ")
        #expect(line.apply(.home) == .moved)
        #expect(line.apply(.left) == .nothing)
        #expect(line.apply(.delete) == .changed)
        type("J", into: &line)
        #expect(line.content == "Jello ")
        #expect(line.apply(.killToEnd) == .changed)
        #expect(line.apply(.enter) == .submitted("J"))
        #expect(line.content == "")
        #expect(line.apply(.up) == .changed)
        #expect(line.content == "J")
        #expect(line.apply(.down) == .changed)
        #expect(line.apply(.endOfInput) == .ended)
    }

    @Test func aCombiningMarkJoinsItsLetter() {
        var line = InputLine()
        _ = line.apply(.character("e"))
        _ = line.apply(.character("\u{301}"))
        #expect(line.content.count == 1)
        #expect(line.apply(.backspace) == .changed)
        #expect(line.content.isEmpty)
    }

    @Test func aLongLineScrollsSidewaysWithTheCursorInView() {
        var line = InputLine()
        type("abcdefghij日本", into: &line)
        #expect(line.visible(columns: 6) == ("j日本", 5))
        _ = line.apply(.home)
        #expect(line.visible(columns: 6) == ("abcde", 0))
    }

    @Test func theLineIsBounded() {
        var line = InputLine()
        for _ in 0..<(InputLine.limit + 5) { _ = line.apply(.character("x")) }
        #expect(line.content.count == InputLine.limit)
    }
}
