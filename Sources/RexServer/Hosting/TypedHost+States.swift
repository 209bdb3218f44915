import Rex
import RexProtocol

extension TypedHost {
    var snapshot: any StateSnapshot { current }

    func snapshot(at revision: Int) throws(WireError) -> any StateSnapshot {
        if revision == self.revision { return current }
        return try state(at: revision)
    }

    /// The state at a revision that is held.
    func state(at revision: Int) throws(WireError) -> Snapshot {
        guard revision >= 0, revision <= self.revision else {
            throw WireError(
                .notFound, "revision \(revision) does not exist; \(name) is at \(self.revision)")
        }
        if let known = lookedUp.first(where: { $0.revision == revision }) { return known }
        guard revision >= history.firstRevision else { throw notInMemory(revision) }
        do {
            let state = own(try history.state(at: revision))
            keep(state)
            return state
        } catch {
            throw WireError(.internal, "the state at revision \(revision) cannot be read: \(error)")
        }
    }

    func state(in snapshot: any StateSnapshot, at place: ReadPlace) throws(WireError) -> RawJSON {
        let snapshot = own(snapshot)
        return try writing {
            place.scope.isAll
                ? try state(of: snapshot, at: place.path)
                : RawJSON(try visible(in: snapshot, at: place))
        }
    }

    private func state(of snapshot: Snapshot, at path: JSONPointer) throws -> RawJSON {
        if path.tokens.isEmpty { return try written(snapshot).text }
        return try diff.json(of: snapshot.state, at: path) ?? .null
    }

    /// A snapshot with its text; that of the last one is kept.
    private func written(_ snapshot: Snapshot) throws -> WrittenSnapshot<State> {
        if let lastWritten, lastWritten.snapshot === snapshot { return lastWritten }
        let made = try WrittenSnapshot(snapshot)
        lastWritten = made
        return made
    }

    /// How many parts of states are kept: those of places that are followed, which the next commit
    /// is compared with.
    private static var partsLimit: Int { 64 }

    /// The part that may be seen of what is at a place. O(what is there), unless it is kept.
    private func visible(
        in snapshot: Snapshot, at place: ReadPlace, isKept: Bool = false
    ) throws -> JSONValue {
        if let known = parts[place], known.snapshot === snapshot { return known.part }
        let part = place.scope.visible(try state(of: snapshot, at: place.path).value) ?? .null
        if isKept {
            if parts.count >= Self.partsLimit { parts = [:] }
            parts[place] = (snapshot, part)
        }
        return part
    }

    func patch(
        from old: any StateSnapshot, to new: any StateSnapshot, at place: ReadPlace
    ) throws(WireError) -> RawJSON? {
        if old === new { return nil }
        let (old, new) = (own(old), own(new))
        return try writing {
            let whole =
                new === current
                ? presentPatch(from: old, to: new) : try wholePatch(from: old, to: new)
            let patch = try diff.patch(
                at: place.path, of: whole, from: old.state, to: new.state)
            guard patch != nil, !place.scope.isAll else { return patch }
            // What changed may be, in part or all of it, what is not seen.
            let part = JSONPatch.difference(
                from: try visible(in: old, at: place),
                to: try visible(in: new, at: place, isKept: new === current))
            return part.operations.isEmpty ? nil : part.raw
        }
    }

    /// The patch at the root, made once for all places that are followed.
    func wholePatch(from old: Snapshot, to new: Snapshot) throws -> StatePatch {
        if let last = lastPatch, last.old === old, last.new === new { return last.patch }
        let patch = try diff.patch(from: old.state, to: new.state)
        lastPatch = (old, new, patch)
        return patch
    }

    func own(_ snapshot: any StateSnapshot) -> Snapshot {
        guard let snapshot = snapshot as? Snapshot else {
            preconditionFailure("a snapshot of another store was given to \(name)")
        }
        return snapshot
    }

    private func writing<Result>(_ body: () throws -> Result) throws(WireError) -> Result {
        do {
            return try body()
        } catch {
            throw WireError(.internal, "the state of \(name) cannot be written: \(error)")
        }
    }

    func hash(of whole: ReadPlace) throws(WireError) -> String {
        try writing { try written(current).hash }
    }

    // MARK: Time travel

    func travel(_ move: TravelMove, from client: ClientIdentity) throws(WireError) -> Int {
        let (op, target) = try destination(of: move)
        let state = try state(at: target)
        let revision = core.travel(
            to: state.state, as: Travel(op: op, to: target), from: .client(client))
        reconcile()
        return revision
    }

    private func destination(of move: TravelMove) throws(WireError) -> (Travel.Op, Int) {
        switch move {
        case .undo:
            guard let target = timeline.undoTarget else {
                throw WireError(.rejected, "nothing is left to undo")
            }
            return (.undo, target)
        case .redo:
            guard let target = timeline.redoTarget else {
                throw WireError(.rejected, "nothing is left to redo")
            }
            return (.redo, target)
        case .jump(let target): return (.jump, target)
        }
    }

    func fork(as name: String, at revision: Int?) throws(WireError) -> any StoreHost {
        let state = try state(at: revision ?? self.revision).state
        do {
            let fork = try TypedHost(
                name: name, Beginning(state, limits), reducer: reducer, hot: hot, loop: loop,
                limits: limits, authorize: authorize, startsEffects: false,
                idPrefix: "\(name)-")
            // Nobody is present on it and no effect runs, whatever its state says.
            fork.reconcile()
            return fork
        } catch {
            throw WireError(.internal, "\(self.name) cannot be copied: \(error)")
        }
    }

    // MARK: History

    func history(
        _ request: HistoryRequest, seeing whole: ReadPlace
    ) throws(WireError) -> [ServerFrame.Entry] {
        let entries = try history(request)
        if whole.scope.isAll { return entries }
        return entries.map { entry in
            var entry = entry
            entry.patch = entry.patch.map(whole.scope.visible)
            // What an action carries may be about the other part.
            entry.action = entry.action.map(\.typeAlone)
            return entry
        }
    }

    private func history(_ request: HistoryRequest) throws(WireError) -> [ServerFrame.Entry] {
        let limit = min(request.limit, limits.historyEntries)
        if let stored = try storedHistory(request, limit) { return stored }
        if let after = request.after {
            guard after >= history.firstRevision else {
                let first = min(journal?.first ?? .max, history.firstRevision)
                throw WireError(
                    .gone, "commits before \(first + 1) are not held any more",
                    at: JSONPointer(tokens: ["after"]))
            }
        }
        let entries = try writing {
            if let after = request.after {
                return try history.entries(after: after, limit: limit, changing: request.path)
            }
            return try history.newestEntries(limit: limit, changing: request.path)
        }
        return try entries.map(wireEntry)
    }

    func wireEntry(_ entry: History.Entry) throws(WireError) -> ServerFrame.Entry {
        let commit = entry.commit
        do {
            return ServerFrame.Entry(
                rev: commit.revision, at: commit.time,
                action: try commit.actionText ?? commit.action.map { try ActionCodec.encode($0) },
                travel: commit.travel.map { .init(op: $0.op.rawValue, to: $0.to) },
                from: commit.origin.sender, patch: entry.patch)
        } catch {
            throw WireError(
                .internal, "the action of \(commit.revision) cannot be written: \(error)")
        }
    }
}

extension RawJSON {
    /// An action without what it carries.
    fileprivate var typeAlone: RawJSON {
        RawJSON(.object(JSONObject([(key: "type", value: value["type"] ?? .null)])))
    }
}

extension Origin {
    /// As history names it; the store's own and the program's commits have no sender.
    var sender: ServerFrame.Sender? {
        switch self {
        case .client(let client): .client(client)
        case .effect(let id): .effect(id.rawValue)
        case .local, .system: nil
        }
    }
}
