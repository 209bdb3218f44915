import Foundation
import Rex
import RexProtocol
import Testing

@testable import RexServer

/// What is read in is what a journal can hold: each number of a line has its bounds.
@Suite struct ImportTests {
    private static let hash = String(repeating: "0a", count: 32)
    private static let lines = [
        #"{"store":"doc","rev":5,"at":"2026-11-30T12:00:00.000Z","state":{},"timeline":"#
            + #"{"runs":[[1,5]],"cursor":4}}"#,
        #"{"store":"doc","rev":6,"at":1000,"from":"local","travel":{"op":"jump","to":3},"#
            + #""patch":[]}"#,
        #"{"store":"doc","key":"k","user":null,"hash":"\#(hash)","at":1000,"rev":6}"#,
        #"{"store":"doc","reminder":"r","due":9223372036854775807,"action":null}"#,
    ]

    private func read(_ lines: [String]) throws -> JournalArchive.Imported {
        let stock = try Stock(.memory)
        var rest = lines[...]
        let imported = try JournalArchive(folder: stock.folder).importLines {
            rest.popFirst().map { Array($0.utf8) }
        }
        let journal = try SQLiteJournal(path: stock.path)
        let store = try #require(try journal.stores().first)
        #expect(try Recovery(of: store, in: journal).damage == nil)
        return imported
    }

    @Test func whatIsWithinItsBoundsIsRead() throws {
        #expect(try read(Self.lines).commits == 1)
    }

    @Test(arguments: [
        (1, #""rev":5"#, #""rev":-1"#, "/rev"),
        (1, #""rev":5"#, #""rev":1099511627773"#, "/rev"),
        (1, #""rev":5"#, #""rev":9223372036854775807"#, "/rev"),
        (1, #""rev":5"#, #""rev":5.5"#, "/rev"),
        (1, "2026-11-30T12:00:00.000Z", "today", "/at"),
        (1, "[[1,5]]", "[[1,9223372036854775807]]", "/timeline"),
        (1, "[[1,5]]", "[[-9223372036854775808,9223372036854775807]]", "/timeline"),
        (1, "[[1,5]]", "[[5]]", "/timeline"),
        (1, #""cursor":4"#, #""cursor":9223372036854775807"#, "/timeline"),
        (1, #""cursor":4"#, #""cursor":-1"#, "/timeline"),
        (2, #""rev":6"#, #""rev":1099511627776"#, "/rev"),
        (2, #""rev":6"#, #""rev":7"#, "revision 6 is missing"),
        (2, "1000", "9223372036854775807", "/at"),
        (2, "1000", "-9223372036854775808", "/at"),
        (2, #""to":3"#, #""to":9223372036854775807"#, "/travel/to"),
        (2, #""to":3"#, #""to":-9223372036854775808"#, "/travel/to"),
        (2, #""to":3"#, #""to":6"#, "/travel/to"),
        (2, #""to":3"#, #""too":6"#, "/travel/to"),
        (2, #""jump""#, #""fly""#, "/travel/op"),
        (2, #""local""#, "7", "/from"),
        (2, #""patch""#, #""match""#, "/patch"),
        (3, "1000", "9223372036854775807", "/at"),
        (3, #""rev":6"#, #""rev":7"#, "/rev"),
        (3, #""rev":6"#, #""rev":9223372036854775807"#, "/rev"),
        (3, #""rev":6"#, #""rev":-1"#, "/rev"),
        (3, "0a0a", "0a", "/hash"),
        (4, "9223372036854775807", "1e99", "/due"),
        (4, #""r""#, "7", "/reminder"),
    ]) func whatIsBeyondIsRefusedWithItsPlace(
        line: Int, old: String, new: String, place: String
    ) throws {
        var lines = Self.lines
        lines[line - 1] = lines[line - 1].replacing(old, with: new)
        #expect(lines != Self.lines)
        let error = #expect(throws: JournalError.self) { _ = try read(lines) }
        #expect(
            error?.description.hasPrefix("line \(line): \(place)") == true, "\(error as Any)")
    }

    /// Behind the last revision there is no row that would be this store's.
    @Test func noRevisionComesAfterTheLast() throws {
        let stock = try Stock(.file)
        let last = SQLiteFile.lastRevision
        let store = try stock.journal.addStore(
            "tally", epoch: "e1", Stock.snapshot(at: last - 1))
        try stock.journal.write(Stock.batch(store, last...last))
        #expect(throws: JournalError.self) {
            try stock.journal.write(Stock.batch(store, (last + 1)...(last + 1)))
        }
        #expect(try stock.journal.lastRevision(of: store) == last)
    }
}
