import RexProtocol

extension Transcript.Expectation {
    /// Reads a pattern: JSON, in which `…` may also stand bare, for what is left open.
    init(_ source: String) throws(Transcript.LineProblem) {
        self.source = source
        do throws(JSONError) {
            pattern = try RawJSON(parsing: Self.quoteEllipses(source)).value
        } catch {
            throw Transcript.LineProblem("\(error)")
        }
    }

    /// In a pattern: any value.
    static let anything = "…"
    /// In a pattern, as the last element of an array: any further elements.
    static let anyRest = "… and so on"
    /// In a pattern: the member must not be there.
    static let absent = "(none)"

    /// Makes JSON of a pattern with bare ellipses: as a value it becomes `"…"`; alone in brackets
    /// or after the last element it means "and so on"; among members of an object it says nothing,
    /// since members that are not named are open anyway.
    private static func quoteEllipses(_ source: String) -> String {
        var result = ""
        var brackets: [Character] = []
        var inString = false
        var isEscaped = false
        for character in source {
            if inString {
                result.append(character)
                if isEscaped {
                    isEscaped = false
                    continue
                }
                if character == "\\" { isEscaped = true }
                if character == "\"" { inString = false }
                continue
            }
            switch character {
            case "\"": inString = true
            case "{", "[": brackets.append(character)
            case "}", "]": _ = brackets.popLast()
            case "…":
                result += replacement(after: &result, in: brackets.last)
                continue
            default: break
            }
            result.append(character)
        }
        return result
    }

    private static func replacement(after text: inout String, in bracket: Character?) -> String {
        while text.last?.isWhitespace == true { text.removeLast() }
        switch (bracket, text.last) {
        case ("[", _): return "\"\(anyRest)\""
        case ("{", ","):
            text.removeLast()
            return ""
        case ("{", "{"): return ""
        default: return "\"\(anything)\""
        }
    }
}

/// What the variables of a transcript stand for, and the comparing that binds them.
struct TranscriptBindings {
    /// Where a frame differs from what was expected.
    struct Mismatch: Equatable {
        let pointer: JSONPointer
        let expected: String
        let got: String

        var text: String {
            let place = pointer.tokens.isEmpty ? "" : "\(pointer): "
            return "\(place)expected \(expected), got \(got)"
        }
    }

    private(set) var values: [String: JSONValue] = [:]

    /// Compares and, where all fits, keeps the variables that the pattern binds.
    ///
    /// - Returns: the first place that differs, or nil.
    mutating func match(_ pattern: JSONValue, _ value: JSONValue) -> Mismatch? {
        var trial = self
        if let mismatch = trial.compare(pattern, value, .root) { return mismatch }
        self = trial
        return nil
    }

    private mutating func compare(
        _ pattern: JSONValue, _ value: JSONValue, _ place: JSONPointer
    ) -> Mismatch? {
        func differs(_ expected: String) -> Mismatch {
            Mismatch(pointer: place, expected: expected, got: value.description)
        }
        switch pattern {
        case .string(let text): return compare(text, value, differs)
        case .array(var wanted):
            guard case .array(let elements) = value else { return differs("an array") }
            let isOpen = wanted.last == .string(Transcript.Expectation.anyRest)
            if isOpen { wanted.removeLast() }
            guard isOpen ? elements.count >= wanted.count : elements.count == wanted.count else {
                return differs("\(isOpen ? "at least " : "")\(wanted.count) elements")
            }
            for (index, pair) in zip(wanted, elements).enumerated() {
                let inside = compare(pair.0, pair.1, place.appending(index))
                if inside != nil { return inside }
            }
            return nil
        case .object(let wanted):
            guard case .object(let members) = value else { return differs("an object") }
            for (name, pattern) in wanted {
                let inner = place.appending(name)
                guard let member = members[name] else {
                    if pattern == .string(Transcript.Expectation.absent) { continue }
                    return Mismatch(
                        pointer: inner, expected: pattern.description, got: "nothing")
                }
                let inside = compare(pattern, member, inner)
                if inside != nil { return inside }
            }
            return nil
        default: return pattern == value ? nil : differs(pattern.description)
        }
    }

    private mutating func compare(
        _ pattern: String, _ value: JSONValue, _ differs: (String) -> Mismatch
    ) -> Mismatch? {
        if pattern == Transcript.Expectation.anything { return nil }
        if pattern == Transcript.Expectation.absent { return differs("no such member") }
        if let variable = TranscriptVariable(pattern) {
            if values[variable.name] == nil, variable.plus == 0 {
                values[variable.name] = value
                return nil
            }
            guard let bound = resolve(variable) else { return differs("a bound \(pattern)") }
            return bound == value ? nil : differs("\(bound) (\(pattern))")
        }
        let literal = TranscriptVariable.unescaped(pattern)
        guard case .string(let text) = value else {
            return differs(JSONValue.string(literal).description)
        }
        let isEqual =
            literal.contains("…") ? Self.glob(literal, text) : literal == text
        return isEqual ? nil : differs(JSONValue.string(literal).description)
    }

    /// The value of a variable, with what is to be added to it.
    func resolve(_ variable: TranscriptVariable) -> JSONValue? {
        guard let value = values[variable.name] else { return nil }
        if variable.plus == 0 { return value }
        guard let (sum, isOver) = value.int?.addingReportingOverflow(variable.plus), !isOver else {
            return nil
        }
        return .int(sum)
    }

    /// True when `text` is the pieces between the ellipses in their order, first and last at the
    /// ends.
    private static func glob(_ pattern: String, _ text: String) -> Bool {
        var pieces = pattern.split(separator: "…", omittingEmptySubsequences: false)
        var rest = text[...]
        let first = pieces.removeFirst()
        guard rest.hasPrefix(first) else { return false }
        rest = rest.dropFirst(first.count)
        let last = pieces.removeLast()
        for piece in pieces where !piece.isEmpty {
            guard let range = rest.firstRange(of: piece) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last)
    }

    /// A line to be sent with every `"$name"` replaced by the JSON of its value.
    ///
    /// - Throws: the name of a variable that nothing has bound yet.
    func substitute(_ line: String) throws(UnboundVariable) -> String {
        var result = ""
        var rest = line[...]
        while let open = rest.firstIndex(of: "\"") {
            result += rest[..<open]
            rest = rest[open...]
            var end = rest.index(after: open)
            while end < rest.endIndex, rest[end] != "\"" {
                if rest[end] == "\\", rest.index(after: end) < rest.endIndex {
                    end = rest.index(after: end)
                }
                end = rest.index(after: end)
            }
            guard end < rest.endIndex else { break }
            let content = String(rest[rest.index(after: open)..<end])
            if let variable = TranscriptVariable(content) {
                guard let value = resolve(variable) else { throw UnboundVariable(name: content) }
                result += value.description
            } else {
                result += "\"\(TranscriptVariable.unescaped(content))\""
            }
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    struct UnboundVariable: Error {
        let name: String
    }
}

/// `$name` or `$name+1`, as a whole string of a transcript.
struct TranscriptVariable: Equatable {
    let name: String
    let plus: Int

    init?(_ text: String) {
        guard text.hasPrefix("$") else { return nil }
        let parts = text.dropFirst().split(
            separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, let first = name.first, first.isLetter || first == "_",
            name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
        else { return nil }
        if parts.count == 2 {
            guard let plus = Int(parts[1]) else { return nil }
            self.plus = plus
        } else {
            plus = 0
        }
        self.name = String(name)
    }

    /// `$$x` stands for the text `$x`.
    static func unescaped(_ text: String) -> String {
        text.hasPrefix("$$") ? String(text.dropFirst()) : text
    }
}
