/// Whether bytes are UTF-8 (RFC 3629), as they come: no surrogates, nothing longer than need be,
/// nothing beyond U+10FFFF. It says no at the first byte that cannot belong to any text.
struct UTF8Check {
    /// Bytes that the character under way still lacks.
    private var missing = 0
    /// What the next of them may be; the later ones may be 0x80 to 0xBF.
    private var bounds: ClosedRange<UInt8> = 0x80...0xBF

    /// No character is under way.
    var isWhole: Bool { missing == 0 }

    /// Takes more; false where it cannot be text any more. O(bytes).
    mutating func feed(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if missing == 0 {
                index = Self.skipPlain(bytes, from: index)
                guard index < bytes.count else { break }
                guard begin(bytes[index]) else { return false }
            } else {
                guard bounds.contains(bytes[index]) else { return false }
                bounds = 0x80...0xBF
                missing -= 1
            }
            index += 1
        }
        return true
    }

    /// The next byte that is not ASCII, eight at a time.
    private static func skipPlain(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        while index + 8 <= bytes.count,
            bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
        { index += 8 }
        while index < bytes.count, bytes[index] < 0x80 { index += 1 }
        return index
    }

    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: (missing, bounds) = (1, 0x80...0xBF)
        case 0xE0: (missing, bounds) = (2, 0xA0...0xBF)
        case 0xED: (missing, bounds) = (2, 0x80...0x9F)
        case 0xE1...0xEF: (missing, bounds) = (2, 0x80...0xBF)
        case 0xF0: (missing, bounds) = (3, 0x90...0xBF)
        case 0xF1...0xF3: (missing, bounds) = (3, 0x80...0xBF)
        case 0xF4: (missing, bounds) = (3, 0x80...0x8F)
        default: return false
        }
        return true
    }
}
