import RexProtocol

/// A text as it stands in the log, whoever has chosen it.
enum LogText {
    /// The most bytes of one member: what is longer is cut, and ends in `…`.
    static let bytesLimit = 1_024

    /// Whether it can stand without quotes.
    static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= bytesLimit
            && text.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != 34 && $0 != 61 }
    }

    /// Writes it as a string of JSON.
    static func write(_ text: String, into line: inout JSONWriter) {
        line.byte(UInt8(ascii: "\""))
        var count = 0
        for scalar in text.unicodeScalars {
            count += UTF8.width(scalar)
            guard count <= bytesLimit else {
                line.bytes += "…".utf8
                break
            }
            switch scalar {
            case "\"", "\\": line.bytes += "\\\(scalar)".utf8
            case "\n": line.literal("\\n")
            case "\r": line.literal("\\r")
            case "\t": line.literal("\\t")
            case _ where isUnseen(scalar): escape(scalar.value, into: &line)
            default: line.bytes += UTF8.encode(scalar)!
            }
        }
        line.byte(UInt8(ascii: "\""))
    }

    /// Control characters of ASCII and of Latin 1 (a terminal takes U+009B for the beginning of a
    /// command), ends of lines, and what turns the direction of writing.
    private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F,
            0xFEFF:
            true
        default: false
        }
    }

    /// All of them have four digits at most.
    private static func escape(_ value: UInt32, into line: inout JSONWriter) {
        let digits = String(value, radix: 16)
        let zeros = String(repeating: "0", count: 4 - digits.count)
        line.bytes += "\\u\(zeros)\(digits)".utf8
    }
}
