import Foundation
import RexProtocol
import Testing

@testable import RexServer

/// What SQLite would drop of its log without a word.
@Suite struct WriteAheadLogTests {
    private static let headerBytes = 32
    private static let frameBytes = 8_192 + 24

    /// A log with so many commits, each a transaction of its own, as a crash leaves it.
    private func log(commits: Int, _ stock: Stock) throws -> [UInt8] {
        let store = try stock.addTally()
        for revision in 1...commits {
            try stock.journal.write(Stock.batch(store, revision...revision))
        }
        return [UInt8](try Data(contentsOf: URL(filePath: stock.path + "-wal")))
    }

    /// The number of its last frame that was written to.
    private func lastFrame(_ bytes: [UInt8]) -> Int {
        let frames = (bytes.count - Self.headerBytes) / Self.frameBytes
        return (0..<frames).last { frame in
            let start = Self.headerBytes + frame * Self.frameBytes
            return bytes[start..<(start + 24)].contains { $0 != 0 }
        }!
    }

    @Test func aWholeOneIsGoodAndSoIsRoomAndNone() throws {
        let stock = try Stock(.file)
        #expect(WriteAheadLog(try log(commits: 5, stock)).damage == nil)
        #expect(WriteAheadLog([UInt8](repeating: 0, count: 100_000)).damage == nil)
        #expect(WriteAheadLog([]).damage == nil)
        #expect(WriteAheadLog(of: stock.folder + "/nothing").damage == nil)
    }

    @Test func whereverItIsCutOffItIsTheEndOfTheMachine() throws {
        let bytes = try log(commits: 5, try Stock(.file))
        let end = Self.headerBytes + (lastFrame(bytes) + 1) * Self.frameBytes
        for count in stride(from: 0, through: end, by: 1_011) {
            #expect(WriteAheadLog(Array(bytes[..<count])).damage == nil, "cut at \(count)")
            // Behind the cut there may be room, too.
            let room = [UInt8](repeating: 0, count: bytes.count - count)
            if count >= Self.headerBytes {
                #expect(WriteAheadLog(bytes[..<count] + room).damage == nil, "room from \(count)")
            }
        }
    }

    @Test func aTornLastTransactionIsTheEndOfTheMachine() throws {
        var bytes = try log(commits: 5, try Stock(.file))
        bytes[Self.headerBytes + lastFrame(bytes) * Self.frameBytes + 300] ^= 1
        #expect(WriteAheadLog(bytes).damage == nil)
    }

    @Test func aChangedByteBeforeItIsDamage() throws {
        let bytes = try log(commits: 6, try Stock(.file))
        let last = lastFrame(bytes)
        // Behind the last but one there is one transaction, of one frame.
        for frame in 0..<(last - 1) {
            for offset in [20, 24, 5_000, Self.frameBytes - 1] {
                var bad = bytes
                bad[Self.headerBytes + frame * Self.frameBytes + offset] ^= 0x10
                let damage = WriteAheadLog(bad).damage
                #expect(damage?.contains("frame \(frame + 1) of") == true, "\(frame) \(offset)")
            }
        }
        for offset in 0..<Self.headerBytes {
            var bad = bytes
            bad[offset] ^= 0x10
            #expect(WriteAheadLog(bad).damage?.contains("head") == true, "\(offset)")
        }
    }

    /// The log is used from its beginning again once all of it is in the file.
    @Test func whatIsLeftOfAnEarlierRoundIsNone() throws {
        let stock = try Stock(.file)
        _ = try log(commits: 30, stock)
        try Database(stock.path, .write).run("PRAGMA wal_checkpoint(RESTART)")
        try stock.journal.write(Stock.batch(1, 31...31))
        #expect(WriteAheadLog(of: stock.path).damage == nil)
    }

    @Test func aJournalWithADamagedLogIsNotOpenedAndNotChanged() throws {
        let stock = try Stock(.file)
        var bytes = try log(commits: 6, stock)
        bytes[Self.headerBytes + 2 * Self.frameBytes + 100] ^= 1
        let folder = stock.folder + "/copy"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/\(JournalFolder.fileName)"
        try FileManager.default.copyItem(atPath: stock.path, toPath: path)
        try Data(bytes).write(to: URL(filePath: path + "-wal"))
        let error = #expect(throws: JournalError.self) { try SQLiteJournal(path: path) }
        #expect(error?.kind == .damaged)
        #expect(try Data(contentsOf: URL(filePath: path + "-wal")) == Data(bytes))
        let rescue = try JournalRescue(folder)
        #expect(rescue.losses.count == 1)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let kept = try #require(
            names.first { $0.hasSuffix(".sqlite-wal") && $0 != "journal.sqlite-wal" })
        #expect(try Data(contentsOf: URL(filePath: "\(folder)/\(kept)")) == Data(bytes))
        _ = try SQLiteJournal(path: path)
    }
}

/// A file that is gone, or has nothing in it any more.
@Suite struct LostFileTests {
    private func files(_ folder: String) throws -> [String: Data] {
        var found: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            found[name] = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
        }
        return found
    }

    /// What a crash leaves behind, in a folder of its own.
    private func crashed() throws -> (stock: Stock, folder: String, path: String) {
        let stock = try Stock(.file)
        let store = try stock.addTally()
        try stock.journal.write(Stock.batch(store, 1...6))
        let folder = stock.folder + "/crashed"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/\(JournalFolder.fileName)"
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: stock.path + suffix, toPath: path + suffix)
        }
        return (stock, folder, path)
    }

    @Test(arguments: [true, false]) func aLogWithoutItsFileIsDamage(isThere: Bool) throws {
        let (stock, folder, path) = try crashed()
        try FileManager.default.removeItem(atPath: path)
        if isThere { try Data().write(to: URL(filePath: path)) }
        let before = try files(folder)
        let error = #expect(throws: JournalError.self) { try SQLiteJournal(path: path) }
        #expect(error?.kind == .damaged)
        #expect(error?.description.contains("stands in the log would be lost") == true)
        let archive = JournalArchive(folder: folder)
        #expect(throws: JournalError.self) { try archive.export { _ in true } }
        if !isThere { #expect(throws: JournalError.self) { try archive.importLines { nil } } }
        var after = try files(folder)
        after["lock"] = nil
        #expect(after == before)

        let rescue = try JournalRescue(folder)
        #expect(rescue.losses.count == 1)
        let kept = try files(folder)
        let aside = try #require(kept.keys.first { $0.hasSuffix(".sqlite-wal") })
        #expect(aside.hasPrefix("damaged-"))
        #expect(kept[aside] == before["journal.sqlite-wal"])
        #expect(kept["journal.sqlite"] == nil && kept["journal.sqlite-wal"] == nil)
        #expect(try SQLiteJournal(path: path).stores().isEmpty)
        withExtendedLifetime(stock) {}
    }

    @Test func anEmptyFileIsDamageAlthoughItsEndWasInOrder() throws {
        let stock = try Stock(.file)
        _ = try stock.addTally()
        stock.journal.close()
        try Data().write(to: URL(filePath: stock.path))
        let error = #expect(throws: JournalError.self) { try SQLiteJournal(path: stock.path) }
        #expect(error?.kind == .damaged)
        #expect(error?.description.contains("whatever it held would be lost") == true)
        #expect(try JournalRescue(stock.folder).losses.count == 1)
        #expect(try JournalRescue(stock.folder).losses.isEmpty)
        #expect(try SQLiteJournal(path: stock.path).stores().isEmpty)
    }

    /// A start that was broken off before there was anything.
    @Test func whatAnEndInTheFirstMomentLeavesIsNone() throws {
        let stock = try Stock(.memory)
        try Data(count: 4_194_304).write(to: URL(filePath: stock.path + "-wal"))
        try Data(count: 100).write(to: URL(filePath: stock.path + ".new"))
        #expect(try JournalRescue(stock.folder).losses.isEmpty)
        #expect(try SQLiteJournal(path: stock.path).stores().isEmpty)
        #expect(!FileManager.default.fileExists(atPath: stock.path + ".new"))
    }
}
