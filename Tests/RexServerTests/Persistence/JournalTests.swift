import Foundation
import Rex
import RexProtocol
import Testing

@testable import RexServer

/// What every journal does.
@Suite struct JournalTests {
    @Test(arguments: Stock.Kind.allCases) func commitsComeBackAsTheyWere(kind: Stock.Kind) throws {
        let stock = try Stock(kind)
        let store = try stock.addTally()
        var batch = JournalBatch(ticket: 1)
        batch.commits.append((store, Stock.commit(1, key: "k")))
        batch.commits.append((store, Stock.commit(2, travel: Travel(op: .undo, to: 0))))
        batch.commits.append((store, Stock.commit(3)))
        try stock.journal.write(batch)

        let commits = try stock.journal.commits(of: store, after: 0, limit: 10)
        #expect(commits.map(\.revision) == [1, 2, 3])
        #expect(commits[0].key == "k" && commits[0].milliseconds == 1_001)
        #expect(commits[0].action?.description == "{\"payload\":1,\"type\":\"add\"}")
        #expect(Origin(stored: commits[0].origin) == .client(ClientIdentity(id: "c1", user: "ann")))
        #expect(commits[1].travel == Travel(op: .undo, to: 0) && commits[1].action == nil)
        #expect(commits[2].chain == commits[2].sum(after: commits[1].chain))
        #expect(commits[0].chain == commits[0].sum(after: 0))
        #expect(try stock.journal.commits(of: store, after: 1, limit: 1).map(\.revision) == [2])
        #expect(try stock.journal.lastRevision(of: store) == 3)
    }

    @Test(arguments: Stock.Kind.allCases) func storesAreApart(kind: Stock.Kind) throws {
        let stock = try Stock(kind)
        let first = try stock.addTally("first")
        let second = try stock.addTally("second")
        try stock.journal.write(Stock.batch(first, 1...5))
        try stock.journal.write(Stock.batch(second, 1...2))
        #expect(try stock.journal.lastRevision(of: first) == 5)
        #expect(try stock.journal.lastRevision(of: second) == 2)
        #expect(try stock.journal.commits(of: first, after: 0, limit: 100).count == 5)
        #expect(try stock.journal.stores().map(\.name) == ["first", "second"])
        #expect(try stock.journal.stores().map(\.epoch) == ["e1", "e1"])
    }

    @Test(arguments: Stock.Kind.allCases) func aBatchThatDoesNotFollowIsNotWritten(
        kind: Stock.Kind
    ) throws {
        let stock = try Stock(kind)
        let store = try stock.addTally()
        try stock.journal.write(Stock.batch(store, 1...2))
        #expect(throws: JournalError.self) {
            var batch = Stock.batch(store, 3...4)
            batch.commits.append((store, Stock.commit(6)))
            try stock.journal.write(batch)
        }
        #expect(try stock.journal.lastRevision(of: store) == 2)
        try stock.journal.write(Stock.batch(store, 3...4))
        #expect(try stock.journal.lastRevision(of: store) == 4)
    }

    @Test(arguments: Stock.Kind.allCases) func snapshotsCarryTheSumOfTheirCommits(
        kind: Stock.Kind
    ) throws {
        let stock = try Stock(kind)
        let store = try stock.addTally()
        var batch = Stock.batch(store, 1...4)
        batch.snapshots.append((store, Stock.pendingSnapshot(at: 3)))
        try stock.journal.write(batch)
        let commits = try stock.journal.commits(of: store, after: 0, limit: 10)
        let snapshot = try #require(try stock.journal.snapshot(of: store, at: 3))
        #expect(snapshot.chain == commits[2].chain)
        #expect(snapshot.state.description == "{\"count\":3}")
        #expect(try stock.journal.snapshots(of: store).map(\.revision) == [0, 3])
        #expect(try stock.journal.snapshot(of: store, at: 2) == nil)
    }

    @Test(arguments: Stock.Kind.allCases) func keysComeBackWithTheirAnswers(
        kind: Stock.Kind
    ) throws {
        let stock = try Stock(kind)
        let store = try stock.addTally()
        let keys = [
            StoredKey(
                user: nil, text: "a", actionHash: [1, 2], answer: .ack(revision: 1),
                milliseconds: 10),
            StoredKey(
                user: "ann", text: "a", actionHash: [3], answer: .rejected(message: "no"),
                milliseconds: 20),
            StoredKey(
                user: "", text: "a", actionHash: [4], answer: .ack(revision: 2), milliseconds: 30),
        ]
        var batch = JournalBatch(ticket: 1)
        batch.keys = keys.map { (store, $0) }
        try stock.journal.write(batch)
        #expect(try stock.journal.keys(of: store, since: 0) == keys)
        #expect(try stock.journal.keys(of: store, since: 20) == Array(keys[1...]))
        var removal = JournalBatch(ticket: 2)
        removal.removals = [(store, .keys(before: 0, most: 2))]
        try stock.journal.write(removal)
        #expect(try stock.journal.keys(of: store, since: 0) == Array(keys[1...]))
        removal.removals = [(store, .keys(before: 30, most: 9))]
        try stock.journal.write(removal)
        #expect(try stock.journal.keys(of: store, since: 0) == Array(keys[2...]))
    }

    /// Keys and users are what their bytes are, in both journals.
    @Test(arguments: Stock.Kind.allCases) func keysThatOnlyLookAlikeAreTwo(kind: Stock.Kind) throws
    {
        let stock = try Stock(kind)
        let store = try stock.addTally()
        let names = [("é", "é"), ("e\u{301}", "é"), ("e\u{301}", "e\u{301}")]
        let keys = names.enumerated().map { number, name in
            StoredKey(
                user: name.0, text: name.1, actionHash: [UInt8(number)],
                answer: .ack(revision: number), milliseconds: number)
        }
        var batch = JournalBatch(ticket: 1)
        batch.keys = keys.map { (store, $0) }
        try stock.journal.write(batch)
        #expect(try stock.journal.keys(of: store, since: 0).map(\.actionHash) == [[0], [1], [2]])
    }

    @Test(arguments: Stock.Kind.allCases) func whatIsRemovedIsGone(kind: Stock.Kind) throws {
        let stock = try Stock(kind)
        let store = try stock.addTally()
        var batch = Stock.batch(store, 1...10)
        batch.snapshots = [(store, Stock.pendingSnapshot(at: 5))]
        try stock.journal.write(batch)
        var removal = JournalBatch(ticket: 11)
        removal.removals = [
            (store, .snapshots([0])), (store, .commits(after: 0, through: 5)),
        ]
        try stock.journal.write(removal)
        #expect(try stock.journal.snapshots(of: store).map(\.revision) == [5])
        #expect(
            try stock.journal.commits(of: store, after: 0, limit: 99).map(\.revision)
                == Array(6...10))
    }

    @Test(arguments: Stock.Kind.allCases) func anotherEpochBeginsBehindTheLastCommit(
        kind: Stock.Kind
    ) throws {
        let stock = try Stock(kind)
        let store = try stock.addTally()
        try stock.journal.write(Stock.batch(store, 1...3))
        try stock.journal.beginEpoch("e2", of: store)
        try stock.journal.write(Stock.batch(store, 4...4))
        let held = try #require(try stock.journal.stores().first)
        #expect(held.epoch == "e2" && held.epochBase == 3)
        let commits = try stock.journal.commits(of: store, after: 0, limit: 10)
        #expect(commits[3].epoch == held.epochNumber && commits[2].epoch != held.epochNumber)
        let recovery = try Recovery(of: held, in: stock.journal)
        #expect(recovery.damage == nil && recovery.revision == 4)
    }
}

extension Stock {
    /// Some of a user and some of nobody, some that were refused.
    static func keys(_ count: Int) -> [StoredKey] {
        (0..<count).map { number in
            StoredKey(
                user: number % 2 == 0 ? "ann" : nil, text: "needle-\(number)",
                actionHash: [UInt8](repeating: UInt8(number % 256), count: 32),
                answer: number % 3 == 0
                    ? .rejected(message: "no \(number)") : .ack(revision: number),
                milliseconds: number)
        }
    }

    static func pendingSnapshot(at revision: Int) -> PendingSnapshot {
        PendingSnapshot(
            revision: revision, milliseconds: 2_000, written: revision * 100,
            timeline: RawJSON(.object([:])), state: RawJSON(["count": .int(revision)]))
    }
}

/// What the one on disk does besides.
@Suite struct SQLiteJournalTests {
    @Test func everythingIsThereAfterItWasClosed() throws {
        let stock = try Stock(.file)
        let store = try stock.addTally()
        try stock.journal.write(Stock.batch(store, 1...3))
        try stock.journal.setUncertain(true)
        stock.journal.close()
        let again = try SQLiteJournal(path: stock.path)
        #expect(try again.stores().map(\.number) == [store])
        #expect(try again.lastRevision(of: store) == 3)
        #expect(try again.isUncertain())
        try again.setUncertain(false)
        #expect(try !again.isUncertain())
        try again.write(Stock.batch(store, 4...4))
        let commits = try again.commits(of: store, after: 2, limit: 9)
        #expect(commits[1].chain == commits[1].sum(after: commits[0].chain))
        #expect(try again.complaints() == [])
    }

    @Test func aReaderSeesWhatIsWrittenBesideIt() throws {
        let stock = try Stock(.file)
        let store = try stock.addTally()
        let reader = try SQLiteJournal(reading: stock.path)
        try stock.journal.write(Stock.batch(store, 1...3))
        #expect(try reader.lastRevision(of: store) == 3)
        #expect(throws: JournalError.self) { try reader.write(Stock.batch(store, 4...4)) }
    }

    @Test func anOlderFileIsBroughtForward() throws {
        let stock = try Stock(.file)
        let store = try stock.addTally()
        var batch = Stock.batch(store, 1...3)
        let keys = Stock.keys(300)
        batch.keys = keys.map { (store, $0) }
        try stock.journal.write(batch)
        stock.journal.close()
        // As version 1 left it: without reminders, and without the sums of keys.
        try Database(stock.path, .write).run(
            "DROP TABLE reminders; ALTER TABLE keys DROP COLUMN sum; PRAGMA user_version=1")
        #expect(throws: JournalError.self) { _ = try SQLiteJournal(reading: stock.path) }
        let journal = try SQLiteJournal(path: stock.path)
        #expect(try journal.lastRevision(of: store) == 3)
        #expect(try journal.reminders(of: store).isEmpty)
        #expect(try journal.keys(of: store, since: 0) == keys)
    }

    @Test(arguments: Stock.Kind.allCases) func remindersComeBack(kind: Stock.Kind) throws {
        let stock = try Stock(kind)
        let store = try stock.addTally()
        var batch = JournalBatch(ticket: 1)
        for (id, due) in [("a", 30), ("b", 10), ("a", 20), ("c", 5)] {
            batch.reminders.append((store, .set(id: id, due: due) { RawJSON(["type": "x"]) }))
        }
        batch.reminders.append((store, .removed(id: "c")))
        try stock.journal.write(batch)
        let reminders = try stock.journal.reminders(of: store)
        #expect(reminders.map(\.id) == ["b", "a"] && reminders.map(\.due) == [10, 20])
        #expect(reminders[0].action == RawJSON(["type": "x"]))
    }

    @Test func aNewerFileIsRefusedAndSaysSo() throws {
        let stock = try Stock(.file)
        stock.journal.close()
        try Database(stock.path, .write).run("PRAGMA user_version=99")
        let error = #expect(throws: JournalError.self) { try SQLiteJournal(path: stock.path) }
        #expect(error?.kind == .newer)
        #expect(error?.description.contains("version 99") == true)
    }

    /// The number of the version is four bytes of the file like any others.
    @Test(arguments: [-2_147_483_646, -1, 0, 1]) func aVersionThatTheTablesDoNotBearOutIsDamage(
        version: Int
    ) throws {
        let stock = try Stock(.file)
        _ = try stock.addTally()
        stock.journal.close()
        try Database(stock.path, .write).run("PRAGMA user_version=\(version)")
        for open in [SQLiteJournal.init(reading:), { try SQLiteJournal(path: $0) }] {
            let error = #expect(throws: JournalError.self) { try open(stock.path) }
            #expect(error?.kind == .damaged)
            #expect(error?.description.contains("of version \(version)") == true)
        }
        #expect(try JournalRescue(stock.folder).losses.count == 1)
        #expect(try SQLiteJournal(path: stock.path).stores().isEmpty)
    }

    @Test func aTableThatIsGoneIsDamage() throws {
        let stock = try Stock(.file)
        stock.journal.close()
        try Database(stock.path, .write).run("DROP TABLE reminders")
        let error = #expect(throws: JournalError.self) { try SQLiteJournal(path: stock.path) }
        #expect(error?.kind == .damaged && error?.description.contains("no reminders.") == true)
    }

    @Test func aFileOfSomebodyElseIsRefused() throws {
        let stock = try Stock(.memory)
        try Database(stock.path, .create).run("CREATE TABLE mine (id)")
        #expect(throws: JournalError.self) { try SQLiteJournal(path: stock.path) }
        try Data("no database, but a text of some length".utf8).write(
            to: URL(filePath: stock.path))
        let error = #expect(throws: JournalError.self) { try SQLiteJournal(path: stock.path) }
        #expect(error?.kind == .damaged)
    }

    @Test func aBackupHoldsWhatWasThere() throws {
        let stock = try Stock(.file)
        let store = try stock.addTally()
        try stock.journal.write(Stock.batch(store, 1...3))
        let journal = try #require(stock.journal as? SQLiteJournal)
        try journal.backUp(to: stock.folder + "/copy")
        let copy = try SQLiteJournal(path: stock.folder + "/copy")
        #expect(try copy.lastRevision(of: store) == 3)
    }

    @Test func aTrialWriteLeavesNothing() throws {
        let stock = try Stock(.file)
        let store = try stock.addTally()
        try stock.journal.tryWriting()
        try stock.journal.write(Stock.batch(store, 1...1))
        #expect(try stock.journal.lastRevision(of: store) == 1)
    }
}
