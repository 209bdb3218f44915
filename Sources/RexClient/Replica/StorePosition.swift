/// A place in a store's history: a revision of one epoch.
///
/// Two states of one store at the same position are equal (protocol.md §3).
public struct StorePosition: Sendable, Hashable {
    /// Opaque; changes when history cannot be continued.
    public let epoch: String
    /// The number of commits, 0 for the initial state.
    public let revision: Int

    /// A position as `subscribed`, `state` and `welcome` name it.
    public init(epoch: String, revision: Int) {
        self.epoch = epoch
        self.revision = revision
    }
}
