/// The part of a state that a child reducer keeps, as far as effects are concerned: what the child
/// starts belongs to it, and ends when that part goes.
///
/// Owners nest: an effect is owned along a path, the outermost part first.
struct EffectOwner: Hashable, Sendable {
    private let value: any Hashable & Sendable

    init(_ value: some Hashable & Sendable) {
        self.value = value
    }

    static func == (one: EffectOwner, other: EffectOwner) -> Bool {
        AnyHashable(one.value) == AnyHashable(other.value)
    }

    func hash(into hasher: inout Hasher) {
        value.hash(into: &hasher)
    }
}

/// Where in a parent's state a child's stands: a key path, and an element's id in a collection.
struct ChildPlace<ID: Hashable & Sendable>: Hashable, Sendable {
    let path: any AnyKeyPath & Sendable
    let id: ID

    static func == (one: ChildPlace, other: ChildPlace) -> Bool {
        one.path as AnyKeyPath == other.path as AnyKeyPath && one.id == other.id
    }

    func hash(into hasher: inout Hasher) {
        (path as AnyKeyPath).hash(into: &hasher)
        hasher.combine(id)
    }
}

extension Effect {
    /// What a child returned: the child's own.
    func owned(by owner: EffectOwner) -> Effect {
        if case .send = plan { return self }
        return Effect(plan: .owned(owner, self))
    }
}
