import RexClient
import RexCommandLine
import RexProtocol
import Testing

@Suite struct ReplLineTests {
    private func sent(_ line: String, store: String? = nil) throws -> String {
        guard case .send(let text) = try ReplLine(line, store: store) else { return "nothing" }
        return text
    }

    @Test func actionsOpsAndFrames() throws {
        #expect(try sent("increment") == #"{"op":"dispatch","action":{"type":"increment"}}"#)
        #expect(
            try sent("add 5", store: "counter")
                == #"{"op":"dispatch","store":"counter","action":{"type":"add","payload":5}}"#)
        #expect(
            try sent("dispatch send to=a text=\"h i\"")
                == #"{"op":"dispatch","action":{"type":"send","payload":{"text":"h i","to":"a"}}}"#
        )
        #expect(
            try sent("get /rooms at=3", store: "c")
                == #"{"op":"get","at":3,"path":"/rooms","store":"c"}"#)
        #expect(try sent("diff 1 2") == #"{"op":"diff","from":1,"to":2}"#)
        #expect(try sent("ping", store: "c") == #"{"op":"ping"}"#)
        #expect(try sent("publish a.b x:=1") == #"{"op":"publish","data":{"x":1},"topic":"a.b"}"#)
        #expect(
            try sent("subscribe since:={\"epoch\":\"e\",\"rev\":1}")
                == #"{"op":"subscribe","since":{"epoch":"e","rev":1}}"#)
        #expect(try sent(" {\"op\": \"ping\"") == "{\"op\": \"ping\"")
    }

    @Test func wordsOfItsOwn() throws {
        #expect(try ReplLine("use doc", store: nil) == .use("doc"))
        #expect(try ReplLine("quit", store: nil) == .quit)
        #expect(try ReplLine("   ", store: nil) == .nothing)
        #expect(throws: UsageError.self) { try ReplLine("use", store: nil) }
        #expect(throws: UsageError.self) { try ReplLine("jump 1 2", store: nil) }
        #expect(throws: UsageError.self) { try ReplLine("add @file", store: nil) }
    }

    @Test func completion() {
        let names = ["undo", "unlisten", "unsubscribe", "increment"]
        #expect(Completion.complete("inc", from: names) == ("rement ", []))
        #expect(
            Completion.complete("u", from: names) == ("n", ["undo", "unlisten", "unsubscribe"]))
        #expect(Completion.complete("x", from: names) == ("", []))
        #expect(Completion.complete("get /a", from: names) == ("", []))
        #expect(
            Completion.knownTypes(in: "no action has the type '?' Known types: add, set.")
                == ["add", "set"])
        #expect(Completion.knownTypes(in: "no") == [])
    }
}

@Suite struct ShownTextTests {
    @Test func jsonIsIndentedInItsOwnOrder() throws {
        let json = try RawJSON(
            parsing: #"{"b":[1,{"a":"x, {y}: \" z"}],"a":{},"c":[],"d":"\u009b"}"#)
        #expect(
            JSONText.indented(json) == #"""
                {
                  "b": [
                    1,
                    {
                      "a": "x, {y}: \" z"
                    }
                  ],
                  "a": {},
                  "c": [],
                  "d": "\u009b"
                }
                """#)
        #expect(JSONText.indented(try RawJSON(parsing: "5")) == "5")
    }

    @Test func tablesAreAligned() {
        var table = TextTable("A", "BB")
        table.add("日本", "x")
        table.add("1", "\u{1b}")
        #expect(table.lines == ["A     BB", "日本  x", "1     \\u001b"])
    }

    @Test func theChatScreenKeepsStatusAndInputBelow() {
        var screen = ChatScreen(columns: 20, prompt: "me> ", hasColour: false)
        var input = InputLine()
        _ = input.apply(.character("h"))
        let first = screen.show(
            ["12:00 ann: hi"], status: "general: ann, bob, cleo, dan", input: input)
        #expect(first == "12:00 ann: hi\ngeneral: ann, bob,…\nme> h\r\u{1b}[5C")
        let second = screen.show([], status: "s", input: input)
        #expect(second == "\r\u{1b}[1A\u{1b}[Js\nme> h\r\u{1b}[5C")
        let (once, twice) = (screen.erase(), screen.erase())
        #expect(once == "\r\u{1b}[1A\u{1b}[J" && twice == "")
    }

    @Test func typingIsToldNowAndAgainNotWithEveryKey() {
        var notice = TypingNotice()
        let start = ContinuousClock.now
        func isDue(_ content: String, after time: Duration) -> Bool {
            notice.isDue(for: content, at: start + time)
        }
        #expect(!isDue("", after: .zero))
        #expect(!isDue("/who", after: .zero))
        #expect(isDue("h", after: .zero))
        #expect(!isDue("he", after: .seconds(1)))
        #expect(isDue("hel", after: TypingNotice.renewal))
        notice.ended()
        #expect(isDue("x", after: TypingNotice.renewal))
    }
}
