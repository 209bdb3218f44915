/// When an action of a durable store counts as done.
public enum Durability: String, Sendable, CaseIterable {
    /// When it is stored: nothing that shows a commit leaves before the disk has it.
    case sync
    /// When it is reduced; the disk has it at most 100 ms later. Clients may have seen what a crash
    /// takes with it: the store then begins another epoch.
    case async
}
