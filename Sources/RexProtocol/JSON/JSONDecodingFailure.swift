/// Why JSON does not decode as a type: what was expected and what came, and where.
public struct JSONDecodingFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// "expected an integer, got a string", for a person.
    public let message: String
    /// The place, from the prefix that decoding was given.
    public let at: JSONPointer

    /// Makes a failure for one place.
    public init(message: String, at: JSONPointer) {
        self.message = message
        self.at = at
    }

    /// The message and the place.
    public var description: String { at.tokens.isEmpty ? message : "\(message) at \(at)" }
}
