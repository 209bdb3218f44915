import RexProtocol

/// JSON text for a person.
package enum JSONText {
    /// What is put round the names of members where colour is wanted.
    package struct Style: Sendable {
        let before: [UInt8]
        let after: [UInt8]

        package static let plain = Style(before: [], after: [])
        package static let coloured = Style(
            before: Array("\u{1b}[34m".utf8), after: Array("\u{1b}[0m".utf8))
    }

    /// One line, safe to show.
    package static func line(_ json: RawJSON) -> String { VisibleText.escaped(json.description) }

    /// Indented by two columns a level, members in the order of the text, empty containers closed
    /// up. O(bytes).
    package static func indented(_ json: RawJSON, style: Style = .plain) -> String {
        let text = Array(line(json).utf8)
        var out: [UInt8] = []
        out.reserveCapacity(text.count * 2)
        var depth = 0
        var index = 0
        func newLine() {
            out.append(UInt8(ascii: "\n"))
            out.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
        }
        while index < text.count {
            let byte = text[index]
            switch byte {
            case UInt8(ascii: "\""):
                let end = endOfString(text, from: index)
                let isName = end < text.count && text[end] == UInt8(ascii: ":")
                if isName { out += style.before }
                out += text[index..<end]
                if isName { out += style.after }
                index = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                out.append(byte)
                if text[index + 1] == byte + 2 {
                    out.append(byte + 2)
                    index += 1
                } else {
                    depth += 1
                    newLine()
                }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                newLine()
                out.append(byte)
            case UInt8(ascii: ","):
                out.append(byte)
                newLine()
            case UInt8(ascii: ":"): out += [byte, UInt8(ascii: " ")]
            default: out.append(byte)
            }
            index += 1
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// The index after the closing quote.
    private static func endOfString(_ text: [UInt8], from open: Int) -> Int {
        var index = open + 1
        while text[index] != UInt8(ascii: "\"") {
            index += text[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return index + 1
    }
}
