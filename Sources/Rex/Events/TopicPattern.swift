/// What topics somebody listens to: tokens separated by `.`; `*` stands for one token, `>` for one
/// or more at the end. A pattern meets topics that begin with `$` only where its own first token
/// does.
///
/// Source: NATS subjects.
public struct TopicPattern: Sendable, Hashable, CustomStringConvertible {
    /// The longest topic and the longest pattern.
    public static let lengthLimitBytes = 255

    /// The pattern as it was written.
    public let description: String
    private let tokens: [Substring]

    /// Nil where it is not a pattern: empty, too long, an empty token, white space, or a wildcard
    /// that is not a whole token or a `>` that is not the last.
    public init?(_ text: String) {
        guard let tokens = Self.tokens(of: text) else { return nil }
        for (place, token) in tokens.enumerated() {
            switch token {
            case "*": continue
            case ">": if place + 1 != tokens.count { return nil }
            default: if token.utf8.contains(where: isWildcard) { return nil }
            }
        }
        description = text
        self.tokens = tokens
    }

    /// Whether something may be published under `text`: a pattern without wildcards.
    public static func isTopic(_ text: String) -> Bool {
        guard let tokens = tokens(of: text) else { return false }
        return !tokens.contains { $0.utf8.contains(where: isWildcard) }
    }

    /// Whether the pattern meets `topic`; never what is not a topic. O(length of the topic).
    public func matches(_ topic: String) -> Bool {
        guard Self.isTopic(topic) else { return false }
        if topic.utf8.first == dollar && tokens[0].utf8.first != dollar { return false }
        var rest = tokens[...]
        var parts = topic.split(separator: ".")[...]
        while let token = rest.popFirst() {
            if token == ">" { return !parts.isEmpty }
            guard let part = parts.popFirst(), token == "*" || token == part else { return false }
        }
        return parts.isEmpty
    }

    private static func tokens(of text: String) -> [Substring]? {
        guard !text.isEmpty, text.utf8.count <= lengthLimitBytes,
            !text.unicodeScalars.contains(where: \.properties.isWhitespace)
        else { return nil }
        let tokens = text.split(separator: ".", omittingEmptySubsequences: false)
        return tokens.contains(where: \.isEmpty) ? nil : tokens
    }
}

private let dollar = UInt8(ascii: "$")

private func isWildcard(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "*") || byte == UInt8(ascii: ">")
}

extension TopicPattern: ExpressibleByStringLiteral {
    /// A pattern written in code; one that is none is a mistake of the program.
    public init(stringLiteral value: String) {
        guard let pattern = TopicPattern(value) else {
            preconditionFailure("\"\(value)\" is not a topic pattern")
        }
        self = pattern
    }
}
