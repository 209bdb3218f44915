import Foundation
import Rex
import RexProtocol
import Testing

@testable import RexServer

/// What is found again, and what is said of the rest.
@Suite struct RecoveryTests {
    private func recover(_ stock: Stock) throws -> Recovery {
        let store = try #require(try stock.journal.stores().first)
        return try Recovery(of: store, in: stock.journal)
    }

    private func stock(_ kind: Stock.Kind, commits: Int, snapshots: [Int] = []) throws -> Stock {
        let stock = try Stock(kind)
        let store = try stock.addTally()
        var batch = Stock.batch(store, 1...commits)
        batch.snapshots = snapshots.map { (store, Stock.pendingSnapshot(at: $0)) }
        try stock.journal.write(batch)
        return stock
    }

    /// Changes the file behind the journal's back.
    private func spoil(_ stock: Stock, _ sql: String) throws {
        stock.journal.close()
        try Database(stock.path, .write).run(sql)
    }

    private func recoverAnew(_ stock: Stock) throws -> Recovery {
        let journal = try SQLiteJournal(path: stock.path)
        return try Recovery(of: try #require(try journal.stores().first), in: journal)
    }

    @Test(arguments: Stock.Kind.allCases) func itBeginsAtTheNewestSnapshot(kind: Stock.Kind) throws
    {
        let recovery = try recover(try stock(kind, commits: 2_500, snapshots: [1_000, 1_200]))
        #expect(recovery.snapshot.revision == 1_200)
        #expect(recovery.commits.map(\.revision) == Array(1_201...2_500))
        #expect(recovery.revision == 2_500 && recovery.damage == nil && recovery.notes == [])
        #expect(recovery.marks.map(\.revision) == [0, 1_000, 1_200])
        #expect(recovery.written > recovery.snapshot.written)
    }

    @Test func aDamagedSnapshotIsPassedOverAndNothingIsLost() throws {
        let stock = try stock(.file, commits: 20, snapshots: [10, 15])
        try spoil(
            stock,
            "UPDATE snapshots SET state = '{}' WHERE id & 255 = 15")
        let recovery = try recoverAnew(stock)
        #expect(recovery.snapshot.revision == 10 && recovery.revision == 20)
        #expect(recovery.damage == nil && recovery.notes.count == 1)
    }

    @Test(arguments: [
        ("DELETE FROM commits WHERE id & 255 = 13", 12, "revision 13 is missing"),
        ("UPDATE commits SET patch = '[]' WHERE id & 255 = 17", 16, "revision 17 is damaged"),
        ("UPDATE commits SET patch = 'x' WHERE id & 255 = 17", 16, "no JSON"),
        ("UPDATE commits SET time = 5 WHERE id & 255 = 11", 10, "revision 11 is damaged"),
        ("UPDATE commits SET epoch = 7 WHERE id & 255 = 20", 19, "another epoch"),
    ]) func aDamagedCommitEndsWhatIsGood(sql: String, good: Int, words: String) throws {
        let stock = try stock(.file, commits: 20, snapshots: [10])
        try spoil(stock, sql)
        let recovery = try recoverAnew(stock)
        let damage = try #require(recovery.damage)
        #expect(recovery.revision == good && damage.good == good && damage.last == 20)
        #expect(damage.description.contains(words))
        #expect(damage.description.contains("would be lost"))
    }

    @Test func withoutAnyGoodSnapshotNothingIsRestored() throws {
        let stock = try stock(.file, commits: 3)
        try spoil(stock, "UPDATE snapshots SET sum = 1")
        let error = #expect(throws: JournalError.self) { _ = try recoverAnew(stock) }
        #expect(error?.kind == .damaged)
    }

    /// What no store needs for its state may be so damaged that SQLite cannot even look it through.
    @Test func keysThatCannotBeReadTakeNoCommitWithThem() throws {
        let stock = try stock(.file, commits: 300, snapshots: [100])
        var batch = JournalBatch(ticket: 2)
        batch.keys = (0..<500).map { number in
            let key = StoredKey(
                user: nil, text: "needle-\(number)", actionHash: [UInt8](repeating: 7, count: 32),
                answer: .ack(revision: 1), milliseconds: 5)
            return (1, key)
        }
        try stock.journal.write(batch)
        stock.journal.close()
        var bytes = try Data(contentsOf: URL(filePath: stock.path))
        let page = 8_192
        var spoiled = 0
        for start in stride(from: 0, to: bytes.count, by: page) {
            guard bytes[start..<(start + page)].range(of: Data("needle-".utf8)) != nil else {
                continue
            }
            for offset in start..<(start + page) { bytes[offset] = 0xA5 }
            spoiled += 1
        }
        #expect(spoiled > 1)
        try bytes.write(to: URL(filePath: stock.path))
        let rescue = try JournalRescue(stock.folder)
        #expect(rescue.losses.count == 1)
        #expect(rescue.losses[0].contains("no commit is lost"), "\(rescue.losses)")
        let recovery = try recoverAnew(stock)
        #expect(recovery.revision == 300 && recovery.damage == nil)
        let names = try FileManager.default.contentsOfDirectory(atPath: stock.folder)
        #expect(names.contains { $0.hasPrefix("damaged-") && $0.hasSuffix(".sqlite") })
    }

    /// A key that is another, or has another answer, would let what is asked again be done twice.
    @Test(arguments: [
        "UPDATE keys SET revision = 3 WHERE key = 'needle-1'",
        "UPDATE keys SET key = 'needle-x' WHERE key = 'needle-1'",
        "UPDATE keys SET user = '-' WHERE key = 'needle-2'",
        "UPDATE keys SET refusal = '' WHERE key = 'needle-3'",
        "UPDATE keys SET time = 1 WHERE key = 'needle-4'",
        "UPDATE keys SET hash = x'00' WHERE key = 'needle-4'",
        "UPDATE keys SET store = 9 WHERE key = 'needle-5'",
        "UPDATE keys SET sum = 0 WHERE key = 'needle-6'",
    ]) func aChangedKeyIsFoundAndTheOthersAreKept(sql: String) throws {
        let stock = try stock(.file, commits: 30)
        let keys = Stock.keys(20)
        var batch = JournalBatch(ticket: 2)
        batch.keys = keys.map { (1, $0) }
        try stock.journal.write(batch)
        #expect(try stock.journal.keys(of: 1, since: 0) == keys)
        try spoil(stock, sql)
        let error = #expect(throws: JournalError.self) {
            try SQLiteJournal(path: stock.path).keys(of: 1, since: 0)
        }
        #expect(error?.kind == .damaged)
        let complaints = try JournalArchive(folder: stock.folder).complaints()
        #expect(complaints.count == 1, "\(complaints)")
        let losses = try JournalRescue(stock.folder).losses
        #expect(losses.count == 1 && losses[0].contains("1 damaged keys"), "\(losses)")
        let rescued = try SQLiteJournal(path: stock.path)
        let kept = try rescued.keys(of: 1, since: 0)
        #expect(kept.count == 19 && kept.allSatisfy(keys.contains))
        #expect(try rescued.lastRevision(of: 1) == 30)
    }

    /// What a start refuses, going on in spite of loss puts right.
    @Test func keysOfAStoreThatIsGoneAreNoObstacleToWhoAcceptsLoss() throws {
        let stock = try stock(.file, commits: 3)
        var batch = JournalBatch(ticket: 2)
        batch.keys = Stock.keys(2).map { (1, $0) }
        try stock.journal.write(batch)
        try spoil(stock, "DELETE FROM stores")
        let error = #expect(throws: JournalError.self) { try SQLiteJournal(path: stock.path) }
        #expect(error?.kind == .damaged)
        #expect(try JournalRescue(stock.folder).losses.count == 1)
        #expect(try SQLiteJournal(path: stock.path).stores().isEmpty)
    }

    /// Half a page of zeros, wherever it is: then no key is missing without a word.
    @Test func aLostPageOfKeysIsFound() throws {
        let stock = try stock(.file, commits: 3)
        var batch = JournalBatch(ticket: 2)
        batch.keys = Stock.keys(500).map { (1, $0) }
        try stock.journal.write(batch)
        stock.journal.close()
        let bytes = try Data(contentsOf: URL(filePath: stock.path))
        let half = 4_096
        var spoiled = 0
        for start in stride(from: 0, to: bytes.count, by: half)
        where bytes[start..<(start + half)].range(of: Data("needle-".utf8)) != nil {
            var bad = bytes
            bad.replaceSubrange(start..<(start + half), with: Data(count: half))
            try bad.write(to: URL(filePath: stock.path))
            spoiled += 1
            let error = #expect(throws: JournalError.self, "from \(start)") {
                let journal = try SQLiteJournal(path: stock.path)
                _ = try journal.keys(of: 1, since: 0)
            }
            #expect(error?.kind == .damaged, "from \(start)")
        }
        #expect(spoiled > 4)
    }

    @Test(arguments: Array(stride(from: 100_000, to: 460_000, by: 40_000)))
    func bytesThatRotAreFound(from start: Int) throws {
        let stock = try stock(.file, commits: 3_000)
        stock.journal.close()
        var bytes = try Data(contentsOf: URL(filePath: stock.path))
        #expect(bytes.count > 200_000)
        for offset in start..<(start + 20_000) { bytes[offset] = 0xA5 }
        try bytes.write(to: URL(filePath: stock.path))
        do {
            let recovery = try recoverAnew(stock)
            #expect(recovery.damage != nil && recovery.revision < 3_000)
        } catch let error as JournalError {
            #expect(error.kind == .damaged)
        }
    }
}

@Suite struct RetentionTests {
    private func marks(_ revisions: [Int], bytes: Int = 10) -> [SnapshotMark] {
        revisions.map {
            SnapshotMark(revision: $0, milliseconds: $0, written: $0 * 100, bytes: bytes)
        }
    }

    private func retention(
        commits: Int = 1 << 40, bytes: Int = 1 << 40, milliseconds: Int = 1 << 40
    ) -> Retention {
        var limits = Limits()
        limits.journalCommits = commits
        limits.journalBytes = bytes
        limits.journalMilliseconds = milliseconds
        return Retention(limits)
    }

    @Test func eachBoundMovesTheBase() {
        let marks = marks([0, 10, 20, 30])
        func base(_ retention: Retention) -> Int {
            retention.base(of: marks, last: 35, written: 3_500, now: 35)
        }
        #expect(base(retention()) == 0)
        #expect(base(retention(commits: 25)) == 10)
        #expect(base(retention(commits: 24)) == 20)
        #expect(base(retention(bytes: 1_499)) == 30)
        #expect(base(retention(milliseconds: 15)) == 20)
        #expect(base(retention(commits: 1)) == 30)
    }

    @Test func everySecondSnapshotGoesWhereTheyTakeTooMuch() {
        let marks = marks([0, 10, 20, 30, 40, 50], bytes: 100)
        #expect(retention(bytes: 2_400).superfluous(in: marks) == [])
        #expect(retention(bytes: 2_399).superfluous(in: marks) == [10, 30])
    }
}
