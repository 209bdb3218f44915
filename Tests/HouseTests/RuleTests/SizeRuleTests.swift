import Testing

@Suite struct SizeRuleTests {
    private func lines(_ count: Int, _ line: String = "    a()") -> String {
        Array(repeating: line, count: count).joined(separator: "\n") + "\n"
    }

    private func longFunctions(_ text: String) -> [Finding] {
        SizeRule.longFunctions(SourceFile(path: "Sources/Rex/A.swift", text: text))
    }

    @Test func aFileHas600Lines() {
        for path in ["Sources/Rex/A.swift", "Sources/CUV/shim.h", "scripts/a.py"] {
            #expect(SizeRule.longFile(SourceFile(path: path, text: lines(600))) == [])
            #expect(SizeRule.longFile(SourceFile(path: path, text: lines(601))).count == 1)
        }
        #expect(SizeRule.longFile(SourceFile(path: "protocol.md", text: lines(601))) == [])
    }

    @Test func aLineHas100Columns() {
        let fits = String(repeating: "ü", count: 100)
        let path = "Tests/RexTests/A.swift"
        #expect(SizeRule.longLines(SourceFile(path: path, text: fits)) == [])
        let long = SizeRule.findings(in: SourceFile(path: path, text: "a\n" + fits + "x\nb"))
        #expect(long.map(\.line) == [2])
        #expect(SizeRule.findings(in: SourceFile(path: "README.md", text: fits + "x")) == [])
    }

    @Test(arguments: [
        "func f() {", "init?<T>(a: T = { 1 }()) where T: A {", "deinit {", "var a: [Int] {",
        "subscript(i: Int) -> () -> Void {", "static func == (a: A, b: A) -> Bool\nwhere A: B {",
        "func f(\n) async throws(E) -> [A: (B) -> C]\n{", "override func `init`() {",
    ])
    func aFunctionHas70Lines(_ head: String) {
        let rest = 70 - head.split(separator: "\n").count - 1
        #expect(longFunctions(head + "\n" + lines(rest) + "}") == [])
        #expect(
            longFunctions("let x = 0\n" + head + "\n" + lines(rest + 1) + "}").map(\.line) == [2])
    }

    @Test func bracesInTextDoNotCount() {
        let text = "func f() {\n  let a = \"}\" // }\n  /* } */\n" + lines(80) + "}\n"
        #expect(longFunctions(text).count == 1)
    }

    @Test(arguments: [
        "protocol P {\n func a()\n var b: Int { get }\n}\nextension P {\n", "let f = {\n",
        "var a = {\n", "let a = B.init(\n c: d) {\n", "func a()\nstruct S {\n",
        "var a: Int\nenum E {\n",
    ])
    func whatIsNoFunctionMayBeLong(_ head: String) {
        #expect(longFunctions(head + lines(90) + "}\n") == [])
    }
}
