import RexProtocol

/// A copy of a part of a store's state that follows by patches, and knows when it does not fit.
///
/// A value without a socket: frames in, state out. Every patch must begin at the revision where the
/// replica stands; so a gap or an overlap is noticed and never becomes a wrong state.
public struct Replica: Sendable, Equatable {
    /// Where the replica stands.
    public private(set) var position: ClientFrame.Position
    /// The state at the subscribed path; nil where following began at a position without a state.
    public private(set) var state: JSONValue?

    /// Begins with the answer to a subscription that was not resumed.
    public init(_ subscribed: ServerFrame.Subscribed) {
        position = .init(epoch: subscribed.epoch, rev: subscribed.rev)
        state = subscribed.state?.value
    }

    /// Begins at a position, with the state there or without one.
    public init(at position: ClientFrame.Position, state: JSONValue? = nil) {
        self.position = position
        self.state = state
    }

    /// Goes on with the answer to a subscription with `since`; where it was not resumed, the state
    /// is replaced.
    ///
    /// - Throws: `Misfit` when the server says resumed, but not in this position's epoch.
    public mutating func resume(_ subscribed: ServerFrame.Subscribed) throws(Misfit) {
        guard subscribed.resumed else {
            self = Replica(subscribed)
            return
        }
        guard subscribed.epoch == position.epoch else {
            throw Misfit("resumed in epoch \(subscribed.epoch), but we were in \(position.epoch)")
        }
    }

    /// Applies the changes of a patch frame, all or nothing.
    ///
    /// - Throws: `Misfit` when it begins at another revision or does not apply.
    public mutating func apply(_ patch: ServerFrame.Patch) throws(Misfit) {
        guard patch.from == position.rev, patch.rev >= patch.from else {
            throw Misfit(
                "a patch from \(patch.from) to \(patch.rev), but we are at \(position.rev)")
        }
        if var next = state {
            // The only reference goes along, so that applying copies no more than it changes.
            state = nil
            defer { state = next }
            do throws(PatchError) {
                try JSONPatch(patch.patch.value).apply(to: &next)
            } catch {
                throw Misfit("the patch from \(patch.from) to \(patch.rev): \(error)")
            }
        }
        position.rev = patch.rev
    }

    /// Takes the state of a state frame.
    ///
    /// - Throws: `Misfit` when it is older than what is here already.
    public mutating func replace(_ frame: ServerFrame.State) throws(Misfit) {
        guard frame.epoch != position.epoch || frame.rev >= position.rev else {
            throw Misfit("a state at \(frame.rev), but we are at \(position.rev)")
        }
        position = .init(epoch: frame.epoch, rev: frame.rev)
        state = frame.state.value
    }

    /// The server sent a change that does not follow from what it sent before.
    public struct Misfit: Error, Equatable, CustomStringConvertible {
        /// What came and where the replica stands.
        public let description: String
        init(_ description: String) { self.description = description }
    }
}
