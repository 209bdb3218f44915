import Rex

/// A hosted store as the program that hosts it has it: dispatches, reads, watches.
///
///     let lamp = try await server.host("lamp", LampReducer(), initialState: Lamp())
///     try await lamp.dispatch(.flip)
///     for await now in lamp.states() { … now.revision, now.state … }
///
/// It is for any task of the program; everything runs on the server's loop, in one order with what
/// clients ask. A commit of the program is a commit like all others: watchers get its patch at the
/// end of the turn, history lists it, without a sender. It keeps the server alive.
public struct LocalStore<State: Statable, Action: Actionable>: Sendable {
    /// A state and its revision, which belong together.
    public struct Snapshot: Sendable, Equatable {
        /// The number of the commit that made the state; 0 is the initial one.
        public let revision: Int
        /// The state at that revision.
        public let state: State
    }

    /// The store's name on the wire.
    public let name: String
    let server: Server

    /// Has `action` reduced, as `Origin.local`, and returns its revision. Any action may be
    /// dispatched, the store's own types too.
    ///
    /// - Parameter waitForEffects: return only when the effects that end by themselves have ended,
    ///   those of the actions that they dispatch included.
    /// - Throws: what the reducer threw; `ActionAborted` where a hook stopped it; `ServerStopped`.
    @discardableResult
    public func dispatch(_ action: Action, waitForEffects: Bool = false) async throws -> Int {
        try await server.dispatch(action, on: self, waitForEffects: waitForEffects)
    }

    /// The present state with its revision. They are read at one moment; `state` and `revision`,
    /// asked for one after the other, are not.
    public var snapshot: Snapshot {
        get async { await server.snapshot(of: self) }
    }

    /// The present state.
    public var state: State {
        get async { await snapshot.state }
    }

    /// The number of the last commit; 0 is the initial state.
    public var revision: Int {
        get async { await snapshot.revision }
    }

    /// The state of this moment, and the newest one whenever there is a newer: at most one for each
    /// turn of the server, and none is kept for a slow reader, who misses those in between.
    ///
    /// Ends, after the last state, when the server has stopped, and when the task is cancelled.
    public func states() -> States { States(store: self) }

    /// The effects that run, in the order in which they started.
    public var effects: [RunningEffect] {
        get async { await server.effects(of: self) }
    }

    /// Ends every effect with this id and returns how many there were; then the store may
    /// `reconcile`, as after a client's `cancel`. `#7` means the effect without an id that is
    /// listed so.
    @discardableResult
    public func cancelEffect(id: EffectID) async -> Int {
        await server.cancelEffect(id, of: self)
    }
}

extension LocalStore {
    /// The states of a hosted store, conflated: see `LocalStore.states`.
    public struct States: AsyncSequence, Sendable {
        public typealias Element = Snapshot
        public typealias Failure = Never

        let store: LocalStore

        public func makeAsyncIterator() -> Iterator { Iterator(store: store) }

        /// Asks for a newer state each time that it is asked itself, so nothing is buffered.
        public struct Iterator: AsyncIteratorProtocol {
            let store: LocalStore
            private var last: Int?

            init(store: LocalStore) { self.store = store }

            public mutating func next() async -> Snapshot? {
                guard let next = await store.server.snapshot(of: store, after: last) else {
                    return nil
                }
                last = next.revision
                return next
            }
        }
    }
}

/// The server has stopped, or is past taking actions: nothing was done.
public struct ServerStopped: Error, Sendable, Hashable, CustomStringConvertible {
    public var description: String { "the server has stopped" }
}
