/// A sum of 64 bits over a row of values: another value, another order or one too few give another
/// sum. It finds what a disk or a person did to a file; it is no proof against a forger.
struct ChainSum {
    private(set) var value: UInt64

    init(_ start: UInt64 = 0) { value = start }

    mutating func add(_ number: Int) { mix(UInt64(bitPattern: Int64(number))) }

    /// Adds bytes and how many there are: O(bytes / 8).
    mutating func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { add($0) } }

    /// Adds the bytes of a text, as `add` does.
    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
    }

    private mutating func add(_ raw: UnsafeRawBufferPointer) {
        mix(UInt64(raw.count) ^ 0xa076_1d64_78bd_642f)
        var offset = 0
        while offset + 8 <= raw.count {
            mix(raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian)
            offset += 8
        }
        var rest: UInt64 = 0
        for byte in raw[offset...] { rest = rest << 8 | UInt64(byte) }
        if offset < raw.count { mix(rest) }
    }

    private mutating func mix(_ word: UInt64) {
        let product = (value ^ word ^ 0xe703_7ed1_a0b4_28db).multipliedFullWidth(
            by: 0x9e37_79b9_7f4a_7c15)
        value = product.high ^ product.low ^ word.byteSwapped
    }
}
