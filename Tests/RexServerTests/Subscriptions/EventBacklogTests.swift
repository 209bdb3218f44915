import RexLoop
import RexProtocol
import RexTesting
import Testing

@testable import RexServer

/// Events behind an outbox: who loses what, and where that is said.
@Suite struct EventBacklogTests {
    private let ledger = OutboxLedger()

    private func chunk(_ text: String) -> Chunk { Chunk(Array(text.utf8)) }

    private func text(_ items: [EventBacklog.Item]) -> [String] {
        items.map { item in
            switch item {
            case .events(let chunk): String(decoding: chunk.bytes, as: UTF8.self)
            case .dropped(let listener, let count): "t\(listener) lost \(count)"
            }
        }
    }

    private func add(
        _ text: String, to backlog: EventBacklog, of listener: Int = 1, events: Int = 1,
        closes: Bool = false, limit: Int = 10
    ) -> Int? {
        backlog.add(chunk(text), events: events, for: listener, closes: closes, limit: limit)
    }

    @Test func theOldestAreLostAndCountedOnce() {
        let backlog = EventBacklog(ledger)
        for number in 0..<10 { _ = add("e\(number)..", to: backlog, events: 3) }
        #expect(backlog.bytes == 8 && ledger.bytes == 8)
        #expect(text(backlog.takeAll()) == ["t1 lost 24", "e8..", "e9.."])
        #expect(backlog.bytes == 0 && ledger.bytes == 0)
        // Empty again, it begins anew.
        #expect(add("next", to: backlog) == 0)
        #expect(text(backlog.takeAll()) == ["next"])
    }

    @Test func listenersKeepTheirOrderAmongEachOther() {
        let backlog = EventBacklog(ledger)
        for (text, listener) in [("a", 2), ("b", 1), ("c", 2), ("d", 3)] {
            #expect(add(text, to: backlog, of: listener) == 0)
        }
        #expect(text(backlog.takeAll()) == ["a", "b", "c", "d"])
    }

    @Test func whoeverHasMostLoses() {
        let backlog = EventBacklog(ledger)
        _ = add("q", to: backlog, of: 1)
        for _ in 0..<5 { _ = add("fff", to: backlog, of: 2) }
        _ = add("r", to: backlog, of: 1)
        // The gap stands before what is left of the flood, and the calm one has all.
        #expect(text(backlog.takeAll()) == ["q", "t2 lost 3", "fff", "fff", "r"])
    }

    @Test func theNewestIsKeptHoweverLargeItIs() {
        let backlog = EventBacklog(ledger)
        _ = add("a", to: backlog, of: 1)
        #expect(add("more than there may be", to: backlog, of: 2) == 1)
        #expect(text(backlog.takeAll()) == ["t1 lost 1", "more than there may be"])
        _ = add("more than there may be", to: backlog, of: 1)
        #expect(add("b", to: backlog, of: 1) == 1)
        #expect(text(backlog.takeAll()) == ["t1 lost 1", "b"])
    }

    @Test func whoWantsNoGapsIsClosedOnlyForItsOwnEvents() {
        let backlog = EventBacklog(ledger)
        #expect(add("cc", to: backlog, of: 1, closes: true) == 0)
        for _ in 0..<20 { #expect(add("fff", to: backlog, of: 2) != nil) }
        #expect(add("cccc", to: backlog, of: 1, closes: true) == 1)
        #expect(add("cccc", to: backlog, of: 1, closes: true) == nil)
    }

    @Test func allCanBeLost() {
        let backlog = EventBacklog(ledger)
        for listener in 1...3 { _ = add("x", to: backlog, of: listener, events: listener) }
        #expect(backlog.loseAll() == 6 && backlog.bytes == 0 && ledger.bytes == 0)
        #expect(text(backlog.takeAll()) == ["t1 lost 1", "t2 lost 2", "t3 lost 3"])
    }

    /// Against a model: what is lost and what is left is all there was, the order is that of
    /// arrival, the sums are right, and there is never more than the limit but the newest.
    @Test func nothingGoesMissingUncounted() {
        var random = SeededRandom(seed: 11)
        for _ in 0..<200 {
            let backlog = EventBacklog(ledger)
            var sent: [Int: Int] = [:]
            var lost = 0
            for number in 0..<Int.random(in: 1...300, using: &random) {
                let listener = Int.random(in: 1...5, using: &random)
                let bytes = Int.random(in: 4...40, using: &random)
                let text = "\(listener) \(number) " + String(repeating: "x", count: bytes)
                lost += add(text, to: backlog, of: listener, limit: 200)!
                sent[listener, default: 0] += 1
                #expect(backlog.bytes <= 200)
                #expect(ledger.bytes == backlog.bytes)
            }
            var last = -1
            var told = 0
            for item in text(backlog.takeAll()) {
                let words = item.split(separator: " ")
                if words[1] == "lost" {
                    let count = Int(words[2])!
                    told += count
                    sent[Int(words[0].dropFirst())!]! -= count
                } else {
                    #expect(Int(words[1])! > last)
                    last = Int(words[1])!
                    sent[Int(words[0])!]! -= 1
                }
            }
            #expect(told == lost && sent.values.allSatisfy { $0 == 0 })
        }
        #expect(ledger.bytes == 0)
    }
}

/// The sum over all outboxes: what they share counts once, and nothing is left of it at the end.
@Suite struct OutboxLedgerTests {
    private func chunk(_ text: String) -> Chunk { Chunk(Array(text.utf8)) }

    @Test func whatIsSharedCountsOnce() {
        let ledger = OutboxLedger()
        var outboxes = (0..<3).map { _ in Outbox(ledger) }
        let shared = chunk("123456")
        for index in outboxes.indices { outboxes[index].place(shared) }
        outboxes[0].reply { $0.bytes += "own".utf8 }
        outboxes[0].seal()
        #expect(ledger.bytes == 10)
        #expect(outboxes[0].share == 6 && outboxes[1].share == 2)
        outboxes[0].didWrite(6)
        outboxes[1].clear()
        #expect(ledger.bytes == 10 && outboxes[1].isEmpty && outboxes[2].share == 6)
        outboxes[2].didWrite(6)
        #expect(ledger.bytes == 4)
        outboxes[0].didWrite(2)
        #expect(ledger.bytes == 4)
        outboxes[0].didWrite(2)
        #expect(ledger.bytes == 0)
    }

    @Test func whatHasBegunToLeaveStaysWhole() {
        let ledger = OutboxLedger()
        func filled() -> Outbox {
            var outbox = Outbox(ledger)
            for text in ["aaaa", "bbbb", "cccc"] { outbox.place(chunk(text)) }
            outbox.addEvents(chunk("event"))
            return outbox
        }
        var none = filled()
        none.drop(after: 0)
        #expect(none.isEmpty && none.waiting.isEmpty)
        var begun = filled()
        begun.didWrite(1)
        begun.drop(after: 0)
        #expect(begun.waiting.count == 1 && begun.pendingBytes == 3 && begun.offset == 1)
        begun.didWrite(3)
        var under = filled()
        under.didWrite(2)
        under.drop(after: 4)
        #expect(under.waiting.count == 2 && under.pendingBytes == 6)
        under.didWrite(6)
        #expect(under.isEmpty && ledger.bytes == 0)
    }
}
