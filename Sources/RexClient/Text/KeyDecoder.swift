/// What a person does at a terminal in raw mode.
package enum Key: Equatable, Sendable {
    case character(Character)
    case enter, backspace, delete, tab
    case left, right, home, end, up, down
    case wordBack, killToStart, killToEnd
    case redraw, interrupt, endOfInput
}

/// Bytes in, keys out: UTF-8 and the escape sequences of the usual terminals.
///
/// What is cut off at the end of a read waits for the next; unknown sequences are passed over
/// whole.
package struct KeyDecoder {
    private var pending: [UInt8] = []

    package init() {}

    package mutating func feed(_ bytes: [UInt8]) -> [Key] {
        pending += bytes
        var keys: [Key] = []
        var text = ""
        func flush() {
            keys += text.map(Key.character)
            text = ""
        }
        while let first = pending.first {
            if first == 0x1b {
                flush()
                guard let (key, length) = Self.escape(pending) else { break }
                if let key { keys.append(key) }
                pending.removeFirst(length)
            } else if first < 0x20 || first == 0x7f {
                flush()
                if let key = Self.control(first) { keys.append(key) }
                pending.removeFirst()
            } else {
                let length = Self.scalarLength(first)
                guard pending.count >= length else { break }
                text += String(decoding: pending[..<length], as: UTF8.self)
                pending.removeFirst(length)
            }
        }
        flush()
        return keys
    }

    private static func scalarLength(_ first: UInt8) -> Int {
        switch first {
        case 0xc2...0xdf: 2
        case 0xe0...0xef: 3
        case 0xf0...0xf4: 4
        default: 1
        }
    }

    private static func control(_ byte: UInt8) -> Key? {
        switch byte {
        case 0x01: .home
        case 0x02: .left
        case 0x03: .interrupt
        case 0x04: .endOfInput
        case 0x05: .end
        case 0x06: .right
        case 0x08, 0x7f: .backspace
        case 0x09: .tab
        case 0x0a, 0x0d: .enter
        case 0x0b: .killToEnd
        case 0x0c: .redraw
        case 0x0e: .down
        case 0x10: .up
        case 0x15: .killToStart
        case 0x17: .wordBack
        default: nil
        }
    }

    /// The key of an escape sequence and its length; nil while it is not complete.
    private static func escape(_ bytes: [UInt8]) -> (Key?, Int)? {
        guard bytes.count >= 2 else { return nil }
        guard bytes[1] == UInt8(ascii: "[") || bytes[1] == UInt8(ascii: "O") else {
            return (bytes[1] == 0x7f ? .wordBack : nil, bytes[1] == 0x1b ? 1 : 2)
        }
        guard let end = bytes[2...].firstIndex(where: { (0x40...0x7e).contains($0) }) else {
            return bytes.count > 16 ? (nil, bytes.count) : nil
        }
        let key: Key? =
            switch (bytes[end], String(decoding: bytes[2..<end], as: UTF8.self)) {
            case (UInt8(ascii: "A"), _): .up
            case (UInt8(ascii: "B"), _): .down
            case (UInt8(ascii: "C"), _): .right
            case (UInt8(ascii: "D"), _): .left
            case (UInt8(ascii: "H"), _), (UInt8(ascii: "~"), "1"), (UInt8(ascii: "~"), "7"): .home
            case (UInt8(ascii: "F"), _), (UInt8(ascii: "~"), "4"), (UInt8(ascii: "~"), "8"): .end
            case (UInt8(ascii: "~"), "3"): .delete
            default: nil
            }
        return (key, end + 1)
    }
}
