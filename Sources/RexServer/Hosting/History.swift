import FoundationEssentials
import Rex
import RexProtocol

/// The commits of one store that are held, bounded in number and in bytes.
///
/// Commits stand in blocks. Each block keeps the state before its first commit; a state in between
/// is that state with the patches up to it, so what is held grows with the changes and not with the
/// size of the state. The newest states are kept as they are: undo and resume of the last moments
/// cost nothing.
struct History<State: Statable & Codable, Action: WireAction> {
    /// One commit that is held.
    struct Entry {
        let revision: Int
        let time: Date
        let origin: Origin
        let action: Action?
        /// The size of the action's text, for the account of bytes.
        let actionBytes: Int
        let travel: Travel?
        /// The patch of this commit over the whole state; `[]` where nothing changed.
        let patch: RawJSON
    }

    private struct Block {
        let base: State
        let baseRevision: Int
        var entries: [Entry] = []
        var bytes = 0

        /// Those that changed the value at a place; the states are followed by their patches.
        func entries(changing place: JSONPointer?) throws -> [Entry] {
            guard let place else { return entries }
            let patches = try entries.map { try JSONPatch($0.patch.value) }
            guard patches.contains(where: { $0.mayChange(place) }) else { return [] }
            var tree = try JSONCoder.value(of: base)
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
    private var recent: [(revision: Int, state: State)] = []
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
    ///   - state: the state at `revision`, where what is held begins.
    init(state: State, revision: Int, limits: Limits) {
        commitLimit = max(1, limits.historyCommits)
        byteLimit = limits.historyBytes
        blockCommits = min(Self.mostBlockCommits, max(1, commitLimit / 8))
        blocks = [Block(base: state, baseRevision: revision)]
        recent = [(revision, state)]
        measure(state, after: Self.leastMeasuredBytes)
    }

    /// The first revision whose state is still held.
    var firstRevision: Int { blocks[0].baseRevision }

    /// The newest revision.
    var lastRevision: Int { recent[recent.count - 1].revision }

    /// Adds the next commit and lets the oldest go where a bound is reached.
    mutating func append(_ entry: Entry, state: State) {
        precondition(entry.revision == lastRevision + 1, "commits come in order, without gaps")
        let size = Self.entryBytes + entry.actionBytes + entry.patch.bytes.count
        if isFull(blocks.count - 1) {
            blocks.append(Block(base: recent[recent.count - 1].state, baseRevision: lastRevision))
        }
        blocks[blocks.count - 1].entries.append(entry)
        blocks[blocks.count - 1].bytes += size
        commits += 1
        bytes += size
        recent.append((entry.revision, state))
        measure(state, after: entry.patch.bytes.count)
        if recent.count >= 2 * recentLimit {
            recent.removeFirst(recent.count - recentLimit)
        }
        while blocks.count > 1, commits > commitLimit || bytes > byteLimit {
            let gone = blocks.removeFirst()
            commits -= gone.entries.count
            bytes -= gone.bytes
        }
    }

    /// Weighs the state again once as many bytes have changed as it had: O(1) a byte of a patch.
    private mutating func measure(_ state: State, after patchBytes: Int) {
        changedBytes += patchBytes
        guard changedBytes >= max(stateBytes, Self.leastMeasuredBytes) else { return }
        changedBytes = 0
        stateBytes = (try? RawJSON(encoding: state).bytes.count) ?? stateBytes
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
    func state(at revision: Int) throws -> State {
        precondition(
            (firstRevision...lastRevision).contains(revision), "revision \(revision) is not held")
        if let kept = recent.first, revision >= kept.revision {
            return recent[revision - kept.revision].state
        }
        let block = blocks.last { $0.baseRevision <= revision }!
        if block.baseRevision == revision { return block.base }
        var tree = try JSONCoder.value(of: block.base)
        for entry in block.entries.prefix(revision - block.baseRevision) {
            try JSONPatch(entry.patch.value).apply(to: &tree)
        }
        return try JSONCoder.decode(State.self, from: tree)
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
