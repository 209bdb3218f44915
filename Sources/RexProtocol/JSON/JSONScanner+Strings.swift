// Strings: eight bytes a step while nothing happens, then UTF-8 and escapes strictly.
extension JSONScanner {
    /// Reads a string; `p` stands on its opening quote.
    mutating func string() throws(JSONFault) {
        let open = p
        p += 1
        try skipPlain()
        guard p.pointee == 0x22 else { return try escapedString(from: open) }
        let count = p - open - 1
        p += 1
        append(
            TapeEntry(
                kind: .string, count: UInt32(truncatingIfNeeded: count),
                start: UInt32(truncatingIfNeeded: open - start), end: position))
    }

    /// Moves to the next quote or backslash, over valid UTF-8 only.
    @inline(__always)
    private mutating func skipPlain() throws(JSONFault) {
        while true {
            while end - p >= 8 {
                let stops = Self.stops(
                    UInt64(
                        littleEndian: UnsafeRawPointer(p).loadUnaligned(as: UInt64.self)))
                if stops == 0 {
                    p += 8
                    continue
                }
                p += stops.trailingZeroBitCount &>> 3
                break
            }
            while p < end, Self.isPlain(p.pointee) { p += 1 }
            guard p < end else { throw fault(.quote) }
            let byte = p.pointee
            if byte == 0x22 || byte == 0x5C { return }
            guard byte >= 0x80 else { throw fault(.control) }
            let length = Self.sequenceLength(at: p, before: end)
            guard length > 0 else { throw fault(.utf8) }
            p += length
        }
    }

    @inline(__always)
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x80 && byte != 0x22 && byte != 0x5C
    }

    /// The high bit of each byte that is a control character, a quote, a backslash or not ASCII;
    /// exact for the lowest such byte.
    @inline(__always)
    private static func stops(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        let control = (word &- (ones &* 0x20)) & ~word
        let special = ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
        return (control | special | word) & (ones &* 0x80)
    }

    /// The bytes of the UTF-8 sequence at `p` (2 to 4), or 0 where it is none: overlong forms,
    /// surrogates and anything above U+10FFFF are none.
    static func sequenceLength(
        at p: UnsafePointer<UInt8>, before end: UnsafePointer<UInt8>
    ) -> Int {
        let left = end - p
        func isTail(_ i: Int) -> Bool { p[i] & 0xC0 == 0x80 }
        switch p[0] {
        case 0xC2...0xDF:
            return left >= 2 && isTail(1) ? 2 : 0
        case 0xE0...0xEF:
            guard left >= 3, isTail(1), isTail(2) else { return 0 }
            if p[0] == 0xE0, p[1] < 0xA0 { return 0 }
            if p[0] == 0xED, p[1] >= 0xA0 { return 0 }
            return 3
        case 0xF0...0xF4:
            guard left >= 4, isTail(1), isTail(2), isTail(3) else { return 0 }
            if p[0] == 0xF0, p[1] < 0x90 { return 0 }
            if p[0] == 0xF4, p[1] >= 0x90 { return 0 }
            return 4
        default:
            return 0
        }
    }

    /// Reads on from the first backslash, copying the text into the tape's buffer.
    @inline(never)
    private mutating func escapedString(from open: UnsafePointer<UInt8>) throws(JSONFault) {
        tape.pointee.reserveText(end - start)
        let textStart = tape.pointee.textCount
        copy(from: open + 1)
        while p.pointee == 0x5C {
            try escape()
            let plain = p
            try skipPlain()
            copy(from: plain)
        }
        p += 1
        append(
            TapeEntry(
                kind: .string, flags: TapeEntry.escaped,
                count: UInt32(truncatingIfNeeded: tape.pointee.textCount - textStart),
                start: UInt32(truncatingIfNeeded: open - start), end: position,
                payload: UInt64(textStart)))
    }

    private func copy(from first: UnsafePointer<UInt8>) {
        (tape.pointee.text + tape.pointee.textCount).initialize(from: first, count: p - first)
        tape.pointee.textCount += p - first
    }

    private func put(_ byte: UInt8) {
        (tape.pointee.text + tape.pointee.textCount).initialize(to: byte)
        tape.pointee.textCount += 1
    }

    /// Reads one escape; `p` stands on the backslash.
    private mutating func escape() throws(JSONFault) {
        p += 1
        guard p < end else { throw fault(.escape) }
        switch p.pointee {
        case 0x22, 0x5C, 0x2F: put(p.pointee)
        case 0x62: put(0x08)
        case 0x66: put(0x0C)
        case 0x6E: put(0x0A)
        case 0x72: put(0x0D)
        case 0x74: put(0x09)
        case 0x75: return try unicodeEscape()
        default: throw fault(.escape)
        }
        p += 1
    }

    private mutating func unicodeEscape() throws(JSONFault) {
        let place = p - 1
        var scalar = try hexUnit()
        if (0xDC00...0xDFFF).contains(scalar) { throw fault(.surrogate, at: place) }
        if (0xD800...0xDBFF).contains(scalar) {
            guard end - p >= 2, p[0] == 0x5C, p[1] == 0x75 else {
                throw fault(.surrogate, at: place)
            }
            p += 1
            let low = try hexUnit()
            guard (0xDC00...0xDFFF).contains(low) else { throw fault(.surrogate, at: place) }
            scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
        }
        switch scalar {
        case 0..<0x80:
            put(UInt8(scalar))
        case 0x80..<0x800:
            put(UInt8(0xC0 | scalar >> 6))
            put(UInt8(0x80 | scalar & 0x3F))
        case 0x800..<0x10000:
            put(UInt8(0xE0 | scalar >> 12))
            put(UInt8(0x80 | scalar >> 6 & 0x3F))
            put(UInt8(0x80 | scalar & 0x3F))
        default:
            put(UInt8(0xF0 | scalar >> 18))
            put(UInt8(0x80 | scalar >> 12 & 0x3F))
            put(UInt8(0x80 | scalar >> 6 & 0x3F))
            put(UInt8(0x80 | scalar & 0x3F))
        }
    }

    /// Reads four hexadecimal digits; `p` stands on the `u`.
    private mutating func hexUnit() throws(JSONFault) -> UInt32 {
        p += 1
        guard end - p >= 4 else { throw fault(.escape) }
        var unit: UInt32 = 0
        for _ in 0..<4 {
            let byte = p.pointee
            switch byte {
            case 0x30...0x39: unit = unit << 4 | UInt32(byte - 0x30)
            case 0x41...0x46: unit = unit << 4 | UInt32(byte - 0x41 + 10)
            case 0x61...0x66: unit = unit << 4 | UInt32(byte - 0x61 + 10)
            default: throw fault(.escape)
            }
            p += 1
        }
        return unit
    }
}
