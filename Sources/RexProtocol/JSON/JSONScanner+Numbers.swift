// Numbers: exact integers, nearest doubles (Clinger's fast path, then the standard library).
extension JSONScanner {
    /// Reads a number; `p` stands on its sign or first digit.
    mutating func number() throws(JSONFault) {
        let first = p
        let isNegative = p.pointee == 0x2D
        if isNegative { p += 1 }
        var digits = Digits()
        guard p < end, Self.isDigit(p.pointee) else { throw fault(.number) }
        if p.pointee == 0x30 {
            p += 1
        } else {
            readDigits(into: &digits)
        }
        if p < end, p.pointee == 0x2E || p.pointee | 0x20 == 0x65 {
            return try double(from: first, isNegative, &digits)
        }
        var entry = TapeEntry(
            kind: .int, start: UInt32(truncatingIfNeeded: first - start), end: position)
        guard !digits.overflows else { throw fault(.integerRange, at: first) }
        if isNegative {
            guard digits.value <= 1 << 63 else { throw fault(.integerRange, at: first) }
            entry.payload = 0 &- digits.value
        } else {
            entry.payload = digits.value
            if digits.value >= 1 << 63 { entry.kind = .uint }
        }
        append(entry)
    }

    /// The significant digits so far.
    private struct Digits {
        var value: UInt64 = 0
        /// `value` no longer holds them all.
        var overflows = false
        var isZero: Bool { value == 0 && !overflows }
    }

    @inline(__always)
    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    @inline(__always)
    private mutating func readDigits(into digits: inout Digits) {
        while p < end, Self.isDigit(p.pointee) {
            let (high, low) = digits.value.multipliedFullWidth(by: 10)
            let (sum, carry) = low.addingReportingOverflow(UInt64(p.pointee &- 0x30))
            if high != 0 || carry { digits.overflows = true }
            if !digits.overflows { digits.value = sum }
            p += 1
        }
    }

    /// Reads on from the '.' or 'e'.
    @inline(never)
    private mutating func double(
        from first: UnsafePointer<UInt8>, _ isNegative: Bool, _ digits: inout Digits
    ) throws(JSONFault) {
        var exponent = 0
        if p.pointee == 0x2E {
            p += 1
            guard p < end, Self.isDigit(p.pointee) else { throw fault(.number) }
            let fraction = p
            readDigits(into: &digits)
            exponent = -(p - fraction)
        }
        if p < end, p.pointee | 0x20 == 0x65 {
            p += 1
            exponent += try self.exponent()
        }
        var value: Double
        if !digits.overflows, digits.value <= 1 << 53, abs(exponent) <= 22 {
            let power = Self.powers[abs(exponent)]
            value = exponent < 0 ? Double(digits.value) / power : Double(digits.value) * power
            if isNegative { value = -value }
        } else if digits.isZero {
            value = 0
        } else {
            let text = UnsafeBufferPointer(start: first, count: p - first)
            value = Double(String(decoding: text, as: UTF8.self)) ?? .infinity
            guard value.isFinite else { throw fault(.doubleRange, at: first) }
            guard value != 0 else { throw fault(.doubleZero, at: first) }
        }
        if value == 0 { value = 0 }
        append(
            TapeEntry(
                kind: .double, start: UInt32(truncatingIfNeeded: first - start), end: position,
                payload: value.bitPattern))
    }

    /// Reads an exponent; anything beyond a million reads as a million, which no Double reaches.
    private mutating func exponent() throws(JSONFault) -> Int {
        var isNegative = false
        if p < end, p.pointee == 0x2D || p.pointee == 0x2B {
            isNegative = p.pointee == 0x2D
            p += 1
        }
        guard p < end, Self.isDigit(p.pointee) else { throw fault(.number) }
        var exponent = 0
        while p < end, Self.isDigit(p.pointee) {
            exponent = min(exponent * 10 + Int(p.pointee &- 0x30), 1_000_000)
            p += 1
        }
        return isNegative ? -exponent : exponent
    }

    private static let powers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]
}
