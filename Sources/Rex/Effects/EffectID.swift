/// The name of an effect, by which it is listed and cancelled.
///
/// Several effects of one store may carry the same id; cancelling it ends them all.
///
/// Source: Swift-Rex.
public struct EffectID: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name.
    public let rawValue: String

    /// An id by its name.
    public init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// An id written in code.
    public init(stringLiteral value: String) {
        self.rawValue = value
    }

    /// The name.
    public var description: String { rawValue }
}

/// Whose life an effect shares: when the scope ends, the effect is cancelled.
public enum EffectScope: Hashable, Sendable, CustomStringConvertible {
    /// As long as the store.
    case store
    /// As long as a node of the state graph is mounted.
    case node(String)
    /// As long as a client is there.
    case client(String)

    /// `store`, `node:<id>` or `client:<id>`, as the wire says it.
    public var description: String {
        switch self {
        case .store: "store"
        case .node(let id): "node:\(id)"
        case .client(let id): "client:\(id)"
        }
    }
}
