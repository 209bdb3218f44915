import Foundation
import Rex
import RexProtocol
import Testing

@testable import RexServer

/// What is read of the past is what was stored, or it is said that it is not.
@Suite struct JournalPastTests {
    /// A tally of 40 with snapshots at 10 and 30, in whose file something was changed since.
    private func past(_ sql: String) throws -> (Stock, JournalPast) {
        let stock = try Stock(.file)
        let store = try stock.addTally()
        var batch = Stock.batch(store, 1...40)
        batch.snapshots = [10, 30].map { (store, Stock.pendingSnapshot(at: $0)) }
        try stock.journal.write(batch)
        stock.journal.close()
        if !sql.isEmpty { try Database(stock.path, .write).run(sql) }
        return (stock, JournalPast(journal: try SQLiteJournal(path: stock.path), store: store))
    }

    private let place = try! JSONPointer("/count")

    @Test func whatIsWholeIsRead() throws {
        let (stock, past) = try past("")
        for revision in 0...40 {
            #expect(try past.state(at: revision)["count"] == .int(revision))
        }
        for place in [nil, place] {
            for after in [0, 9, 10, 11, 39, 40] {
                let found = try past.entries(after: after, limit: 5, changing: place)
                #expect(found.map(\.revision) == Array((after + 1)..<(min(after + 5, 40) + 1)))
            }
            let newest = try past.newestEntries(through: 38, limit: 12, changing: place)
            #expect(newest.map(\.revision) == Array(27...38))
        }
        withExtendedLifetime(stock) {}
    }

    @Test(arguments: [
        ("UPDATE commits SET patch = replace(patch, '17', '18') WHERE id & 255 = 17", "damaged"),
        ("UPDATE commits SET action = 'null' WHERE id & 255 = 17", "damaged"),
        ("UPDATE commits SET patch = 'x' WHERE id & 255 = 17", "no JSON"),
        ("DELETE FROM commits WHERE id & 255 = 17", "missing"),
    ]) func aCommitThatIsAnotherIsNotShown(sql: String, words: String) throws {
        let (stock, past) = try past(sql)
        func expectDamage(_ body: () throws -> Void) {
            let error = #expect(throws: JournalError.self) { try body() }
            #expect(error?.kind == .damaged)
            #expect(error?.description.contains("revision 17") == true, "\(error as Any)")
            #expect(error?.description.contains(words) == true, "\(error as Any)")
        }
        expectDamage { _ = try past.state(at: 17) }
        expectDamage { _ = try past.state(at: 29) }
        for place in [nil, place] {
            expectDamage { _ = try past.entries(after: 14, limit: 5, changing: place) }
            expectDamage { _ = try past.newestEntries(through: 20, limit: 9, changing: place) }
        }
        var lines = 0
        expectDamage {
            try JournalArchive(folder: stock.folder).export { _ in
                lines += 1
                return true
            }
        }
        #expect(lines <= 17)
        // What does not need it is read.
        #expect(try past.state(at: 16)["count"] == 16 && past.state(at: 35)["count"] == 35)
        #expect(try past.entries(after: 20, limit: 5, changing: nil).count == 5)
        #expect(try past.entries(after: 3, limit: 5, changing: place).count == 5)
    }

    @Test func aDamagedSnapshotIsPassedOverForAnOlderOne() throws {
        let (stock, past) = try past("UPDATE snapshots SET state = '{}' WHERE id & 255 = 30")
        #expect(try past.state(at: 35)["count"] == 35)
        withExtendedLifetime(stock) {}
    }

    /// Between the question and the answer it may have become too old.
    @Test func whatWasRemovedMeanwhileIsNoDamage() throws {
        let (stock, past) = try past(
            "DELETE FROM commits WHERE id & 255 <= 10; DELETE FROM snapshots WHERE id & 255 = 0")
        let error = #expect(throws: JournalError.self) {
            try past.entries(after: 2, limit: 5, changing: nil)
        }
        #expect(error?.kind == .failed && error?.description.contains("not held") == true)
        #expect(try past.entries(after: 10, limit: 5, changing: nil).count == 5)
        withExtendedLifetime(stock) {}
    }
}
