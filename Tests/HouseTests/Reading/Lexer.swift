/// Cuts Swift source into tokens, so that no rule is misled by a comment or a string.
///
/// Comments give no token; a string literal gives one, and the tokens of its interpolations after
/// it. A regex literal gives one string. Linear in the length.
struct Lexer {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var tokens: [Token] = []

    static func tokens(of text: String) -> [Token] {
        var lexer = Lexer(bytes: Array(text.utf8))
        while lexer.position < lexer.bytes.count { lexer.readCode() }
        return lexer.tokens
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private func byte(at offset: Int = 0) -> UInt8 {
        position + offset < bytes.count ? bytes[position + offset] : 0
    }

    private func text(from start: Int) -> String {
        String(decoding: bytes[start..<min(position, bytes.count)], as: UTF8.self)
    }

    private mutating func add(_ kind: Token.Kind, _ text: String, line: Int? = nil) {
        tokens.append(Token(kind: kind, text: text, line: line ?? self.line))
    }

    /// Reads to the end, or to the parenthesis that closes an interpolation.
    private mutating func readCode() {
        var depth = 0
        while position < bytes.count {
            let here = byte()
            switch here {
            case UInt8(ascii: "\n"):
                line += 1
                position += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
                position += 1
            case UInt8(ascii: "/"):
                readSlash()
            case UInt8(ascii: "\""):
                readString(hashes: 0)
            case UInt8(ascii: "#"):
                readHash()
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                readNumber()
            case _ where Self.isWord(here) || here == UInt8(ascii: "`"):
                readWord()
            default:
                if here == UInt8(ascii: "(") { depth += 1 }
                if here == UInt8(ascii: ")") { depth -= 1 }
                if depth < 0 {
                    position += 1
                    return
                }
                add(.mark, String(UnicodeScalar(here)))
                position += 1
            }
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default:
            false
        }
    }

    private mutating func readWord() {
        let start = position
        if byte() == UInt8(ascii: "`") {
            position += 1
            while position < bytes.count, byte() != UInt8(ascii: "`") { position += 1 }
            position += 1
        } else {
            while Self.isWord(byte()) { position += 1 }
        }
        add(.word, text(from: start))
    }

    private mutating func readNumber() {
        let start = position
        let dot = UInt8(ascii: ".")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        while Self.isWord(byte()) || (byte() == dot && digits.contains(byte(at: 1))) {
            position += 1
        }
        add(.number, text(from: start))
    }

    /// A comment, a regex literal or an operator.
    private mutating func readSlash() {
        if byte(at: 1) == UInt8(ascii: "/") {
            while position < bytes.count, byte() != UInt8(ascii: "\n") { position += 1 }
        } else if byte(at: 1) == UInt8(ascii: "*") {
            skipBlockComment()
        } else if let end = endOfRegex() {
            add(.string, String(decoding: bytes[(position + 1)..<end], as: UTF8.self))
            position = end + 1
        } else {
            add(.mark, "/")
            position += 1
        }
    }

    private mutating func skipBlockComment() {
        var depth = 0
        repeat {
            if byte() == UInt8(ascii: "/"), byte(at: 1) == UInt8(ascii: "*") {
                depth += 1
                position += 2
            } else if byte() == UInt8(ascii: "*"), byte(at: 1) == UInt8(ascii: "/") {
                depth -= 1
                position += 2
            } else {
                if byte() == UInt8(ascii: "\n") { line += 1 }
                position += 1
            }
        } while depth > 0 && position < bytes.count
    }

    /// Where a bare regex literal that begins here ends: only where a value can stand, and only
    /// when the closing slash is on the same line.
    private func endOfRegex() -> Int? {
        let openers: Set = ["(", ",", "=", ":", "[", "{", "!", "&", "|", ";"]
        if let last = tokens.last, last.line == line {
            guard openers.contains(last.text) || last.isWord("return") else { return nil }
        }
        guard ![UInt8(ascii: " "), UInt8(ascii: ")"), UInt8(ascii: ",")].contains(byte(at: 1))
        else { return nil }
        var end = position + 1
        while end < bytes.count, bytes[end] != UInt8(ascii: "\n") {
            if bytes[end] == UInt8(ascii: "/") { return end }
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    /// A raw string, an extended regex, a directive or a macro.
    private mutating func readHash() {
        var hashes = 0
        while byte(at: hashes) == UInt8(ascii: "#") { hashes += 1 }
        switch byte(at: hashes) {
        case UInt8(ascii: "\""):
            position += hashes
            readString(hashes: hashes)
        case UInt8(ascii: "/"):
            let start = line
            position += hashes + 1
            let from = position
            while position < bytes.count, !closes(UInt8(ascii: "/"), count: 1, hashes: hashes) {
                if byte() == UInt8(ascii: "\n") { line += 1 }
                position += 1
            }
            add(.string, text(from: from), line: start)
            position += 1 + hashes
        default:
            add(.mark, "#")
            position += 1
        }
    }

    /// Whether `count` times `mark` and then the hashes stand here.
    private func closes(_ mark: UInt8, count: Int, hashes: Int) -> Bool {
        (0..<count).allSatisfy { byte(at: $0) == mark }
            && (0..<hashes).allSatisfy { byte(at: count + $0) == UInt8(ascii: "#") }
    }

    /// A string literal from its opening quote, the hashes before it already read.
    private mutating func readString(hashes: Int) {
        let quote = UInt8(ascii: "\"")
        let quotes = closes(quote, count: 3, hashes: 0) ? 3 : 1
        var content: [UInt8] = []
        let index = tokens.count
        add(.string, "")
        position += quotes
        while position < bytes.count, !closes(quote, count: quotes, hashes: hashes) {
            let here = byte()
            if here == UInt8(ascii: "\n") {
                // A string of one line that does not end was never Swift: give up on it.
                if quotes == 1 { break }
                line += 1
            }
            let escape =
                here == UInt8(ascii: "\\")
                && (0..<hashes).allSatisfy { byte(at: 1 + $0) == UInt8(ascii: "#") }
            if escape, byte(at: 1 + hashes) == UInt8(ascii: "(") {
                position += 2 + hashes
                readCode()
                continue
            }
            if escape {
                content.append(here)
                position += 1 + hashes
                if byte() == UInt8(ascii: "\n") { line += 1 }
            }
            content.append(byte())
            position += 1
        }
        position += quotes + hashes
        tokens[index].text = String(decoding: content, as: UTF8.self)
    }
}
