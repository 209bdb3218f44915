import Testing

@Suite struct LexerTests {
    private func texts(_ text: String) -> [String] { Lexer.tokens(of: text).map(\.text) }

    @Test func commentsLeaveNoToken() {
        #expect(texts("a // b\n/* c /* d */ e */ f /// g") == ["a", "f"])
    }

    @Test func aStringIsOneToken() {
        let tokens = Lexer.tokens(of: #"print("a // \"b\" /* c")"#)
        #expect(tokens.map(\.kind) == [.word, .mark, .string, .mark])
        #expect(tokens[2].text == #"a // \"b\" /* c"#)
    }

    @Test func interpolationsAreCode() {
        #expect(
            texts(#"x("a\(try! f("b", (1)))c") y"#).joined(separator: " ")
                == "x ( ac try ! f ( b , ( 1 ) ) ) y")
    }

    @Test func rawStringsEndAtTheirHashes() {
        #expect(texts(##"a = #"b " \(c) \#(d)"# e"##) == ["a", "=", #"b " \(c) "#, "d", "e"])
    }

    @Test func stringsOfManyLinesCountThem() {
        let tokens = Lexer.tokens(of: "a(\"\"\"\n  \"b\"\n  \\\n  { \"\"\")\nc")
        #expect(tokens.map(\.line) == [1, 1, 1, 4, 5])
    }

    @Test func aRegexIsOneTokenAndADivisionIsNot() {
        #expect(texts(#"x = /"[{]\/"/ ; y"#) == ["x", "=", #""[{]\/""#, ";", "y"])
        #expect(texts("a / b / c") == ["a", "/", "b", "/", "c"])
        #expect(texts("r(8, /) / 2") == ["r", "(", "8", ",", "/", ")", "/", "2"])
        #expect(texts("#/ \" /# z") == [" \" ", "z"])
    }

    @Test func anEndInsideALiteralIsTheEnd() {
        for text in [
            "\"abc", "\"\"\"\nabc", "/* abc", "`abc", "#\"abc\"", "\"a\\(b", "\"a\\", "#/",
        ] {
            #expect(Lexer.tokens(of: text).count <= 3)
        }
    }

    @Test func wordsAndNumbers() {
        let tokens = Lexer.tokens(of: "`case` größe $0 1_000.5e3 0..<2")
        #expect(
            tokens.map(\.text) == ["`case`", "größe", "$0", "1_000.5e3", "0", ".", ".", "<", "2"])
        #expect(tokens[3].kind == .number)
    }
}
