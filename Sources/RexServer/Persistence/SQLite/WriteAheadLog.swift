import FoundationEssentials

/// SQLite's log beside a journal, as it stands on the disk before SQLite opens it.
///
/// SQLite reads it up to the first frame that is not as it was written and takes that for the end:
/// the machine may have stopped there. Then nothing stands behind it but the rest of the same
/// transaction, for the next one is written only when that is on the disk. Whole transactions
/// behind it were acknowledged, so they mean damage, and SQLite would drop them without a word.
///
/// The format is SQLite's own and fixed (sqlite.org/fileformat2.html, "The Write-Ahead Log").
struct WriteAheadLog {
    /// What is wrong, in words; nil where nothing is.
    private(set) var damage: String?

    private static let headerBytes = 32
    private static let frameHeaderBytes = 24
    private static let magic: UInt32 = 0x377f_0682

    /// Looks through a log. O(size).
    init(_ bytes: [UInt8]) {
        damage = bytes.withUnsafeBytes { Self.damage(in: $0) }
    }

    /// That of a journal; without damage where there is none. To a file that is not there any more
    /// a log belongs no less: SQLite would begin a new file and drop it.
    init(of journal: String) {
        let path = journal + "-wal"
        var log: Data?
        if FileManager.default.fileExists(atPath: path) {
            log = try? Data(contentsOf: URL(filePath: path))
        }
        let isUsed = log.map(Self.isUsed) ?? false
        let isThere = FileManager.default.fileExists(atPath: journal)
        if isThere, Self.isEmpty(journal) {
            damage =
                isUsed
                ? "the file is empty and its log is not; whatever stands in the log"
                : "the file is empty, as no journal is; whatever it held"
        } else if !isThere, isUsed {
            damage = "the file is missing and its log is there; whatever stands in the log"
        } else {
            damage = log?.withUnsafeBytes { Self.damage(in: $0) }
        }
    }

    /// It is more than the room that was made for it.
    private static func isUsed(_ log: Data) -> Bool {
        log.withUnsafeBytes { bytes in bytes.contains { $0 != 0 } }
    }

    /// There is no such file, or nothing in it.
    static func isEmpty(_ path: String) -> Bool {
        guard let facts = try? FileManager.default.attributesOfItem(atPath: path) else {
            return !FileManager.default.fileExists(atPath: path)
        }
        // What is not known to be empty is not.
        return facts[.size].map { "\($0)" } == "0"
    }

    private struct Sum: Equatable {
        var first: UInt32
        var second: UInt32
        let isBigEndian: Bool

        /// Adds bytes, a multiple of eight of them.
        mutating func add(_ bytes: UnsafeRawBufferPointer) {
            var offset = 0
            while offset < bytes.count {
                first &+= word(bytes, offset) &+ second
                second &+= word(bytes, offset + 4) &+ first
                offset += 8
            }
        }

        private func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
            let raw = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            return isBigEndian ? UInt32(bigEndian: raw) : UInt32(littleEndian: raw)
        }

        func isStored(in bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
            first == number(bytes, offset) && second == number(bytes, offset + 4)
        }

        /// As it is stored in front of a frame or the whole.
        static func stored(
            _ bytes: UnsafeRawBufferPointer, at offset: Int, isBigEndian: Bool
        ) -> Sum {
            Sum(
                first: number(bytes, offset), second: number(bytes, offset + 4),
                isBigEndian: isBigEndian)
        }
    }

    /// Numbers in headers are big-endian.
    private static func number(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
        UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    private static func damage(in bytes: UnsafeRawBufferPointer) -> String? {
        // Shorter than one frame, or room that nothing was written to yet.
        guard bytes.count >= headerBytes + frameHeaderBytes,
            bytes[..<headerBytes].contains(where: { $0 != 0 })
        else { return nil }
        let magic = number(bytes, 0)
        let isBigEndian = magic & 1 == 1
        var sum = Sum(first: 0, second: 0, isBigEndian: isBigEndian)
        sum.add(UnsafeRawBufferPointer(rebasing: bytes[..<24]))
        let page = Int(number(bytes, 8))
        guard magic & ~1 == Self.magic, sum.isStored(in: bytes, at: 24), isPage(page) else {
            return "the head of its log is damaged; whatever stands in the log only"
        }
        return damage(inFramesOf: bytes, page, sum)
    }

    /// The sizes that SQLite knows.
    private static func isPage(_ bytes: Int) -> Bool {
        (512...65_536).contains(bytes) && bytes.nonzeroBitCount == 1
    }

    private static func damage(
        inFramesOf bytes: UnsafeRawBufferPointer, _ page: Int, _ head: Sum
    ) -> String? {
        let size = frameHeaderBytes + page
        let count = (bytes.count - headerBytes) / size
        let salts = (number(bytes, 16), number(bytes, 20))
        /// Whether a frame is of this log and follows a sum; then that sum goes on behind it.
        func follows(_ frame: Int, _ sum: inout Sum) -> Bool {
            let start = headerBytes + frame * size
            guard number(bytes, start + 8) == salts.0, number(bytes, start + 12) == salts.1 else {
                return false
            }
            sum.add(UnsafeRawBufferPointer(rebasing: bytes[start..<(start + 8)]))
            sum.add(
                UnsafeRawBufferPointer(rebasing: bytes[(start + frameHeaderBytes)..<(start + size)])
            )
            return sum.isStored(in: bytes, at: start + 16)
        }
        /// Whether a frame says that it ends a transaction.
        func endsTransaction(_ frame: Int) -> Bool {
            let start = headerBytes + frame * size
            return number(bytes, start + 8) == salts.0 && number(bytes, start + 12) == salts.1
                && number(bytes, start + 4) != 0
        }
        var sum = head
        guard let bad = (0..<count).first(where: { !follows($0, &sum) }) else { return nil }
        // What stands behind the end of the transaction with the bad frame was written later.
        var ends = endsTransaction(bad) ? 1 : 0
        for frame in (bad + 1)..<max(count, bad + 1) {
            let start = headerBytes + (frame - 1) * size
            var sum = Sum.stored(bytes, at: start + 16, isBigEndian: head.isBigEndian)
            guard follows(frame, &sum) else { continue }
            if ends > 0 {
                return "frame \(bad + 1) of \(count) in its log is damaged; "
                    + "what was committed from there on"
            }
            if endsTransaction(frame) { ends += 1 }
        }
        return nil
    }
}
