import RexClient
import RexCommandLine
import RexProtocol
import Testing

@Suite struct PayloadTests {
    @Test func everyForm() throws {
        #expect(try Payload.parse([]) == .none)
        #expect(try Payload.parse(["-"]) == .standardInput)
        #expect(try Payload.parse(["@a.json"]) == .file("a.json"))
        #expect(try Payload.parse(["5"]) == .value(5))
        #expect(try Payload.parse(["-5"]) == .value(-5))
        #expect(try Payload.parse(["\"a=b\""]) == .value("a=b"))
        #expect(try Payload.parse(["{\"a\":\"=\"}"]) == .value(["a": "="]))
        #expect(
            try Payload.parse(["room=general", "text=a=b"])
                == .value(["room": "general", "text": "a=b"]))
        #expect(
            try Payload.parse(["by:=5", "x:=[1,{\"y\":null}]", "empty="])
                == .value(["by": 5, "x": [1, ["y": JSONValue.null]], "empty": ""]))
        #expect(
            try Payload.parse(["path=/a", "value:=true"]) == .value(["path": "/a", "value": true]))
    }

    @Test func slipsAreExplained() {
        func words(_ words: String...) -> String {
            do { return "\(try Payload.parse(words))" } catch { return error.description }
        }
        #expect(words("hello") == "hello is not JSON; a string needs quotes: '\"hello\"'")
        #expect(words("a=1", "a=2") == "a is given twice")
        #expect(words("a=1", "b") == "expected key=value or key:=json, got b")
        #expect(words("a:=x").hasPrefix("a:=x is not JSON"))
        #expect(words("{\"a\":}").hasPrefix("{\"a\":} is not JSON: "))
    }

    @Test func wordsOfALine() throws {
        #expect(
            try Words.split("  send room=general  text=\"hi there\" ")
                == ["send", "room=general", "text=hi there"])
        #expect(
            try Words.split("set value:={\"a\": [1, \"} \\\" x\"]} k='a \"b'")
                == ["set", "value:={\"a\": [1, \"} \\\" x\"]}", "k=a \"b"])
        #expect(try Words.split("a\\ b \"\"") == ["a b", ""])
        #expect(try Words.split("") == [])
        #expect(throws: UsageError.self) { try Words.split("a \"b") }
        #expect(throws: UsageError.self) { try Words.split("{\"a\":1") }
    }
}
