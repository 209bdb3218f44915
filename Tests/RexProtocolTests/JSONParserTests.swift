import Testing

@testable import RexProtocol

@Suite struct JSONParserTests {
    let parser = JSONParser()

    private func value(_ text: String) throws -> JSONValue {
        try parser.withParsed(Array(text.utf8)) { $0.value }
    }

    private func error(_ text: String) -> JSONError? {
        do {
            _ = try value(text)
            return nil
        } catch {
            return error as? JSONError
        }
    }

    @Test func readsEveryKind() throws {
        let text = #" {"a":[1,-2,3.5,true,false,null,"x"],"b":{},"c":[],"d":18446744073709551615} "#
        let expected: JSONValue = [
            "a": [1, -2, 3.5, true, false, .null, "x"], "b": [:], "c": [],
            "d": .uint(UInt64.max),
        ]
        #expect(try value(text) == expected)
    }

    @Test(arguments: [
        ("0", JSONValue.int(0)), ("-0", .int(0)), ("-0.0", .int(0)), ("1.0", .int(1)),
        ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
        ("9223372036854775808", .uint(9_223_372_036_854_775_808)),
        ("18446744073709551615", .uint(.max)), ("1e2", .int(100)), ("0e999999999999", .int(0)),
        ("0.1", .double(0.1)), ("1E30", .double(1e30)),
        ("123456789.123456789e-5", .double(123456789.123456789e-5)),
        ("2.2250738585072014e-308", .double(.leastNormalMagnitude)),
        ("5e-324", .double(.leastNonzeroMagnitude)),
        ("1.7976931348623157e308", .double(1.7976931348623157e308)),
    ])
    func keepsNumbersExact(text: String, expected: JSONValue) throws {
        #expect(try value(text) == expected)
    }

    @Test func minusZeroIsZero() throws {
        guard case .double(let zero) = try value("-0.0") else {
            Issue.record("not kept as a Double")
            return
        }
        #expect(zero.sign == .plus)
    }

    @Test(arguments: [
        ("18446744073709551616", "number 18446744073709551616 does not fit 64 bits"),
        ("-9223372036854775809", "number -9223372036854775809 does not fit 64 bits"),
        ("[1e400]", "number 1e400 does not fit a Double"),
        ("1e-400", "number 1e-400 is too small for a Double"),
        (#"{"a":1 "b"}"#, "expected ',' or '}' at byte 7, got '\"'"),
        ("[1 2]", "expected ',' or ']' at byte 3, got '2'"),
        ("[1,]", "expected a value at byte 3, got ']'"),
        ("{\"a\":1,}", "expected a member name at byte 7, got '}'"),
        ("", "expected a value at byte 0, got the end of the text"),
        ("1 1", "expected the end of the text at byte 2, got '1'"),
        ("01", "expected the end of the text at byte 1, got '1'"),
        ("-", "expected a digit at byte 1, got the end of the text"),
        ("1.", "expected a digit at byte 2, got the end of the text"),
        ("\"abc", "expected '\"' at byte 4, got the end of the text inside a string"),
        (#""\ud800""#, "a lone surrogate at byte 1 is no character"),
        (#""\ud800\u0041""#, "a lone surrogate at byte 1 is no character"),
        (#""\udc00""#, "a lone surrogate at byte 1 is no character"),
        (#"{"a":1,"\u0061":2}"#, #"member name "\u0061" stands twice in one object"#),
        ("\"a\u{1}\"", "expected an escape for the control character at byte 2 inside a string"),
        ("\u{FEFF}1", "expected a value at byte 0, got byte 0xef"),
        ("tru", "expected a value at byte 0, got 't'"),
    ])
    func refusesWithAReason(text: String, message: String) {
        #expect(error(text)?.message == message)
    }

    @Test func namesThePlace() {
        #expect(error(#"{"a":[0,{"b":tru}]}"#)?.pointer.description == "/a/1/b")
        #expect(error(#"{"a":1,"b/c":x}"#)?.pointer.description == "/b~1c")
        #expect(error("[[],[1,2,x]]")?.pointer.description == "/1/2")
        // Of a name that is there twice its own place, not that of the last one.
        #expect(error(#"{"a":1,"a":2,"b":3}"#)?.pointer.description == "/a")
        #expect(
            error(#"[{"x":{"a":1,"b":[],"\u0061":2,"c":{}}}]"#)?.pointer.description == "/0/x/a")
    }

    @Test(
        arguments: [
            [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
            [0x22, 0xF5, 0x80, 0x80, 0x80, 0x22],
            [0x22, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22], [0x22, 0xF0, 0x8F, 0xBF, 0xBF, 0x22],
            [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xFF, 0x22],
            [0x22, 0xE0, 0x9F, 0xBF, 0x22],
        ] as [[UInt8]])
    func refusesWhatIsNotUTF8(bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try parser.withParsed(bytes) { $0.value } }
    }

    @Test func readsEscapesAndUnicode() throws {
        #expect(
            try value(#""a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é😀\u0000z""#)
                == .string("a\"\\/\u{8}\u{C}\n\r\té😀é😀\u{0}z"))
        #expect(try value(#"{"\u0041":1}"#)["A"] == 1)
    }

    @Test func strangeSpellingsOfOneCharacterStayApart() throws {
        let object = try value(#"{"\u00e9":1,"e\u0301":2}"#)
        #expect(object["\u{E9}"] == 1)
        #expect(object["e\u{301}"] == 2)
        #expect(JSONValue.string("\u{E9}") != .string("e\u{301}"))
    }

    @Test func depthIsBoundedAndCheap() throws {
        let deep = String(repeating: "[", count: 128) + String(repeating: "]", count: 128)
        #expect(try value(deep).isDeeper(than: 127))
        #expect(error("[" + deep + "]")?.message == "nested deeper than 128 at byte 128")
        #expect(error(String(repeating: "[", count: 200_000))?.offset == 128)
        #expect(error(String(repeating: "{\"a\":", count: 200_000))?.offset == 128 * 5)
    }

    @Test func manyNamesAreCheckedForDuplicates() throws {
        var names = (0..<2_000).map { "n\(($0 &* 7_919) % 2_000)" }
        func text() -> String { "{" + names.map { "\"\($0)\":1" }.joined(separator: ",") + "}" }
        #expect(try value(text()).object?.count == 2_000)
        names[1_999] = names[7]
        #expect(error(text())?.message == "member name \"\(names[7])\" stands twice in one object")
        #expect(error(#"{"a":{"b":1,"b":2}}"#) != nil)
        #expect(try value(#"{"a":{"b":1},"b":{"a":1}}"#) == ["a": ["b": 1], "b": ["a": 1]])
    }

    @Test func nodesGiveTheirTextAndParts() throws {
        let text = #"{ "op" : "x", "n": 5.0, "l":[1 , "a b\" c"] }"#
        try parser.withParsed(Array(text.utf8)) { node in
            #expect(node["op"]?.isEqual(to: "x") == true)
            #expect(node["op"]?.isEqual(to: "y") == false)
            #expect(node["n"]?.int == 5)
            #expect(node["nothing"] == nil)
            #expect(node.count == 3)
            let list = try #require(node["l"])
            #expect(String(decoding: list.raw, as: UTF8.self) == #"[1 , "a b\" c"]"#)
            #expect(list.compact.description == #"[1,"a b\" c"]"#)
            #expect(node.compact.description == #"{"op":"x","n":5.0,"l":[1,"a b\" c"]}"#)
            #expect(list[element: 1]?.string == "a b\" c")
            #expect(list[element: 2] == nil)
            #expect(node.members.map { $0.name.string } == ["op", "n", "l"])
            #expect(list.elements.map(\.kind) == [.int, .string])
        }
    }

    @Test func aParserIsUsedAgain() throws {
        for size in [1, 1_000, 100_000, 3] {
            let list = JSONValue.array((0..<size).map { .string("\($0)\n") })
            #expect(try value(list.description) == list)
            #expect(error("[") != nil)
        }
    }

    @Test func rawJSONIsValidAndCompact() throws {
        #expect(try RawJSON(parsing: " [ 1 , { } ] ").description == "[1,{}]")
        #expect(throws: JSONError.self) { try RawJSON(parsing: "[1") }
        #expect(RawJSON(["b": 1, "a": [.null]]).description == #"{"a":[null],"b":1}"#)
    }
}
