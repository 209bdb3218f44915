import RexTesting
import Testing

@testable import RexWebSocket

/// UTF-8 as it comes, against the standard library, which wants it whole.
@Suite struct UTF8CheckTests {
    /// Whether the bytes are text, taken in pieces of a size.
    private func isText(_ bytes: [UInt8], by size: Int) -> Bool {
        var check = UTF8Check()
        for start in stride(from: 0, to: bytes.count, by: size) {
            let part = bytes[start..<min(bytes.count, start + size)]
            guard part.withUnsafeBytes({ check.feed($0) }) else { return false }
        }
        return check.isWhole
    }

    private func expectAgreement(_ bytes: [UInt8]) {
        let wanted = String(validating: bytes, as: UTF8.self) != nil
        for size in [1, 2, 3, 8, 9, 64] {
            #expect(isText(bytes, by: size) == wanted, "\(bytes) by \(size)")
        }
    }

    @Test func everyBeginningOfACharacter() {
        for first in 0x80...0xFF {
            for second in stride(from: 0x00, through: 0xFF, by: 0x10) {
                for tail in [[], [0x80], [0x80, 0xBF], [0xBF, 0x7F], [0x80, 0x80, 0x80]] {
                    expectAgreement([UInt8(first), UInt8(second)] + tail.map(UInt8.init))
                    expectAgreement([UInt8(first), UInt8(second | 0xF)] + tail.map(UInt8.init))
                }
            }
        }
    }

    @Test func charactersAtEveryPlaceAmongPlainOnes() {
        for text in ["é", "中", "😀", "\u{7FF}", "\u{800}", "\u{FFFF}", "\u{10FFFF}"] {
            for place in 0..<20 {
                let plain = [UInt8](repeating: 0x61, count: place)
                expectAgreement(plain + Array(text.utf8) + plain)
                expectAgreement(plain + Array(text.utf8).dropLast() + plain)
            }
        }
    }

    @Test func randomBytesAndRandomlyBrokenText() {
        var random = SeededRandom(seed: 8)
        let text = Array("Zwölf Boxkämpfer 中文 😀😀 ascii only for a while, then é".utf8)
        for _ in 0..<2_000 {
            var bytes = text
            let place = Int.random(in: 0..<bytes.count, using: &random)
            bytes[place] = UInt8.random(in: 0...255, using: &random)
            expectAgreement(bytes)
        }
    }

    /// It says no at the first byte that cannot belong to any text, and not later.
    @Test(
        arguments: [
            ([0x80], 1), ([0xC0], 1), ([0xC1], 1), ([0xF5], 1), ([0xFF], 1), ([0xE0, 0x9F], 2),
            ([0xED, 0xA0], 2), ([0xF0, 0x8F], 2), ([0xF4, 0x90], 2), ([0xE4, 0xB8, 0x41], 3),
        ] as [([UInt8], Int)])
    func itSaysNoAtOnce(bytes: [UInt8], count: Int) {
        var check = UTF8Check()
        for (index, byte) in bytes.enumerated() {
            let isFine = [byte].withUnsafeBytes { check.feed($0) }
            #expect(isFine == (index < count - 1))
        }
    }
}
