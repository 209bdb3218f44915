import FoundationEssentials
import Rex
import RexProtocol

/// The commits of one store that are held, bounded in number and in bytes.
///
/// Commits stand in blocks. Each block keeps the state before its first commit; a state in between
/// is that state with the patches up to it, so what is held grows with the changes and not with the
/// size of the state. The newest states are kept as they are: undo and resume of the last moments
/// cost nothing.
///
/// It knows neither the type of the states nor that of the actions.
struct History {
    /// One commit that is held.
    struct Entry {
        let revision: Int
        let time: Date
        let origin: Origin
        let action: (any WireAction)?
        /// The size of the action's text, for the account of bytes.
        let actionBytes: Int
        let travel: Travel?
        /// The patch of this commit over the whole state; `[]` where nothing changed.
        let patch: RawJSON
        /// The action as a journal holds it, where it was not decoded: then `action` is nil.
        var actionText: RawJSON?
        /// It corrects the commit before it and is no step of the timeline.
        var amends = false

        var bytes: Int { History.entryBytes + actionBytes + patch.bytes.count }
    }

    private struct Block {
        let base: any StateSnapshot
        var baseRevision: Int { base.revision }
        var entries: [Entry] = []
        var bytes = 0

        /// Those that changed the value at a place; the states are followed by their patches.
        func entries(changing place: JSONPointer?) throws -> [Entry] {
            guard let place else { return entries }
            let patches = try entries.map { try JSONPatch($0.patch.value) }
            guard patches.contains(where: { $0.mayChange(place) }) else { return [] }
            var tree = try base.encoded().value
            var value = tree.value(at: place)
            var found: [Entry] = []
            for (entry, patch) in zip(entries, patches) {
                try patch.apply(to: &tree)
                guard patch.mayChange(place) else { continue }
                let next = tree.value(at: place)
                if next != value { found.append(entry) }
                value = next
            }
            return found
        }
    }

    private var blocks: [Block]
    private var recent: [any StateSnapshot]
    /// How many of the newest states are kept as they are: fewer where they are large.
    private var recentLimit = 1
    /// The size of a state's text when it was last weighed, and the bytes of patches since.
    private var stateBytes = 0
    private var changedBytes = 0
    private var commits = 0
    private var bytes = 0
    private let commitLimit: Int
    private let byteLimit: Int
    private let blockCommits: Int

    /// States that are kept as they are.
    private static var recentStates: Int { 128 }
    /// A state is weighed after so many bytes of patches at the soonest.
    private static var leastMeasuredBytes: Int { 4_096 }
    /// What a byte of a state's text takes in memory, at a guess.
    private static var memoryOfText: Int { 4 }
    /// Commits of one block: at most as many patches are applied to find a state.
    private static var mostBlockCommits: Int { 1_024 }
    /// A block is full at this part of the bytes too: only whole blocks are let go.
    private static var blocksOfBytes: Int { 8 }
    /// What an entry takes besides its patch, for the account of bytes.
    private static var entryBytes: Int { 128 }

    /// - Parameters:
    ///   - state: the state where what is held begins.
    init(_ state: any StateSnapshot, limits: Limits) {
        commitLimit = max(1, limits.historyCommits)
        byteLimit = limits.historyBytes
        blockCommits = min(Self.mostBlockCommits, max(1, commitLimit / 8))
        blocks = [Block(base: state)]
        recent = [state]
        measure(state, after: Self.leastMeasuredBytes)
    }

    /// The first revision whose state is still held.
    var firstRevision: Int { blocks[0].baseRevision }

    /// The newest revision.
    var lastRevision: Int { recent[recent.count - 1].revision }

    /// Adds the next commit and lets the oldest go where a bound is reached.
    mutating func append(_ entry: consuming Entry, state: any StateSnapshot) {
        precondition(entry.revision == lastRevision + 1, "commits come in order, without gaps")
        let size = entry.bytes
        let patchBytes = entry.patch.bytes.count
        if isFull(blocks.count - 1) {
            blocks.append(Block(base: recent[recent.count - 1]))
        }
        blocks[blocks.count - 1].entries.append(entry)
        blocks[blocks.count - 1].bytes += size
        commits += 1
        bytes += size
        recent.append(state)
        measure(state, after: patchBytes)
        if recent.count >= 2 * recentLimit {
            recent.removeFirst(recent.count - recentLimit)
        }
        while blocks.count > 1, commits > commitLimit || bytes > byteLimit {
            let gone = blocks.removeFirst()
            commits -= gone.entries.count
            bytes -= gone.bytes
        }
    }

    /// Goes on behind what a journal held: the commits after the revision that this begins at, and
    /// the state behind them. They stand in one block, whose size is bounded where snapshots are
    /// taken.
    mutating func restore(_ entries: [Entry], state: any StateSnapshot) {
        guard !entries.isEmpty else { return }
        blocks[0].entries = entries
        blocks[0].bytes = entries.reduce(0) { $0 + $1.bytes }
        commits = entries.count
        bytes = blocks[0].bytes
        recent = [state]
    }

    /// Drops the commits after a revision that is held.
    mutating func dropAll(after state: any StateSnapshot) {
        let revision = state.revision
        while blocks.count > 1, blocks[blocks.count - 1].baseRevision >= revision {
            drop(blocks[blocks.count - 1].entries.count)
            blocks.removeLast()
        }
        let block = blocks[blocks.count - 1]
        drop(max(0, block.baseRevision + block.entries.count - revision))
        recent.removeAll { $0.revision >= revision }
        recent.append(state)
    }

    /// The bytes that a journal has for the commits after a revision.
    func storedBytes(after revision: Int) -> Int {
        blocks.reduce(0) { sum, block in
            guard block.baseRevision + block.entries.count > revision else { return sum }
            return block.entries.reduce(sum) {
                $1.revision > revision ? $0 + StoredCommit.bytes($1.actionBytes, $1.patch) : $0
            }
        }
    }

    /// Where undo and redo can go by what is held. What was older is not known here any more.
    func timeline(limit: Int) -> Timeline {
        var timeline = Timeline(at: firstRevision, limit: limit)
        for block in blocks {
            for entry in block.entries {
                timeline.replay(entry.revision, entry.travel, amends: entry.amends)
            }
        }
        return timeline
    }

    /// Takes the last entries out of the last block.
    private mutating func drop(_ count: Int) {
        let last = blocks.count - 1
        let size = blocks[last].entries.suffix(count).reduce(0) { $0 + $1.bytes }
        blocks[last].entries.removeLast(count)
        blocks[last].bytes -= size
        commits -= count
        bytes -= size
    }

    /// Weighs the state again once as many bytes have changed as it had: O(1) a byte of a patch.
    private mutating func measure(_ state: any StateSnapshot, after patchBytes: Int) {
        changedBytes += patchBytes
        guard changedBytes >= max(stateBytes, Self.leastMeasuredBytes) else { return }
        changedBytes = 0
        stateBytes = (try? state.encoded().bytes.count) ?? stateBytes
        recentLimit = min(
            Self.recentStates, max(1, byteLimit / (Self.memoryOfText * max(1, stateBytes))))
    }

    private func isFull(_ block: Int) -> Bool {
        blocks[block].entries.count == blockCommits
            || blocks[block].bytes >= byteLimit / Self.blocksOfBytes
    }

    /// Entries after a revision, oldest first, at most `limit`; with a place only those that
    /// changed the value there. O(what is held after the revision), with a place O(state + patches)
    /// more.
    func entries(
        after revision: Int, limit: Int, changing place: JSONPointer? = nil
    ) throws -> [Entry] {
        var found: [Entry] = []
        for block in blocks where block.baseRevision + block.entries.count > revision {
            for entry in try block.entries(changing: place) where entry.revision > revision {
                found.append(entry)
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
            found += try block.entries(changing: place).reversed().prefix(limit - found.count)
        }
        return found.reversed()
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
        for entry in block.entries.prefix(revision - block.baseRevision) {
            try JSONPatch(entry.patch.value).apply(to: &tree)
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
