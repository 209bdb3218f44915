extension JSONValue {
    /// The one text that equal values have in common (RFC 8785): names sorted by UTF-16 code units,
    /// no white space, numbers as ECMAScript writes them, except that integers of 64 bits are
    /// written in full. Its hash proves that two replicas are equal. O(size).
    public var canonical: [UInt8] {
        var writer = JSONWriter()
        writer.canonical(self)
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func canonical(_ value: JSONValue) {
        switch value {
        case .null, .bool, .string: self.value(value)
        case .int(let number): int(number)
        case .uint(let number): uint(number)
        case .double(let number):
            if let number = Int(exactly: number) {
                int(number)
            } else if let number = UInt64(exactly: number) {
                uint(number)
            } else {
                ecmaScript(number).withBytes { raw($0) }
            }
        case .array(let values):
            byte(0x5B)
            for (index, value) in values.enumerated() {
                if index > 0 { byte(0x2C) }
                canonical(value)
            }
            byte(0x5D)
        case .object(let object):
            byte(0x7B)
            for (index, member) in object.sortedByUTF16.enumerated() {
                if index > 0 { byte(0x2C) }
                string(member.key)
                byte(0x3A)
                canonical(member.value)
            }
            byte(0x7D)
        }
    }

    /// A number as ECMAScript's `Number::toString` writes it. The standard library's text has the
    /// same shortest digits; only the point and the exponent stand elsewhere.
    private func ecmaScript(_ value: Double) -> String {
        var text = Substring(value.magnitude.description)
        var exponent = 0
        if let mark = text.firstIndex(of: "e") {
            exponent = Int(text[text.index(after: mark)...]) ?? 0
            text = text[..<mark]
        }
        let parts = text.split(separator: ".")
        let fraction = parts.count > 1 ? parts[1] : ""
        var digits = (parts[0] + fraction).drop { $0 == "0" }
        // The value is 0.digits times ten to this power.
        var point = parts[0].count + exponent - (parts[0].count + fraction.count - digits.count)
        while digits.last == "0" { digits.removeLast() }
        let sign = value < 0 ? "-" : ""
        if digits.count <= point, point <= 21 {
            return sign + digits + String(repeating: "0", count: point - digits.count)
        }
        if point > 0, point <= 21 {
            return sign + digits.prefix(point) + "." + digits.dropFirst(point)
        }
        if point > -6, point <= 0 {
            return sign + "0." + String(repeating: "0", count: -point) + digits
        }
        point -= 1
        let mantissa =
            digits.count == 1 ? String(digits) : digits.prefix(1) + "." + digits.dropFirst()
        return sign + mantissa + "e" + (point < 0 ? "-" : "+") + String(point.magnitude)
    }
}

extension JSONObject {
    /// The members in the order of UTF-16 code units, which differs from that of bytes only where a
    /// name holds a character beyond U+D7FF.
    fileprivate var sortedByUTF16: [Element] {
        guard contains(where: { $0.key.utf8.contains { $0 >= 0xEE } }) else { return Array(self) }
        return sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
    }
}
