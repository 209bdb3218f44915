import Foundation
import Testing

@testable import RexTesting

private enum Shape {
    case dot
    case circle(Double)
    case box(width: Int, height: Int)
}

private struct Drawing {
    var name: String?
    var shapes: [Shape] = []
    var colours: [String: Set<Int>] = [:]
    var pair = (1, label: "x")
    let made = Date(timeIntervalSince1970: 0)
    var nothing = Nothing()

    struct Nothing {}
}

struct ValueDifferenceTests {
    @Test func `a value is a member to a line`() {
        let drawing = Drawing(
            name: "a \"b\"\n", shapes: [.dot, .circle(2), .box(width: 1, height: 2)],
            colours: ["b": [2, 1], "a": []])
        #expect(
            ValueText(drawing).lines == [
                "Drawing(",
                #"  name: "a \"b\"\n","#,
                "  shapes: [",
                "    .dot,",
                "    .circle(",
                "      2.0",
                "    ),",
                "    .box(",
                "      width: 1,",
                "      height: 2",
                "    )",
                "  ],",
                "  colours: [",
                #"    "a": [],"#,
                #"    "b": ["#,
                "      1,",
                "      2",
                "    ]",
                "  ],",
                "  pair: (",
                "    1,",
                #"    label: "x""#,
                "  ),",
                "  made: 1970-01-01 00:00:00 +0000 (0.0),",
                "  nothing: Nothing()",
                ")",
            ])
    }

    @Test func `what is equal is left out, what came and went is marked`() {
        let old = Array(1...30)
        var new = old
        new.insert(99, at: 15)
        new.remove(at: 20)
        #expect(
            ValueDifference(expected: old, actual: new).description == """
                      … (13 equal)
                        13,
                        14,
                        15,
                    +   99,
                        16,
                        17,
                        18,
                        19,
                    −   20,
                        21,
                        22,
                        23,
                      … (8 equal)

                (Expected: −, Actual: +)
                """)
    }

    @Test func `a value without end is cut, and what reads alike is said`() {
        let many = Array(0..<10_000)
        #expect(ValueText(many).lines.count <= ValueText.lineLimit + 2)
        #expect(
            ValueDifference(expected: many + [1], actual: many + [2]).description
                .contains("read alike"))
    }
}
