/// An effect at run time: a task, or several parts that belong together.
final class Strand<Action: Sendable> {
    let number: UInt64
    let id: EffectID?
    let scope: EffectScope
    /// What it is a part of. The way up is strong, the way down goes by number: no cycle.
    private(set) var parent: Strand?
    /// The parts of the state whose it is, the outermost first.
    let owners: [EffectOwner]
    /// Listed and cancellable by itself; otherwise it is only a part of its parent.
    let isListed: Bool
    let fromRevision: Int
    /// On the core's stopwatch.
    let startedAt: Duration
    /// Entered once for as long as the strand lives; nil where nobody waits for its end.
    let group: EffectGroup?
    /// Who waits for its parts. Of those that run at once each is waited for or not by itself; the
    /// steps of a sequence that never ends are not waited for.
    let groupOfParts: EffectGroup?
    let trail: EffectGroup?
    let isLongLived: Bool

    let lease = EffectLease()
    var task: Task<Void, Never>?
    /// Its task follows a sequence from outside.
    var isFollowing = false
    var recover: (@Sendable (any Error) -> Effect<Action>)?
    /// Where it does an effect again when that fails.
    var retry: (effect: Effect<Action>, policy: RetryPolicy<Action>, attempts: Int)?
    /// Asked for more steps when the last has ended.
    var refill: (() -> [Effect<Action>])?
    /// The reminder that it waits for.
    var reminder: EffectID?
    /// Where it holds back what comes too often.
    var window: ThrottleWindow<Action>?
    /// The steps of a sequence that have not started.
    var rest: ArraySlice<Effect<Action>> = []
    var children: Set<UInt64> = []
    var emitted = 0
    /// True while its own task runs, or its parts are being started: it cannot end then.
    var isHeld = false
    var isOver = false

    init(
        number: UInt64, id: EffectID?, isListed: Bool, place: EffectPlace<Action>,
        effect: Effect<Action>, startedAt: Duration
    ) {
        let isLongLived = effect.isLongLived
        self.number = number
        self.id = id
        self.isListed = isListed
        self.startedAt = startedAt
        self.isLongLived = isLongLived
        scope = place.scope
        parent = place.parent
        owners = place.owners
        fromRevision = place.revision
        let isEndless = isLongLived && place.group?.waitsForAll != true
        group = isEndless ? nil : place.group
        groupOfParts = isEndless && !effect.isConcurrent ? nil : place.group
        trail = isLongLived || place.parent != nil ? nil : place.trail
    }

    /// Does no more steps, and counts as ended already.
    func stop() {
        isOver = true
        rest = []
        refill = nil
    }

    /// Makes it a part of something else, of the same owners.
    func move(to other: Strand) {
        parent?.children.remove(number)
        parent = other
        other.children.insert(number)
    }

    /// Belongs to nothing any more: a long row of parts of one another would else be let go of by
    /// as many calls inside one another.
    func letGoOfParent() {
        parent = nil
    }

    /// What it is a part of, where nothing is left of itself but the wait for its own parts: they
    /// may as well be parts of that. So an effect whose last act is to do itself again goes on for
    /// ever without piling up. Nil where it still has something to do, or to be listed for.
    var stand: Strand? {
        guard let parent, !isOver, !isHeld, !parent.isOver, rest.isEmpty, refill == nil,
            retry == nil, window == nil, owners.count == parent.owners.count
        else { return nil }
        if !isListed { return parent }
        return id != nil && id == parent.id && scope == parent.scope ? parent : nil
    }

    /// The listed effect that this is a part of, or itself.
    var listed: Strand {
        var strand = self
        while !strand.isListed, let parent = strand.parent { strand = parent }
        return strand
    }

    /// Every part of the state that it belongs to, itself or by what is around that. Nothing where
    /// what it is a part of belongs to as many: it ends with that.
    var ownerPaths: [[EffectOwner]] {
        let known = parent?.owners.count ?? 0
        if known >= owners.count { return [] }
        return (known + 1...owners.count).map { Array(owners.prefix($0)) }
    }

    /// What takes its place, by its names and those of what it is a part of where it will be a part
    /// of nothing: a long-lived effect, which nobody waits for.
    func named(_ effect: Effect<Action>) -> Effect<Action> {
        guard effect.isLongLived && !isLongLived else { return effect }
        var named = effect
        var strand: Strand? = self
        while let known = strand {
            if known.isListed, let id = known.id { named = named.cancellable(id: id) }
            strand = known.parent
        }
        return named
    }

    /// Its id, or `#<number>`.
    var label: EffectID { id ?? EffectID("#\(number)") }
}

/// Where an effect starts: under what, in which scope, and who waits for it.
struct EffectPlace<Action: Sendable> {
    var parent: Strand<Action>?
    var scope: EffectScope = .store
    var group: EffectGroup?
    var trail: EffectGroup?
    var revision: Int
    var owners: [EffectOwner] = []

    init(revision: Int, group: EffectGroup?, trail: EffectGroup? = nil) {
        self.revision = revision
        self.group = group
        self.trail = trail
    }

    /// A part of `strand`.
    init(inside strand: Strand<Action>) {
        parent = strand
        scope = strand.scope
        owners = strand.owners
        group = strand.groupOfParts
        revision = strand.fromRevision
    }
}

/// The effects that run, by number, by id and by scope. Every way in and out is O(1) for each
/// effect concerned; both directions of each relation change in the same function.
struct EffectTable<Action: Sendable> {
    private(set) var strands: [UInt64: Strand<Action>] = [:]
    private var numbersByID: [EffectID: Set<UInt64>] = [:]
    private var numbersByScope: [EffectScope: Set<UInt64>] = [:]
    private var numbersByOwner: [[EffectOwner]: Set<UInt64>] = [:]

    var count: Int { strands.count }

    subscript(number: UInt64) -> Strand<Action>? { strands[number] }

    mutating func insert(_ strand: Strand<Action>) {
        strands[strand.number] = strand
        strand.parent?.children.insert(strand.number)
        for path in strand.ownerPaths { numbersByOwner[path, default: []].insert(strand.number) }
        guard strand.isListed else { return }
        numbersByScope[strand.scope, default: []].insert(strand.number)
        if let id = strand.id { numbersByID[id, default: []].insert(strand.number) }
    }

    mutating func remove(_ strand: Strand<Action>) {
        strands[strand.number] = nil
        strand.parent?.children.remove(strand.number)
        for path in strand.ownerPaths {
            Self.remove(strand.number, from: path, in: &numbersByOwner)
        }
        guard strand.isListed else { return }
        Self.remove(strand.number, from: strand.scope, in: &numbersByScope)
        if let id = strand.id { Self.remove(strand.number, from: id, in: &numbersByID) }
    }

    private static func remove<Key: Hashable>(
        _ number: UInt64, from key: Key, in index: inout [Key: Set<UInt64>]
    ) {
        index[key]?.remove(number)
        if index[key]?.isEmpty == true { index[key] = nil }
    }

    /// Those with this id in the order in which they started; `#7` finds number 7 if it has none.
    func numbers(withID id: EffectID) -> [UInt64] {
        if let numbers = numbersByID[id] { return numbers.sorted() }
        guard id.rawValue.hasPrefix("#"), let number = UInt64(id.rawValue.dropFirst()),
            let strand = strands[number], strand.isListed, strand.id == nil
        else { return [] }
        return [number]
    }

    /// Those of exactly this scope, in the order in which they started.
    func numbers(in scope: EffectScope) -> [UInt64] {
        numbersByScope[scope]?.sorted() ?? []
    }

    /// Those of this part of the state, the parts within it included, in the order in which they
    /// started.
    func numbers(ownedBy path: [EffectOwner]) -> [UInt64] {
        numbersByOwner[path]?.sorted() ?? []
    }

    /// Those whose end this group waits for, in the order in which they started.
    func numbers(of group: EffectGroup) -> [UInt64] {
        strands.values.filter { $0.group === group }.map(\.number).sorted()
    }

    /// How many tasks are at work or sleep, without those that follow a sequence from outside.
    var workingTasks: Int {
        strands.values.count { $0.task != nil && $0.isHeld && !$0.isFollowing }
    }

    /// Those that are part of nothing, in the order in which they started.
    var roots: [UInt64] {
        strands.values.filter { $0.parent == nil }.map(\.number).sorted()
    }

    /// The listed ones, in the order in which they started.
    var listed: [Strand<Action>] {
        strands.values.filter(\.isListed).sorted { $0.number < $1.number }
    }
}
