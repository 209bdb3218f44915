/// Any JSON value, as a tree of values.
///
/// Equality is that of JSON: numbers by value however they are kept (`1.0 == 1`, `-0.0 == 0`),
/// strings and names by their UTF-8 bytes (not by canonical equivalence as Swift's `String`),
/// objects regardless of the order of their text. Hashes agree.
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// An integer that fits an Int64.
    case int(Int)
    /// An integer above Int64.max.
    case uint(UInt64)
    /// Any other number; finite.
    case double(Double)
    /// A text.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// Members by name.
    case object(JSONObject)
}

extension JSONValue: Hashable {
    /// Whether two values are the same JSON value. O(size), less where they share storage.
    public static func == (a: JSONValue, b: JSONValue) -> Bool {
        switch (a, b) {
        case (.null, .null): return true
        case (.bool(let x), .bool(let y)): return x == y
        case (.string(let x), .string(let y)): return x.hasSameBytes(as: y)
        case (.array(let x), .array(let y)): return x.sharesStorage(with: y) || x == y
        case (.object(let x), .object(let y)): return x == y
        case (.int(let x), .int(let y)): return x == y
        case (.int, .uint), (.uint, .int): return a.number == b.number
        case (.uint(let x), .uint(let y)): return x == y
        case (.double(let x), .double(let y)): return x == y
        case (.double, .int), (.double, .uint), (.int, .double), (.uint, .double):
            return a.number == b.number
        default: return false
        }
    }

    /// Hashes the value. O(size).
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0 as UInt8)
        case .bool(let value): hasher.combine(value)
        case .int, .uint, .double: hasher.combine(number)
        case .string(let text): text.withBytes { hasher.combine(bytes: $0) }
        case .array(let values): hasher.combine(values)
        case .object(let object): hasher.combine(object)
        }
    }

    /// A number in the one form that decides equality.
    private enum Number: Hashable {
        case int(Int)
        case uint(UInt64)
        case double(Double)
    }

    private var number: Number? {
        switch self {
        case .int(let value): return .int(value)
        case .uint(let value): return Int(exactly: value).map { .int($0) } ?? .uint(value)
        case .double(let value):
            if let int = Int(exactly: value) { return .int(int) }
            return UInt64(exactly: value).map { .uint($0) } ?? .double(value)
        default: return nil
        }
    }
}

extension JSONValue {
    /// What the value is.
    public var kind: JSONKind {
        switch self {
        case .null: .null
        case .bool: .bool
        case .int: .int
        case .uint: .uint
        case .double: .double
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    /// Whether the value is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The boolean; nil for another kind.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The number, where it is an integer that fits an Int64, also when kept as a Double.
    public var int: Int? {
        switch self {
        case .int(let value): value
        case .uint(let value): Int(exactly: value)
        case .double(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The number, where it is an integer that fits a UInt64, also when kept as a Double.
    public var uint: UInt64? {
        switch self {
        case .int(let value): UInt64(exactly: value)
        case .uint(let value): value
        case .double(let value): UInt64(exactly: value)
        default: nil
        }
    }

    /// The number, rounded to the nearest Double where it is a long integer.
    public var double: Double? {
        switch self {
        case .int(let value): Double(value)
        case .uint(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// The text; nil for another kind.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The elements; nil for another kind.
    public var array: [JSONValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// The members; nil for another kind.
    public var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The member with this name; nil where there is none or the value is no object. O(log n).
    public subscript(key: String) -> JSONValue? {
        if case .object(let object) = self { object[key] } else { nil }
    }

    /// The element at an index; nil outside or where the value is no array.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let values) = self, values.indices.contains(index) else { return nil }
        return values[index]
    }

    /// Whether more than `limit` containers nest. O(size), no deeper than `limit`.
    public func isDeeper(than limit: Int) -> Bool {
        switch self {
        case .array(let values):
            return limit <= 0 || values.contains { $0.isDeeper(than: limit - 1) }
        case .object(let object):
            return limit <= 0 || object.contains { $0.value.isDeeper(than: limit - 1) }
        default: return false
        }
    }
}

// No nil literal: `found ? value : nil` would silently be null instead of nothing.
extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An integer.
    public init(integerLiteral value: Int) { self = .int(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A list.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object; of members with the same name the last one counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (key, value) in elements { object[key] = value }
        self = .object(object)
    }
}

extension JSONValue: CustomStringConvertible {
    /// The compact text.
    public var description: String {
        var writer = JSONWriter()
        writer.value(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension Array {
    /// Whether both arrays are the same elements in the same memory: equal without a look.
    @inline(__always)
    func sharesStorage(with other: [Element]) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBufferPointer { a in
            other.withUnsafeBufferPointer { b in a.baseAddress == b.baseAddress }
        }
    }
}
