import Testing

@testable import RexServer

@Suite struct KeyTableTests {
    private func key(_ text: String, _ user: String? = nil) -> KeyTable.Key {
        KeyTable.Key(user: user, text: text)
    }

    @Test func remembersAnswersByUserForATime() {
        var table = KeyTable(limit: 10, milliseconds: 100)
        table.remember(key("k"), actionHash: [1], answer: .ack(revision: 7), at: 1_000)
        table.remember(
            key("k", "ann"), actionHash: [2], answer: .rejected(message: "no"), at: 1_050)
        #expect(table.record(of: key("k"), at: 1_099)?.answer == .ack(revision: 7))
        #expect(table.record(of: key("k"), at: 1_100) == nil)
        #expect(table.record(of: key("k", "ann"), at: 1_100)?.actionHash == [2])
        #expect(table.record(of: key("other"), at: 1_000) == nil)
    }

    @Test func keysThatOnlyLookAlikeAreTwo() {
        var table = KeyTable(limit: 10, milliseconds: 100)
        table.remember(key("\u{E9}"), actionHash: [1], answer: .ack(revision: 1), at: 0)
        #expect(table.record(of: key("e\u{301}"), at: 1) == nil)
        table.remember(key("e\u{301}"), actionHash: [1], answer: .ack(revision: 2), at: 2)
        #expect(table.record(of: key("\u{E9}"), at: 3)?.answer == .ack(revision: 1))
    }

    @Test func theOldestGoesWhenItIsFull() {
        var table = KeyTable(limit: 3, milliseconds: 1_000_000)
        for number in 0..<10_000 {
            table.remember(
                key("\(number)"), actionHash: [], answer: .ack(revision: number), at: 0)
            #expect(table.count <= 3)
        }
        #expect(table.record(of: key("9996"), at: 1) == nil)
        #expect(table.record(of: key("9997"), at: 1)?.answer == .ack(revision: 9_997))
    }

    @Test func aForgottenKeyMayComeAgain() {
        var table = KeyTable(limit: 100, milliseconds: 10)
        table.remember(key("k"), actionHash: [1], answer: .ack(revision: 1), at: 0)
        table.remember(key("k"), actionHash: [2], answer: .ack(revision: 2), at: 50)
        #expect(table.record(of: key("k"), at: 55)?.answer == .ack(revision: 2))
        table.remember(key("x"), actionHash: [], answer: .ack(revision: 3), at: 100)
        #expect(table.count == 1)
    }
}
