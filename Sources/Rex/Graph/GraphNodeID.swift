/// The name of a node of a `StateGraph`, for example of a screen. A plain string in JSON.
///
/// Source: Swift-Rex.
public struct GraphNodeID: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name itself.
    public let rawValue: String

    /// A node's name.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// A node's name, as a literal.
    public init(stringLiteral value: String) {
        rawValue = value
    }

    /// The name itself.
    public var description: String { rawValue }
}

extension GraphNodeID: Codable {
    /// Reads a string.
    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(String.self)
    }

    /// Writes a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}
