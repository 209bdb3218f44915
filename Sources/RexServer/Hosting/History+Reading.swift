import Rex
import RexProtocol

/// What is asked of the commits that are held.
extension History {
    /// Entries after a revision, oldest first, at most `limit`; with a place only those that
    /// changed the value there. O(what is held after the revision), with a place O(state + patches)
    /// more.
    func entries(
        after revision: Int, limit: Int, changing place: JSONPointer? = nil
    ) throws -> [Entry] {
        var found: [Entry] = []
        for block in blocks where block.baseRevision + block.entries.count > revision {
            for held in try held(by: block, changing: place)
            where held.commit.revision > revision {
                found.append(try entry(held))
                if found.count == limit { return found }
            }
        }
        return found
    }

    /// The newest entries, oldest first, at most `limit`; with a place only those that changed the
    /// value there.
    func newestEntries(limit: Int, changing place: JSONPointer? = nil) throws -> [Entry] {
        var found: [Entry] = []
        for block in blocks.reversed() where found.count < limit {
            let newest = try held(by: block, changing: place).suffix(limit - found.count)
            found += try newest.reversed().map(entry)
        }
        return found.reversed()
    }

    /// Those of a block that changed the value at a place: the states are followed by their
    /// patches.
    private func held(by block: Block, changing place: JSONPointer?) throws -> [Held] {
        guard let place else { return block.entries }
        let patches = try block.entries.map { try JSONPatch(patch(of: $0).value) }
        guard patches.contains(where: { $0.mayChange(place) }) else { return [] }
        var tree = try block.base.encoded().value
        var value = tree.value(at: place)
        var found: [Held] = []
        for (held, patch) in zip(block.entries, patches) {
            try patch.apply(to: &tree)
            guard patch.mayChange(place) else { continue }
            let next = tree.value(at: place)
            if next != value { found.append(held) }
            value = next
        }
        return found
    }

    /// The state at a revision between `firstRevision` and `lastRevision`.
    ///
    /// At once for the newest ones; otherwise O(state + up to 1,024 patches).
    func state(at revision: Int) throws -> any StateSnapshot {
        precondition(
            (firstRevision...lastRevision).contains(revision), "revision \(revision) is not held")
        if let kept = recent.first, revision >= kept.revision {
            return recent[revision - kept.revision]
        }
        let block = blocks.last { $0.baseRevision <= revision }!
        if block.baseRevision == revision { return block.base }
        var tree = try block.base.encoded().value
        for held in block.entries.prefix(revision - block.baseRevision) {
            try JSONPatch(patch(of: held).value).apply(to: &tree)
        }
        return try block.base.decoded(from: tree, at: revision)
    }
}

extension JSONPatch {
    /// Whether the value at a place may be another one afterwards: an operation stands above it, at
    /// it or below it, or at another element of an array that it goes through.
    fileprivate func mayChange(_ place: JSONPointer) -> Bool {
        operations.contains { operation in
            let path = operation.path
            if path.isPrefix(of: place) || place.isPrefix(of: path) { return true }
            guard let last = path.tokens.last, JSONPointer.index(last) != nil else { return false }
            return JSONPointer(tokens: path.tokens.dropLast()).isPrefix(of: place)
        }
    }
}
