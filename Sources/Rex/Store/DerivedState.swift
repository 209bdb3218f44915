import Synchronization

/// A value that is computed from a state, and again only when something that the computation read
/// has changed.
///
///     let unreadCount = DerivedState<AppState, Int> { state in
///         state.messages.filter { !$0.isRead }.count
///     }
///     unreadCount.value(from: state)
///
/// What it read are the members of the state that the closure names: a change elsewhere in the
/// state costs a look at each of these, however large the state is. Two arrays that are the same in
/// memory are equal without a look at their elements. Copies share what is remembered, and any
/// thread may ask. It keeps the inputs of the last computation.
///
/// Source: Swift-Rex.
public struct DerivedState<State: Statable, Value: Sendable>: Sendable {
    private struct Memory: Sendable {
        let value: Value
        let inputs: [DerivedInput<State>]
    }

    private final class Cache: Sendable {
        let memory = Mutex<Memory?>(nil)
    }

    private let compute: @Sendable (ReadState<State>) -> Value
    private let cache = Cache()

    /// - Parameter compute: a function of the state alone.
    public init(_ compute: @escaping @Sendable (ReadState<State>) -> Value) {
        self.compute = compute
    }

    /// The value for this state: the last one where nothing that it was made of has changed. Costs
    /// a comparison for each member that was read.
    public func value(from state: State) -> Value {
        let last = cache.memory.withLock { $0 }
        if let last, last.inputs.allSatisfy({ $0.isUnchanged(state) }) { return last.value }
        let reading = ReadState(state)
        let value = compute(reading)
        let memory = Memory(value: value, inputs: reading.inputs)
        cache.memory.withLock { $0 = memory }
        return value
    }

    /// Forgets the last value and what it was made of.
    public func invalidate() {
        cache.memory.withLock { $0 = nil }
    }
}

/// Computes something from a state, once, and remembers nothing.
///
/// Source: Swift-Rex.
public func derive<State: Statable, Value>(
    from state: State, _ compute: (State) throws -> Value
) rethrows -> Value {
    try compute(state)
}

/// One member that was read, with the value that it had.
struct DerivedInput<State>: Sendable {
    let isUnchanged: @Sendable (State) -> Bool
}

/// A state that notes which of its members are read. They are read by their names, as those of the
/// state itself; `whole` is all of it.
///
/// Valid only while a `DerivedState` computes.
@dynamicMemberLookup
public struct ReadState<State: Statable> {
    private final class Notes {
        var inputs: [PartialKeyPath<State>: DerivedInput<State>] = [:]
    }

    private let state: State
    private let notes = Notes()

    init(_ state: State) {
        self.state = state
    }

    var inputs: [DerivedInput<State>] { Array(notes.inputs.values) }

    /// A member of the state.
    public subscript<Member: Equatable & Sendable>(
        dynamicMember path: any KeyPath<State, Member> & Sendable
    ) -> Member {
        let value = state[keyPath: path]
        if notes.inputs[path] == nil {
            notes.inputs[path] = DerivedInput { areEqual($0[keyPath: path], value) }
        }
        return value
    }

    /// All of the state: the value is then computed again whenever anything has changed.
    public var whole: State { self[dynamicMember: \State.self] }
}

/// Whether two values are equal; at once where their bytes are, which is so for what shares its
/// storage. Only for value types, whose equal bytes mean equal values.
func areEqual<Value: Equatable>(_ one: Value, _ other: Value) -> Bool {
    let areSame = withUnsafeBytes(of: one) { one in
        withUnsafeBytes(of: other) { other in one.elementsEqual(other) }
    }
    return areSame || one == other
}
