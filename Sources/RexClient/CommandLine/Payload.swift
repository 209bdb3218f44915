import RexCommandLine
import RexProtocol

/// The payload of an action, or the data of an event, as it is written on a command line.
package enum Payload {
    /// What the words stand for, before files are read.
    package enum Source: Equatable {
        case none
        case value(JSONValue)
        /// The JSON text in this file.
        case file(String)
        /// The JSON text on standard input.
        case standardInput
    }

    /// Reads `key=value` (a string) and `key:=json` words, or one word: a JSON value, `@file` or
    /// `-`.
    package static func parse(_ words: [String]) throws(UsageError) -> Source {
        guard let first = words.first else { return .none }
        if words.count == 1 {
            if first == "-" { return .standardInput }
            if first.hasPrefix("@"), first.count > 1 { return .file(String(first.dropFirst())) }
            if member(first) == nil { return .value(try json(first, in: first)) }
        }
        var object = JSONObject()
        for word in words {
            guard let (key, isJSON, text) = member(word) else {
                throw UsageError("expected key=value or key:=json, got \(word)")
            }
            guard object[key] == nil else { throw UsageError("\(key) is given twice") }
            object[key] = isJSON ? try json(text, in: word) : .string(text)
        }
        return .value(.object(object))
    }

    /// `key=value` and `key:=json`; nil for what is neither, such as JSON text with `=` in a
    /// string.
    private static func member(_ word: String) -> (key: String, isJSON: Bool, text: String)? {
        guard let mark = word.firstIndex(of: "=") else { return nil }
        var key = word[..<mark]
        let isJSON = key.last == ":"
        if isJSON { key = key.dropLast() }
        let isKey = key.allSatisfy { !$0.isWhitespace && !"\"{[]},".contains($0) }
        guard isKey, !key.isEmpty else { return nil }
        return (String(key), isJSON, String(word[word.index(after: mark)...]))
    }

    private static func json(_ text: String, in word: String) throws(UsageError) -> JSONValue {
        do throws(JSONError) {
            return try RawJSON(parsing: text).value
        } catch {
            let isBare = !text.isEmpty && !text.contains { "\"{[:,".contains($0) }
            let hint = isBare ? "; a string needs quotes: '\"\(text)\"'" : ": \(error)"
            throw UsageError("\(word) is not JSON\(hint)")
        }
    }
}

/// A line cut into words as a shell would: white space separates, quotes keep together.
package enum Words {
    /// Single quotes keep all, double quotes and a backslash work as in a shell; but within `{…}`
    /// and `[…]` the text is JSON and stays as it is.
    package static func split(_ line: String) throws(UsageError) -> [String] {
        var words: [String] = []
        var word: String?
        var depth = 0
        var inJSONString = false
        var quote: Character?
        var isEscaped = false
        for character in line {
            if depth > 0 {
                word!.append(character)
                if isEscaped {
                    isEscaped = false
                    continue
                }
                switch character {
                case "\\" where inJSONString: isEscaped = true
                case "\"": inJSONString.toggle()
                case "{" where !inJSONString, "[" where !inJSONString: depth += 1
                case "}" where !inJSONString, "]" where !inJSONString: depth -= 1
                default: break
                }
            } else if isEscaped {
                word = word ?? ""
                word!.append(character)
                isEscaped = false
            } else if let open = quote {
                if character == open {
                    quote = nil
                } else if character == "\\", open == "\"" {
                    isEscaped = true
                } else {
                    word!.append(character)
                }
            } else {
                switch character {
                case "\\": isEscaped = true
                case "\"", "'":
                    quote = character
                    word = word ?? ""
                case "{", "[":
                    depth = 1
                    word = word ?? ""
                    word!.append(character)
                case _ where character.isWhitespace:
                    if let done = word { words.append(done) }
                    word = nil
                default:
                    word = word ?? ""
                    word!.append(character)
                }
            }
        }
        guard quote == nil, !isEscaped, depth == 0 else {
            throw UsageError("a quote or a bracket has no end")
        }
        if let word { words.append(word) }
        return words
    }
}
