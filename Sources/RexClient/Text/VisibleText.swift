/// Text that came from others, made safe to show.
///
/// A terminal obeys what it prints: an escape sequence in a chat message could retitle the window
/// or paint over what stands there. So every character that a terminal might obey is shown as its
/// escape, and so are those that reorder or hide text (bidirectional controls, separators).
package enum VisibleText {
    /// The text with controls as `\n`, `\t`, `\u001b` … . JSON text stays JSON of the same value,
    /// because there such characters stand in strings only. O(n), without a copy when nothing is to
    /// be escaped.
    package static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isObeyed) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if isObeyed(scalar) {
                result.append(contentsOf: escape(scalar).unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    private static func isObeyed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7f..<0xa0: true
        case 0x061c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfeff: true
        default: false
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": return "\\n"
        case "\t": return "\\t"
        case "\r": return "\\r"
        default:
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
    }

    /// How many columns of a terminal the text takes: two for wide East Asian characters and emoji,
    /// none for combining marks.
    package static func columns(_ text: String) -> Int {
        text.reduce(0) { $0 + columns($1) }
    }

    /// The columns of one character.
    package static func columns(_ character: Character) -> Int {
        let first = character.unicodeScalars.first!
        if first.properties.generalCategory == .nonspacingMark { return 0 }
        if first.value < 0x1100 { return 1 }
        let isEmoji =
            first.properties.isEmojiPresentation
            || character.unicodeScalars.contains { $0.value == 0xfe0f }
        if isEmoji { return 2 }
        switch first.value {
        case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0x9fff,
            0xa000...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f, 0xff00...0xff60,
            0xffe0...0xffe6, 0x20000...0x3fffd:
            return 2
        default: return 1
        }
    }
}
