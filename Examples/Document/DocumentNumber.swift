public import RexProtocol

/// A JSON number, as exact as it was written.
public struct DocumentNumber: Sendable, Hashable, Codable {
    /// `.int`, `.uint` or `.double`.
    public let value: JSONValue

    /// A whole number.
    public init(_ number: Int) {
        value = .int(number)
    }

    /// A number with a fraction; must be finite.
    public init(_ number: Double) {
        precondition(number.isFinite, "JSON has no number for \(number)")
        value = .double(number)
    }

    /// Reads a number; anything else is an error.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        value = try container.decode(JSONValue.self)
        guard value.double != nil else {
            throw DecodingError.typeMismatch(
                Double.self,
                .init(codingPath: container.codingPath, debugDescription: "expected a number"))
        }
    }

    /// Writes the number as it was written.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}

extension DocumentNumber {
    /// The sum with another number; nil when the other value is no number, or the sum is too large:
    /// over 64 bits for whole numbers, over a Double where one has a fraction.
    func added(to other: JSONValue) -> JSONValue? {
        if let a = other.whole, let b = value.whole {
            if let sum = Int(exactly: a + b) { return .int(sum) }
            // Unsigned where one was that already: a counter does not leave what clients can hold.
            let isUnsigned = max(a, b) > Int128(Int.max)
            return isUnsigned ? UInt64(exactly: a + b).map { .uint($0) } : nil
        }
        guard let a = other.double, let b = value.double else { return nil }
        return (a + b).isFinite ? .double(a + b) : nil
    }
}

extension JSONValue {
    /// The number where it was written as a whole one, wide enough that two add up.
    fileprivate var whole: Int128? {
        switch self {
        case .int(let number): Int128(number)
        case .uint(let number): Int128(number)
        default: nil
        }
    }
}
