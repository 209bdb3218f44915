import Rex
import RexProtocol

/// What somebody may do. What no rule allows is not allowed.
///
/// A value that never changes; an object, so that to ask it for each frame copies nothing.
final class Permissions: Equatable, Sendable {
    /// The rules of stores by their names; those under `*` hold for all others.
    private let stores: [ExactName: StoreRules]
    /// On which topics they may publish.
    let publish: TopicRule
    /// Which topics they hear.
    let listen: TopicRule
    /// They may see who is connected, and steer every store.
    let isAdmin: Bool
    /// They may read the metrics.
    let readsMetrics: Bool
    private let isEverything: Bool

    /// Nobody was asked who they are, so everybody may do everything.
    static let everything = Permissions(
        isEverything: true, stores: [:], publish: .all, listen: .all, isAdmin: true,
        readsMetrics: true)
    /// Nothing at all: who is not known yet.
    static let none = Permissions(
        stores: [:], publish: .none, listen: .none, isAdmin: false, readsMetrics: false)

    convenience init(
        stores: [ExactName: StoreRules], publish: TopicRule, listen: TopicRule, isAdmin: Bool,
        readsMetrics: Bool
    ) {
        self.init(
            isEverything: false, stores: stores, publish: publish, listen: listen,
            isAdmin: isAdmin, readsMetrics: readsMetrics)
    }

    private init(
        isEverything: Bool, stores: [ExactName: StoreRules], publish: TopicRule, listen: TopicRule,
        isAdmin: Bool, readsMetrics: Bool
    ) {
        self.isEverything = isEverything
        self.stores = stores
        self.publish = publish
        self.listen = listen
        self.isAdmin = isAdmin
        self.readsMetrics = readsMetrics
    }

    static func == (a: Permissions, b: Permissions) -> Bool {
        a === b
            || a.isEverything == b.isEverything && a.stores == b.stores && a.publish == b.publish
                && a.listen == b.listen && a.isAdmin == b.isAdmin
                && a.readsMetrics == b.readsMetrics
    }

    /// What they may do with the store that is under these rules.
    private func rules(_ name: String) -> StoreRules {
        if isEverything { return .everything }
        return stores[ExactName(name)] ?? stores["*"] ?? .none
    }

    // MARK: One question for each kind of request

    /// Whether the store is there for them at all.
    func mayUse(_ store: HostedStore) -> Bool {
        isAdmin || rules(store.ruleName) != .none
    }

    /// Whether they may steer a store: travel, history, effects, forks.
    func checkSteering(_ store: HostedStore) throws(WireError) {
        guard isAdmin || rules(store.ruleName).isAdmin else {
            throw WireError(
                .forbidden, "you may not steer \(store.host.name)",
                at: JSONPointer(tokens: ["op"]))
        }
    }

    /// Whether they may see who is connected.
    func checkClients() throws(WireError) {
        guard isAdmin else {
            throw WireError(
                .forbidden, "you may not see who is connected", at: JSONPointer(tokens: ["op"]))
        }
    }

    /// Leave to dispatch an action of this type.
    ///
    /// - Parameter place: where the action stands in the frame.
    func leave(
        toDispatch type: @autoclosure () -> String, on store: HostedStore, at place: JSONPointer
    ) throws(WireError) -> DispatchLeave {
        if isEverything { return .everything }
        let rules = rules(store.ruleName)
        let type = type()
        guard rules.dispatch.allows(type) else {
            throw WireError(
                .forbidden, "you may not send '\(type.prefix(64))' to \(store.host.name)",
                at: place.appending("type"))
        }
        return DispatchLeave(reads: ReadPlace(path: .root, scope: rules.read))
    }

    /// A place of a store, with what may be read there.
    func place(_ path: JSONPointer, in store: HostedStore) throws(WireError) -> ReadPlace {
        let place = possiblePlace(path, in: store)
        guard !place.scope.isNone else {
            throw WireError(
                .forbidden, "you may not read '\(path)' of \(store.host.name)",
                at: JSONPointer(tokens: ["path"]))
        }
        return place
    }

    /// The same, also where nothing may be read there.
    func possiblePlace(_ path: JSONPointer, in store: HostedStore) -> ReadPlace {
        ReadPlace(path: path, scope: rules(store.ruleName).read.at(path))
    }

    /// The whole of a store, for what tells of all of it at once.
    func whole(of store: HostedStore) throws(WireError) -> ReadPlace {
        let place = possiblePlace(.root, in: store)
        guard place.scope.isAll else {
            throw WireError(.forbidden, "you may not read the whole of \(store.host.name)")
        }
        return place
    }

    /// Whether they may publish on a topic.
    func checkPublishing(on topic: Topic) throws(WireError) {
        guard publish.allows(topic) else {
            throw WireError(
                .forbidden, "you may not publish on \(topic)", at: JSONPointer(tokens: ["topic"]))
        }
    }

    /// Whether anything may come to them under a pattern.
    func checkListening(to pattern: TopicPattern) throws(WireError) {
        guard listen.mayAllow(pattern) else {
            throw WireError(
                .forbidden, "you may not listen to \(pattern)", at: JSONPointer(tokens: ["topic"]))
        }
    }
}

/// What somebody may do with one store.
struct StoreRules: Hashable, Sendable {
    let dispatch: ActionRule
    let read: ReadScope
    /// They may steer it: travel, history, effects, forks.
    let isAdmin: Bool

    static let everything = StoreRules(dispatch: .all, read: .all, isAdmin: true)
    static let none = StoreRules(dispatch: .none, read: .none, isAdmin: false)
}

/// Leave to dispatch one action. Only `Permissions` gives it, so that no way in can forget to ask.
struct DispatchLeave {
    /// What its sender may see of what the action would change.
    let reads: ReadPlace

    fileprivate init(reads: ReadPlace) { self.reads = reads }

    fileprivate static let everything = DispatchLeave(
        reads: ReadPlace(path: .root, scope: .all))
}

/// A place of a state with what may be read there. Only `Permissions` makes one, and without one no
/// host gives anything of its state away.
struct ReadPlace: Hashable {
    let path: JSONPointer
    let scope: ReadScope

    fileprivate init(path: JSONPointer, scope: ReadScope) {
        self.path = path
        self.scope = scope
    }

    /// The epoch as it is said beside what is seen there: two states of one epoch and revision are
    /// equal, so who sees a part has an epoch of that part.
    func epoch(of host: any StoreHost) -> String {
        scope.isAll ? host.epoch : "\(host.epoch)~\(scope.fingerprint)"
    }

    /// The epoch of the store in one that `epoch(of:)` has made.
    static func storeEpoch(in text: String) -> String {
        String(text.prefix { $0 != "~" })
    }
}
