import RexLoop
import RexProtocol
import RexTesting
import Testing

@testable import RexServer

@Suite struct OutboxTests {
    private func text(_ outbox: Outbox) -> String {
        var bytes: [UInt8] = []
        for chunk in outbox.waiting { bytes += chunk.bytes }
        return String(decoding: bytes.dropFirst(outbox.offset), as: UTF8.self)
    }

    private func chunk(_ text: String) -> Chunk { Chunk(Array(text.utf8)) }

    @Test func patchesStandBeforeTheTurnsRepliesAndEventsAfter() {
        var outbox = Outbox()
        outbox.reply { $0.bytes += "ack1".utf8 }
        outbox.addEvents(chunk("event\n"))
        outbox.reply { $0.bytes += "ack2".utf8 }
        outbox.place(chunk("patch\n"))
        outbox.seal()
        #expect(text(outbox) == "patch\nack1\nack2\nevent\n")
        #expect(outbox.pendingBytes == 22)
    }

    @Test func whatIsSealedStaysInFront() {
        var outbox = Outbox()
        outbox.reply { $0.bytes += "subscribed".utf8 }
        outbox.seal()
        outbox.reply { $0.bytes += "ack".utf8 }
        outbox.place(chunk("patch\n"))
        outbox.seal()
        #expect(text(outbox) == "subscribed\npatch\nack\n")
    }

    @Test func partialWritesAreTakenUpWhereTheyEnded() {
        var random = SeededRandom(seed: 3)
        var outbox = Outbox()
        var expected = ""
        var got = ""
        for turn in 0..<500 {
            for number in 0..<Int.random(in: 0...3, using: &random) {
                outbox.place(chunk("p\(turn).\(number)\n"))
                expected += "p\(turn).\(number)\n"
            }
            if Bool.random(using: &random) {
                outbox.reply { $0.bytes += "r\(turn)".utf8 }
                expected += "r\(turn)\n"
            }
            outbox.seal()
            let count = Int.random(in: 0...outbox.pendingBytes, using: &random)
            got += String(text(outbox).prefix(count))
            outbox.didWrite(count)
        }
        got += text(outbox)
        outbox.didWrite(outbox.pendingBytes)
        #expect(got == expected)
        #expect(outbox.isEmpty && outbox.waiting.isEmpty && outbox.offset == 0)
    }

    @Test func theFirstPartKeepsToTheLimit() {
        var outbox = Outbox()
        for _ in 0..<10 { outbox.place(chunk("1234567890")) }
        outbox.seal()
        outbox.didWrite(5)
        let (chunks, bytes) = outbox.first(20)
        #expect(chunks.count == 2 && bytes == 15)
        outbox.didWrite(bytes)
        #expect(outbox.pendingBytes == 80 && outbox.offset == 0)
        // One that is larger goes alone.
        #expect(outbox.first(5).bytes == 10)
    }
}

/// What is held back until it is stored.
@Suite struct OutboxHoldTests {
    private func chunk(_ text: String) -> Chunk { Chunk(Array(text.utf8)) }

    private func take(_ outbox: inout Outbox, most: Int = .max) -> String {
        var text = ""
        for chunk in outbox.waiting.prefix(most) {
            text += String(decoding: chunk.bytes, as: UTF8.self)
        }
        outbox.didWrite(text.utf8.count)
        return text
    }

    private func add(_ text: String, to outbox: inout Outbox) {
        outbox.reply { $0.bytes += text.utf8 }
        outbox.seal()
    }

    @Test func eachBatchLetsGoWhatWaitedForIt() {
        var outbox = Outbox()
        add("free", to: &outbox)
        outbox.hold(until: 1)
        add("one", to: &outbox)
        add("one too", to: &outbox)
        outbox.hold(until: 2)
        outbox.hold(until: 2)
        add("two", to: &outbox)
        #expect(take(&outbox) == "free\n")
        #expect(outbox.isHeld && take(&outbox) == "")
        outbox.release(through: 1)
        #expect(take(&outbox, most: 1) == "one\n")
        #expect(outbox.isHeld && take(&outbox) == "one too\n")
        outbox.release(through: 2)
        #expect(!outbox.isHeld && take(&outbox) == "two\n")
        #expect(outbox.isEmpty)
    }

    @Test func aPatchThatIsPlacedAheadIsHeldWithItsReplies() {
        var outbox = Outbox()
        outbox.reply { $0.bytes += "ack".utf8 }
        outbox.hold(until: 5)
        outbox.place(chunk("patch\n"))
        outbox.seal()
        #expect(take(&outbox) == "")
        #expect(outbox.first(100).chunks.isEmpty)
        outbox.release(through: 5)
        #expect(take(&outbox) == "patch\nack\n")
    }

    @Test func manyBatchesInARowKeepTheirOrder() {
        var outbox = Outbox()
        for ticket in 1...500 {
            outbox.hold(until: UInt64(ticket))
            add("\(ticket)", to: &outbox)
            if ticket > 3 {
                outbox.release(through: UInt64(ticket - 3))
                #expect(take(&outbox).hasSuffix("\(ticket - 3)\n"))
            }
        }
        outbox.release(through: 500)
        #expect(take(&outbox) == "498\n499\n500\n" && outbox.isEmpty)
    }

    @Test func whatWillNotComeTrueIsDropped() {
        var outbox = Outbox()
        add("free", to: &outbox)
        outbox.hold(until: 1)
        add("never", to: &outbox)
        outbox.reply { $0.bytes += "never".utf8 }
        outbox.dropHeld()
        add("sorry", to: &outbox)
        #expect(take(&outbox) == "free\nsorry\n")
        #expect(outbox.isEmpty && !outbox.isHeld)
    }
}
