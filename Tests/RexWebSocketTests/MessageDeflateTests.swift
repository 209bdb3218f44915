import RexTesting
import Testing

@testable import RexWebSocket

/// Compression of one message at a time, without a socket.
@Suite struct MessageDeflateTests {
    private func deflate(_ bytes: [UInt8]) -> [UInt8]? {
        bytes.withUnsafeBytes { MessageDeflate.deflate($0) }
    }

    /// What it came to, and what kind of end that was.
    private func inflate(_ bytes: [UInt8], limit: Int) -> (bytes: [UInt8]?, isTooLarge: Bool) {
        switch bytes.withUnsafeBytes({ MessageDeflate.inflate($0, limit: limit) }) {
        case .bytes(let bytes): (bytes, false)
        case .tooLarge: (nil, true)
        case .malformed: (nil, false)
        }
    }

    @Test func whatIsWorthItComesBackAsItWas() throws {
        var random = SeededRandom(seed: 4)
        for count in [512, 1_000, 16_383, 16_384, 16_385, 100_000] {
            let letters = (0..<count).map { _ in UInt8.random(in: 97...100, using: &random) }
            let small = try #require(deflate(letters))
            #expect(small.count < count && !small.suffix(4).elementsEqual([0, 0, 0xFF, 0xFF]))
            #expect(inflate(small, limit: count).bytes == letters)
            #expect(inflate(small, limit: count - 1).isTooLarge)
        }
    }

    @Test func whatIsNotWorthItIsLeftAsItIs() {
        var random = SeededRandom(seed: 5)
        #expect(deflate([UInt8](repeating: 1, count: MessageDeflate.leastBytes - 1)) == nil)
        #expect(deflate((0..<4_000).map { _ in UInt8.random(in: 0...255, using: &random) }) == nil)
    }

    /// The example of RFC 7692 §7.2.3.1, also of an empty message (§7.2.3.6) and of two blocks.
    @Test func theExamplesOfTheStandard() {
        let hello = Array("Hello".utf8)
        #expect(inflate([0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00], limit: 5).bytes == hello)
        #expect(inflate([0x00], limit: 0).bytes == [])
        let stored: [UInt8] = [0x00, 0x05, 0x00, 0xFA, 0xFF] + hello + [0x00]
        #expect(inflate(stored, limit: 5).bytes == hello)
        let final: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00]
        #expect(inflate(final, limit: 5).bytes == hello)
        let two: [UInt8] = [
            0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00,
        ]
        #expect(inflate(two, limit: 5).bytes == hello)
    }

    /// A megabyte of blanks is a few kilobytes; no more is made of a gigabyte than the limit.
    @Test func aBombStopsAtTheLimit() throws {
        let blanks = [UInt8](repeating: 32, count: 1 << 20)
        let bomb = try #require(deflate(blanks))
        #expect(bomb.count < 10_000)
        let many = [[UInt8]](repeating: bomb + [0, 0, 0xFF, 0xFF], count: 1_024).flatMap { $0 }
        #expect(inflate(many, limit: 1 << 20).isTooLarge)
    }

    @Test func noiseIsMalformedOrBounded() {
        var random = SeededRandom(seed: 6)
        #expect(inflate([0xFF, 0xFF, 0xFF], limit: 100) == (nil, false))
        for _ in 0..<2_000 {
            let count = Int.random(in: 1...200, using: &random)
            let noise = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(inflate(noise, limit: 500).bytes?.count ?? 0 <= 500)
        }
    }

    @Test func aCompressedMessageIsOneThatWasAgreedOn() {
        let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
        #expect(serverFramer(inflates: true).hear(frame(0xC1, hello)) == [.text("Hello")])
        #expect(serverFramer().hear(frame(0xC1, hello)) == [.failure(1002)])
        let framer = serverFramer(inflates: true)
        #expect(framer.hear(frame(0x41, hello.prefix(3)) + frame(0x00, hello[3..<5])) == [])
        #expect(framer.hear(frame(0x80, hello.dropFirst(5))) == [.text("Hello")])
        // Only its first fragment says so, and a control frame never does.
        #expect(framer.hear(frame(0x41, hello.prefix(3)) + [0xC0, 0x80]) == [.failure(1002)])
        #expect(serverFramer(inflates: true).hear([0xC9, 0x80]) == [.failure(1002)])
        // The limit counts what it inflates to; text is checked after that.
        #expect(serverFramer(limit: 4, inflates: true).hear(frame(0xC1, [0x02, 0x00])) != [])
        let seven = [UInt8](hello)
        #expect(serverFramer(limit: 7, inflates: true).hear(frame(0xC1, seven)) == [.text("Hello")])
        let latin: [UInt8] = [0x00, 0x02, 0x00, 0xFD, 0xFF, 0xC3, 0x28, 0x00]
        #expect(serverFramer(inflates: true).hear(frame(0xC1, latin)) == [.failure(1007)])
        #expect(serverFramer(inflates: true).hear(frame(0xC1, [0xFF])) == [.failure(1007)])
    }
}
