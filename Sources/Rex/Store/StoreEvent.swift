/// An event that a reducer published with `.publish(topic:event)`.
public struct StoreEvent: Sendable {
    /// As the effect named it; whoever carries it further puts the store's name in front.
    public let topic: String
    /// What was published; often `Encodable`.
    public let value: any Sendable
    /// The commit that it came with: the effect's own, where a running effect published it.
    public let revision: Int

    /// An event that came with the commit `revision`.
    public init(topic: String, value: any Sendable, revision: Int) {
        self.topic = topic
        self.value = value
        self.revision = revision
    }
}
