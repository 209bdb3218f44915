/// A place in a JSON value (RFC 6901).
public struct JSONPointer: Sendable, Hashable {
    /// The names and indices on the way down, unescaped; none for the whole value.
    public let tokens: [String]

    /// The whole value: the empty text.
    public static let root = JSONPointer(tokens: [])

    /// A pointer of unescaped tokens.
    public init(tokens: [String]) { self.tokens = tokens }

    /// Reads the text form: empty, or each token after a `/`, with `~0` for `~` and `~1` for `/`.
    public init(_ text: String) throws(JSONPointerError) {
        guard !text.isEmpty else {
            tokens = []
            return
        }
        guard text.utf8.first == 0x2F else {
            throw JSONPointerError(message: "the pointer \(text) does not begin with '/'")
        }
        var tokens: [String] = []
        for part in text.utf8.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false) {
            guard part.contains(0x7E) else {
                tokens.append(String(Substring(part)))
                continue
            }
            var token: [UInt8] = []
            var rest = part[...]
            while let byte = rest.popFirst() {
                guard byte == 0x7E else {
                    token.append(byte)
                    continue
                }
                switch rest.popFirst() {
                case 0x30: token.append(0x7E)
                case 0x31: token.append(0x2F)
                default:
                    throw JSONPointerError(
                        message: "the pointer \(text) has a '~' without 0 or 1 after it")
                }
            }
            tokens.append(String(decoding: token, as: UTF8.self))
        }
        self.tokens = tokens
    }

    /// This place's child.
    public func appending(_ token: String) -> JSONPointer { JSONPointer(tokens: tokens + [token]) }

    /// This place's child in an array.
    public func appending(_ index: Int) -> JSONPointer { appending(String(index)) }

    /// This place with another one inside it.
    public func appending(contentsOf other: JSONPointer) -> JSONPointer {
        JSONPointer(tokens: tokens + other.tokens)
    }

    /// Whether the other place is this one or inside it.
    public func isPrefix(of other: JSONPointer) -> Bool {
        tokens.count <= other.tokens.count
            && zip(tokens, other.tokens).allSatisfy { $0.hasSameBytes(as: $1) }
    }

    /// Two places are equal when their tokens are the same bytes.
    public static func == (a: JSONPointer, b: JSONPointer) -> Bool {
        a.tokens.count == b.tokens.count && a.isPrefix(of: b)
    }

    /// Hashes the bytes of the tokens.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(tokens.count)
        for token in tokens { token.withBytes { hasher.combine(bytes: $0) } }
    }

    /// The index that a token names in an array: digits without leading zeros; nil for another.
    package static func index(_ token: String) -> Int? {
        let digits = token.utf8
        guard let first = digits.first, digits.allSatisfy({ (0x30...0x39).contains($0) }),
            first != 0x30 || digits.count == 1
        else { return nil }
        return Int(token)
    }
}

extension JSONPointer: CustomStringConvertible {
    /// The text form.
    public var description: String {
        var text = ""
        for token in tokens {
            text += "/"
            for scalar in token.unicodeScalars {
                switch scalar {
                case "~": text += "~0"
                case "/": text += "~1"
                default: text.unicodeScalars.append(scalar)
                }
            }
        }
        return text
    }
}

extension JSONPointer: Codable {
    /// Reads the text form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(container.decode(String.self))
        } catch let error as JSONPointerError {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: error.message)
        }
    }

    /// Writes the text form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// Why a text is no JSON Pointer.
public struct JSONPointerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, for a person.
    public let message: String
    /// The message.
    public var description: String { message }
}

extension JSONValue {
    /// The value at a place; nil where there is none. Array tokens are digits without leading
    /// zeros. O(tokens).
    public func value(at pointer: JSONPointer) -> JSONValue? {
        var current = self
        for token in pointer.tokens {
            switch current {
            case .object(let object):
                guard let next = object[token] else { return nil }
                current = next
            case .array(let values):
                guard let index = JSONPointer.index(token), index < values.count else {
                    return nil
                }
                current = values[index]
            default: return nil
            }
        }
        return current
    }
}

extension JSONNode {
    /// The node at a place below this one; nil where there is none.
    public func node(at pointer: JSONPointer) -> JSONNode? {
        var current = self
        for token in pointer.tokens {
            let next =
                current.kind == .array
                ? JSONPointer.index(token).flatMap { current[element: $0] } : current[name: token]
            guard let next else { return nil }
            current = next
        }
        return current
    }
}
