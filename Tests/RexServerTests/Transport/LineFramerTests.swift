import RexTesting
import Testing

@testable import RexServer

@Suite struct LineFramerTests {
    private func take(
        _ framer: inout LineFramer, _ text: String, stopAfter: Int = .max
    ) throws -> [String] {
        var lines: [String] = []
        try Array(text.utf8).withUnsafeBytes { bytes in
            try framer.take(bytes) { line in
                lines.append(String(decoding: line, as: UTF8.self))
                return lines.count < stopAfter
            }
        }
        return lines
    }

    @Test func splitsAndJoins() throws {
        var framer = LineFramer(limit: 100)
        #expect(try take(&framer, "one\ntwo\r\n\n  \r\n\t\nthr") == ["one", "two"])
        #expect(try take(&framer, "ee") == [])
        #expect(framer.heldBytes == 5)
        #expect(try take(&framer, "\nfour\n") == ["three", "four"])
        #expect(framer.heldBytes == 0)
    }

    @Test func aStopKeepsTheRestForLater() throws {
        var framer = LineFramer(limit: 100)
        #expect(try take(&framer, "1\n2\n3\n4", stopAfter: 1) == ["1"])
        #expect(try take(&framer, "", stopAfter: 1) == ["2"])
        #expect(try take(&framer, "x\n") == ["3", "4x"])
    }

    @Test func theLimitCountsWithoutTheLineFeed() throws {
        var framer = LineFramer(limit: 4)
        #expect(try take(&framer, "1234\n") == ["1234"])
        #expect(try take(&framer, "1234\r\n") == ["1234"])
        #expect(try take(&framer, "1234\r") == [])
        #expect(try take(&framer, "\n") == ["1234"])
        #expect(throws: LineFramer.Stop.tooLong) { try take(&framer, "12345\n") }
        var other = LineFramer(limit: 4)
        #expect(try take(&other, "1234") == [])
        #expect(throws: LineFramer.Stop.tooLong) { try take(&other, "5") }
    }

    @Test func theLastLineNeedsNoLineFeed() throws {
        var framer = LineFramer(limit: 100)
        #expect(try take(&framer, "a\nb") == ["a"])
        var last: [String] = []
        framer.end {
            last.append(String(decoding: $0, as: UTF8.self))
            return true
        }
        framer.end { _ in
            last.append("again")
            return true
        }
        #expect(last == ["b"])
    }

    @Test func anyCutOfTheBytesGivesTheSameLines() throws {
        var random = SeededRandom(seed: 7)
        let lines = (0..<200).map { "\($0)" + String(repeating: "é", count: $0 % 17) }
        let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
        for _ in 0..<50 {
            var framer = LineFramer(limit: 1_000)
            var got: [String] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = Array(rest.prefix(Int.random(in: 1...40, using: &random)))
                rest = rest.dropFirst(piece.count)
                try piece.withUnsafeBytes { bytes in
                    try framer.take(bytes) {
                        got.append(String(decoding: $0, as: UTF8.self))
                        return Bool.random(using: &random)
                    }
                }
            }
            while got.count < lines.count {
                try framer.take(UnsafeRawBufferPointer(start: nil, count: 0)) {
                    got.append(String(decoding: $0, as: UTF8.self))
                    return true
                }
            }
            #expect(got == lines)
        }
    }
}
