/// A value that somebody should be shown once: an alert, a notice.
///
/// Observers of a state see only that it became another, so the same alert raised twice would be
/// shown once. This wrapper counts: each assignment of a value raises `count`, also when the value
/// is equal to the one before. Assigning nil takes the value back and counts nothing.
///
///     struct State: Statable, Codable {
///         @PresentState var alert: String?
///     }
///     state.alert = "Count reached 10!"     // {"value":"Count reached 10!","count":1}
///     state.alert = "Count reached 10!"     // {"value":"Count reached 10!","count":2}
///
/// Source: RxCompose, `@PresentState`.
@propertyWrapper
public struct PresentState<Value> {
    /// What is to be shown; nil before the first and after the value was taken back.
    public private(set) var value: Value?
    /// How often a value was assigned. Who remembers the last number shown knows what is new.
    public private(set) var count: Int

    /// Nothing to be shown, or one value that nobody has counted yet.
    public init(wrappedValue: Value? = nil) {
        value = wrappedValue
        count = 0
    }

    /// The value; assigning one counts.
    public var wrappedValue: Value? {
        get { value }
        set {
            value = newValue
            if newValue != nil { count &+= 1 }
        }
    }

    /// The value with its count.
    public var projectedValue: PresentState { self }
}

extension PresentState: Equatable where Value: Equatable {}
extension PresentState: Hashable where Value: Hashable {}
extension PresentState: Sendable where Value: Sendable {}

/// As an object, `{"value":…,"count":n}`; no value is written as null.
extension PresentState: Codable where Value: Codable {
    private enum CodingKeys: String, CodingKey {
        case value, count
    }

    /// Reads the object; a missing value counts as null.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        value = try members.decodeIfPresent(Value.self, forKey: .value)
        count = try members.decode(Int.self, forKey: .count)
    }

    /// Writes the object, the value first.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(value, forKey: .value)
        try members.encode(count, forKey: .count)
    }
}
