/// A parent's reducer, with a child's at work on each element of a collection.
///
/// The child is asked first, then the parent, which may take elements away. What an element that
/// is gone had started is cancelled. A child's action for an element that is not there is refused.
/// An id that an element cancels is looked for among its own effects.
///
/// Only what the wrapped parent does is seen: wrap the reducer that takes elements away. An action
/// that leaves the collection alone costs nothing here; another compares the ids, O(elements), or,
/// of a `TreeArray` or `TreeMap`, those in the parts that changed.
public struct ForEachReducer<Parent: Reducer, Child: Reducer, ID: Hashable & Sendable, Elements>:
    Reducer
{
    /// The parent's states.
    public typealias State = Parent.State
    /// The parent's actions.
    public typealias Action = Parent.Action

    let parent: Parent
    let child: Child
    let path: any WritableKeyPath<Parent.State, Elements> & Sendable
    let embed: @Sendable (ID, Child.Action) -> Parent.Action
    let extract: @Sendable (Parent.Action) -> (ID, Child.Action)?
    let access: ElementAccess<Elements, Child.State, ID>

    /// Asks both, without a context of its own.
    public func reduce(state: inout State, action: Action) throws -> [Effect<Action>] {
        try _reduce(state: &state, action: action, context: ReducerContext())
    }

    /// Asks both.
    public func _reduce(
        state: inout State, action: Action, context: ReducerContext
    ) throws -> [Effect<Action>] {
        var effects: [Effect<Action>] = []
        if let (id, action) = extract(action) {
            let isThere = try access.change(&state[keyPath: path], id) { element in
                effects = try child._reduce(state: &element, action: action, context: context)
                    .map { effect in
                        effect.map { [embed] in embed(id, $0) }.owned(by: owner(of: id))
                    }
            }
            guard isThere else {
                throw Refusal("\(action): there is nobody to do it, \(path) has no \(id)")
            }
        }
        let before = state[keyPath: path]
        effects += try parent._reduce(state: &state, action: action, context: context)
        let gone = access.idsGone(before, state[keyPath: path])
        if !gone.isEmpty { effects.append(Effect(plan: .endOwned(gone.map(owner)))) }
        return effects
    }

    private func owner(of id: ID) -> EffectOwner {
        EffectOwner(ChildPlace(path: path, id: id))
    }
}

/// How a collection's elements are found by their ids.
struct ElementAccess<Elements, Element, ID: Hashable & Sendable>: Sendable {
    /// Has the element with this id changed; false where there is none.
    let change: @Sendable (inout Elements, ID, (inout Element) throws -> Void) throws -> Bool
    /// The ids of the first that are not in the second.
    let idsGone: @Sendable (Elements, Elements) -> [ID]
}

extension Reducer {
    /// This reducer, with a child's for each element of a collection, by the elements' ids, which
    /// are different and do not change; see `ForEachReducer`. To find an element takes O(elements).
    ///
    /// - Parameters:
    ///   - path: where the collection stands.
    ///   - embed: makes a parent's action of an element's.
    ///   - extract: whose action a parent's is; nil where it is none of the elements'.
    public func forEach<Child: Reducer, Elements: MutableCollection & SendableMetatype>(
        _ path: any WritableKeyPath<State, Elements> & Sendable,
        action embed: @escaping @Sendable (Child.State.ID, Child.Action) -> Action,
        extract: @escaping @Sendable (Action) -> (Child.State.ID, Child.Action)?,
        do child: () -> Child
    ) -> ForEachReducer<Self, Child, Child.State.ID, Elements>
    where
        Elements.Element == Child.State, Elements.Index: SendableMetatype,
        Child.State: Identifiable, Child.State.ID: Sendable
    {
        ForEachReducer(
            parent: self, child: child(), path: path, embed: embed, extract: extract,
            access: ElementAccess(
                change: { elements, id, body in
                    guard let index = elements.firstIndex(where: { $0.id == id })
                    else { return false }
                    try body(&elements[index])
                    return true
                },
                idsGone: { before, after in
                    if isSameStorage(before, after) { return [] }
                    let ids = before.lazy.map(\.id)
                    if ids.elementsEqual(after.lazy.map(\.id)) { return [] }
                    let left = Set(after.lazy.map(\.id))
                    return ids.filter { !left.contains($0) }
                }))
    }

    /// This reducer, with a child's for each value of a dictionary, by its key; see
    /// `ForEachReducer`. To find an element takes O(1).
    public func forEach<Child: Reducer, Key: Hashable & Sendable>(
        _ path: any WritableKeyPath<State, [Key: Child.State]> & Sendable,
        action embed: @escaping @Sendable (Key, Child.Action) -> Action,
        extract: @escaping @Sendable (Action) -> (Key, Child.Action)?, do child: () -> Child
    ) -> ForEachReducer<Self, Child, Key, [Key: Child.State]> {
        ForEachReducer(
            parent: self, child: child(), path: path, embed: embed, extract: extract,
            access: ElementAccess(
                change: { elements, key, body in
                    guard let index = elements.index(forKey: key) else { return false }
                    try body(&elements.values[index])
                    return true
                },
                idsGone: { before, after in
                    before.keys == after.keys ? [] : before.keys.filter { after[$0] == nil }
                }))
    }
}

extension Reducer {
    /// This reducer, with a child's for each element of a list that shares its storage; otherwise
    /// as for any collection. To find an element takes O(elements).
    public func forEach<Child: Reducer>(
        _ path: any WritableKeyPath<State, TreeArray<Child.State>> & Sendable,
        action embed: @escaping @Sendable (Child.State.ID, Child.Action) -> Action,
        extract: @escaping @Sendable (Action) -> (Child.State.ID, Child.Action)?,
        do child: () -> Child
    ) -> ForEachReducer<Self, Child, Child.State.ID, TreeArray<Child.State>>
    where Child.State: Identifiable, Child.State.ID: Sendable {
        ForEachReducer(
            parent: self, child: child(), path: path, embed: embed, extract: extract,
            access: ElementAccess(
                change: { elements, id, body in
                    guard let index = elements.firstIndex(where: { $0.id == id })
                    else { return false }
                    try body(&elements[index])
                    return true
                },
                idsGone: { before, after in
                    // An element that only moved is among those that came.
                    let runs = after.changes(since: before)
                    let left = Set(runs.flatMap { after.elements(in: $0.new) }.map(\.id))
                    return runs.flatMap { before.elements(in: $0.old) }.map(\.id)
                        .filter { !left.contains($0) }
                }))
    }

    /// This reducer, with a child's for each value of a map, by its key; see `ForEachReducer`. To
    /// find an element takes O(log elements).
    public func forEach<Child: Reducer, Key: Comparable & Hashable & Sendable>(
        _ path: any WritableKeyPath<State, TreeMap<Key, Child.State>> & Sendable,
        action embed: @escaping @Sendable (Key, Child.Action) -> Action,
        extract: @escaping @Sendable (Action) -> (Key, Child.Action)?, do child: () -> Child
    ) -> ForEachReducer<Self, Child, Key, TreeMap<Key, Child.State>> {
        ForEachReducer(
            parent: self, child: child(), path: path, embed: embed, extract: extract,
            access: ElementAccess(
                change: { elements, key, body in
                    guard elements.index(forKey: key) != nil else { return false }
                    try body(&elements[key]!)
                    return true
                },
                idsGone: { before, after in
                    var gone: [Key] = []
                    after.forEachChangedKey(since: before) { key, _, new in
                        if new == nil && after.index(forKey: key) == nil { gone.append(key) }
                    }
                    return gone
                }))
    }
}

/// True where two collections certainly are one and the same in memory. O(1): what shares its
/// storage has the same bytes. Of an object that is one and the same nobody knows what it was.
private func isSameStorage<C: Collection>(_ one: C, _ other: C) -> Bool {
    if C.self is AnyObject.Type { return false }
    return withUnsafeBytes(of: one) { one in
        withUnsafeBytes(of: other) { other in one.elementsEqual(other) }
    }
}
