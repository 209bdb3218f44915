/// The name of what an event is about: tokens separated by dots, as in NATS.
///
/// Topics are equal when their bytes are.
public struct Topic: Sendable, Hashable, CustomStringConvertible {
    /// The most bytes that a topic or a pattern may have.
    public static let byteLimit = 255

    /// The whole name.
    public let text: String
    let tokens: [TopicToken]

    /// Validates a name: 1 to 255 bytes, no wildcard, no empty token, no white space and no control
    /// character.
    public init(_ text: String) throws(TopicError) {
        tokens = try TopicToken.split(text)
        self.text = text
        for token in tokens where token.text.utf8.contains(where: { $0 == 0x2A || $0 == 0x3E }) {
            throw TopicToken.error("a topic that is published has no wildcard: '\(text)'")
        }
    }

    /// Whether it is one of the server's own: it begins with `$`.
    public var isServerOwned: Bool { tokens[0].isServerOwned }

    /// The first token.
    public var firstToken: String { tokens[0].text }

    /// The name.
    public var description: String { text }
    /// Whether both are the same bytes.
    public static func == (a: Topic, b: Topic) -> Bool { a.text.hasSameBytes(as: b.text) }
    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        text.hashBytes(into: &hasher)
    }
}

/// Which topics a listener wants: `*` stands for one token, `>` at the end for one or more.
///
/// It meets topics that begin with `$` only where its own first token begins with `$`.
public struct TopicPattern: Sendable, Hashable, CustomStringConvertible {
    /// The whole pattern.
    public let text: String
    let tokens: [TopicToken]

    /// Validates a pattern: as a topic, but with wildcards as whole tokens and `>` only at the end.
    ///
    public init(_ text: String) throws(TopicError) {
        tokens = try TopicToken.split(text)
        self.text = text
        for (index, token) in tokens.enumerated() {
            if token == .one { continue }
            if token == .rest {
                guard index == tokens.count - 1 else {
                    throw TopicToken.error("'>' stands only at the end of a pattern: '\(text)'")
                }
            } else if token.text.utf8.contains(where: { $0 == 0x2A || $0 == 0x3E }) {
                throw TopicToken.error("a wildcard is a whole token: '\(text)'")
            }
        }
    }

    /// Whether the topic is one that this pattern means. O(tokens).
    public func matches(_ topic: Topic) -> Bool {
        if topic.isServerOwned, !tokens[0].isServerOwned { return false }
        for (index, token) in tokens.enumerated() {
            if token == .rest { return topic.tokens.count > index }
            guard index < topic.tokens.count else { return false }
            if token != .one, token != topic.tokens[index] { return false }
        }
        return tokens.count == topic.tokens.count
    }

    /// The pattern.
    public var description: String { text }
    /// Whether both are the same bytes.
    public static func == (a: TopicPattern, b: TopicPattern) -> Bool {
        a.text.hasSameBytes(as: b.text)
    }
    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        text.hashBytes(into: &hasher)
    }
}

/// One token, compared by its bytes.
struct TopicToken: Sendable, Hashable {
    static let one = TopicToken(text: "*")
    static let rest = TopicToken(text: ">")

    let text: String

    var isServerOwned: Bool { text.utf8.first == 0x24 }

    static func == (a: TopicToken, b: TopicToken) -> Bool { a.text.hasSameBytes(as: b.text) }

    func hash(into hasher: inout Hasher) {
        text.hashBytes(into: &hasher)
    }

    static func split(_ text: String) throws(TopicError) -> [TopicToken] {
        guard !text.isEmpty else { throw error("a topic has at least one token") }
        guard text.utf8.count <= Topic.byteLimit else {
            throw error("a topic of \(text.utf8.count) bytes is longer than \(Topic.byteLimit)")
        }
        guard
            text.unicodeScalars.allSatisfy({
                $0.value > 0x20 && $0.value != 0x7F && ($0.isASCII || !$0.properties.isWhitespace)
            })
        else { throw error("a topic has no white space and no control characters: '\(text)'") }
        let parts = text.utf8.split(separator: 0x2E, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty }) else {
            throw error("a topic has no empty token: '\(text)'")
        }
        return parts.map { TopicToken(text: String(Substring($0))) }
    }

    static func error(_ message: String) -> TopicError { TopicError(message: message) }
}

/// Why a text is no topic or no pattern, for a person.
public struct TopicError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was expected and what came.
    public let message: String
    /// The message.
    public var description: String { message }
}

extension TopicPattern: ExpressibleByStringLiteral {
    /// A pattern written in code; one that is none is a mistake of the program.
    public init(stringLiteral value: String) {
        do throws(TopicError) {
            try self.init(value)
        } catch {
            preconditionFailure(error.message)
        }
    }

    /// Whether the pattern meets `topic`; never what is not a topic. O(length of the topic).
    public func matches(_ topic: String) -> Bool {
        guard let topic = try? Topic(topic) else { return false }
        return matches(topic)
    }
}

extension String {
    /// Topics are bytes: no two different ones are the same, whatever Unicode says of them.
    fileprivate func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }

    fileprivate func hashBytes(into hasher: inout Hasher) {
        var copy = self
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
