import RexCommandLine
import RexProtocol

extension Transcript {
    /// Reads a file: Markdown (a name that ends in `.md`) gives its ```` ```transcript ```` blocks,
    /// each a transcript of its own; anything else is one transcript.
    public static func read(
        _ text: String, file: String
    ) throws(TranscriptSyntaxError) -> [Transcript] {
        if file.hasSuffix(".md") { return try blocks(ofMarkdown: text, file: file) }
        return [try Transcript(parsing: text, file: file)]
    }

    /// The ```` ```transcript [TITLE] ```` blocks of a Markdown text, in order.
    public static func blocks(
        ofMarkdown text: String, file: String
    ) throws(TranscriptSyntaxError) -> [Transcript] {
        let mark = "```transcript"
        var found: [Transcript] = []
        var block: (line: Int, title: String, lines: [Substring])?
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            if let open = block {
                if line.hasPrefix("```") {
                    found.append(
                        try Transcript(
                            parsing: open.lines.joined(separator: "\n"), file: file,
                            line: open.line + 1, title: open.title))
                    block = nil
                } else {
                    block!.lines.append(line)
                }
            } else if line.hasPrefix(mark) {
                block = (index + 1, trimmed(line.dropFirst(mark.count)), [])
            }
        }
        if let block { throw TranscriptSyntaxError(file, block.line, "a block without an end") }
        return found
    }

    /// Reads one transcript.
    ///
    /// - Parameter line: the number of its first line in the file.
    public init(
        parsing text: String, file: String, line: Int = 1, title: String = ""
    ) throws(TranscriptSyntaxError) {
        self.file = file
        self.line = line
        self.title = title
        var steps: [Step] = []
        for entry in Self.entries(text, from: line) {
            do throws(LineProblem) {
                steps.append(try Self.step(entry.text, line: entry.line))
            } catch {
                throw TranscriptSyntaxError(file, entry.line, error.text)
            }
        }
        self.steps = steps
    }

    /// A problem within a line, before it has its place.
    struct LineProblem: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }

    /// Lines with those that continue them: blank lines and comments are gone, a line that begins
    /// with white space belongs to the one before it.
    private static func entries(_ text: String, from first: Int) -> [(line: Int, text: String)] {
        var result: [(line: Int, text: String)] = []
        var number = first - 1
        for raw in text.split(separator: "\n", omittingEmptySubsequences: false) {
            number += 1
            let line = raw.hasSuffix("\r") ? raw.dropLast() : raw
            let content = trimmed(line)
            if content.isEmpty || content.hasPrefix("#") { continue }
            if line.first!.isWhitespace, !result.isEmpty {
                result[result.count - 1].text += content
            } else {
                result.append((number, String(line)))
            }
        }
        return result
    }

    private static func step(_ text: String, line: Int) throws(LineProblem) -> Step {
        let name = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
        let rest = text[name.endIndex...]
        let word = rest.prefix { !$0.isWhitespace }
        let body = trimmed(rest[word.endIndex...])
        return Step(line: line, connection: String(name), action: try action(word, body))
    }

    private static func action(
        _ word: Substring, _ body: String
    ) throws(LineProblem) -> Action {
        switch word {
        case ">": return .send(body)
        case ">>": return .sendBytes(try bytes(body))
        case "<": return .expect(try Expectation(body))
        case "<~": return .expectSomewhere(try Expectation(body))
        case "=":
            switch body {
            case "closed": return .expectClosed
            case "finish": return .finish
            case "close": return .close
            default: throw LineProblem("after = expected closed, finish or close, got \(body)")
            }
        case "!":
            guard body.hasPrefix("within "),
                let limit = try? DurationText.parse(trimmed(body.dropFirst("within ".count)))
            else { throw LineProblem("after ! expected within and a duration, as in within 3s") }
            return .within(limit)
        default:
            throw LineProblem("a line begins with >, >>, <, <~, =, ! or #, after an optional name")
        }
    }

    /// `"text"`, `"text" * COUNT`, or bytes in hexadecimal.
    private static func bytes(_ body: String) throws(LineProblem) -> [UInt8] {
        guard body.hasPrefix("\"") else {
            let pairs = body.split(separator: " ")
            let bytes = pairs.compactMap { $0.count == 2 ? UInt8($0, radix: 16) : nil }
            guard !bytes.isEmpty, bytes.count == pairs.count else {
                throw LineProblem("after >> expected a JSON string or bytes such as ff 0a")
            }
            return bytes
        }
        guard let end = body.lastIndex(of: "\"") else { throw LineProblem("a string has no end") }
        let text: String
        do {
            guard let string = try RawJSON(parsing: String(body[...end])).value.string else {
                throw LineProblem("after >> expected a JSON string")
            }
            text = string
        } catch let error as JSONError {
            throw LineProblem("\(error)")
        } catch {
            throw LineProblem("after >> expected a JSON string")
        }
        let tail = trimmed(body[body.index(after: end)...])
        if tail.isEmpty { return Array(text.utf8) }
        guard tail.hasPrefix("*"), let count = Int(trimmed(tail.dropFirst())), count > 0,
            count * text.utf8.count <= sendLimitBytes
        else { throw LineProblem("after the string expected * and a count") }
        return Array(repeatElement(text.utf8, count: count).joined())
    }

    /// The most bytes that one `>>` line may send.
    static let sendLimitBytes = 64 << 20

    private static func trimmed(_ text: some StringProtocol) -> String {
        var rest = text[...]
        while let first = rest.first, first.isWhitespace { rest = rest.dropFirst() }
        while let last = rest.last, last.isWhitespace { rest = rest.dropLast() }
        return String(rest)
    }
}
