import Testing

@Suite struct SafetyRuleTests {
    static let nap = "sleep"

    static let bad = [
        Snippet("Sources/Rex/A.swift", "let a = try! b()"),
        Snippet("Sources/Rex/A.swift", "let a = \"\\(try! b())\""),
        Snippet("Examples/A.swift", "print(1)"),
        Snippet("Sources/RexTesting/A.swift", "Swift.print(1)"),
        Snippet("Sources/RexServer/A.swift", "debugPrint(a)"),
        Snippet("Sources/RexServer/A.swift", "final class A: @unchecked Sendable {}"),
        Snippet("Sources/RexServer/A.swift", "nonisolated(unsafe) var a = 1"),
        Snippet("Tests/RexTests/A.swift", "nonisolated(unsafe) let a = 1"),
        Snippet("Tests/RexTests/A.swift", "try await Task.\(nap)(for: .seconds(1))"),
        Snippet("Tests/RexTests/A.swift", "Thread.\(nap)(forTimeInterval: 1)"),
        Snippet("Tests/RexTests/A.swift", "u\(nap)(1000)"),
        Snippet("Tests/RexTests/A.swift", "Glibc.\(nap)(1)"),
        Snippet("Tests/RexTests/A.swift", "try await ContinuousClock().\(nap)(until: a)"),
    ]
    static let good = [
        Snippet("Sources/Rex/A.swift", "let a = try? b() // try! print("),
        Snippet("Sources/Rex/A.swift", "printer.print(1)\nfunc print(_ a: Int) {}"),
        Snippet("Sources/rex-client/Main.swift", "print(try! a())"),
        Snippet("Benchmarks/Sources/A.swift", "print(1)"),
        Snippet(
            "Sources/Loop/A.swift", "class A: @unchecked Sendable { nonisolated(unsafe) var a = 1 }"
        ),
        Snippet("Sources/Rex/A.swift", "nonisolated func a() {}\ntry await clock.\(nap)(for: a)"),
        Snippet("Tests/RexTests/A.swift", "print(try! a())\ntry await clock.\(nap)(for: a)"),
        Snippet("Tests/RexTests/A.swift", "func \(nap)() {}\nlet a = \"Task.\(nap)(1)\""),
    ]

    @Test(arguments: bad) func finds(_ snippet: Snippet) {
        #expect(SafetyRule.findings(in: snippet.file).count == 1)
    }

    @Test(arguments: good) func letsPass(_ snippet: Snippet) {
        #expect(SafetyRule.findings(in: snippet.file) == [])
    }
}
