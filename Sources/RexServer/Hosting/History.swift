import FoundationEssentials
import Rex
import RexProtocol

/// The commits of one store that are held, bounded in number and in bytes.
///
/// Commits stand in blocks. Each block keeps the state before its first commit; a state in between
/// is that state with the patches up to it, so what is held grows with the changes and not with the
/// size of the state. The newest states are kept as they are: undo and resume of the last moments
/// cost nothing. Of a small state that is all of them, for it takes no more than its patch would;
/// then a patch is made when somebody asks for it.
///
/// It knows neither the type of the states nor that of the actions.
struct History {
    /// One commit that is held.
    struct Entry {
        let commit: Commit
        /// The patch of this commit over the whole state; `[]` where nothing changed.
        let patch: RawJSON
    }

    /// What a commit says of itself.
    struct Commit {
        let revision: Int
        let time: Date
        let origin: Origin
        let action: (any WireAction)?
        /// The size of the action's text, for the account of bytes.
        let actionBytes: Int
        let travel: Travel?
        /// The action as a journal holds it, where it was not decoded: then `action` is nil.
        var actionText: RawJSON?
        /// About what a journal has for it.
        var storedBytes = 0
        /// It corrects the commit before it and is no step of the timeline.
        var amends = false
    }

    /// A commit whose patch may not be made yet.
    struct Held {
        let commit: Commit
        var patch: RawJSON?

        var patchBytes: Int { patch?.bytes.count ?? 0 }
        var bytes: Int { History.commitBytes + commit.actionBytes + patchBytes }
    }

    struct Block {
        let base: any StateSnapshot
        var baseRevision: Int { base.revision }
        var entries: [Held] = []
        var bytes = 0
    }

    private(set) var blocks: [Block]
    /// The newest states, as they are.
    private(set) var recent: [any StateSnapshot]
    /// How many of the first of them are not needed any more.
    private var passed = 0
    /// How many of the newest states are kept as they are: fewer where they are large.
    private var recentLimit = 1
    /// The size of a state's text when it was last weighed, and the bytes of patches since.
    private var stateBytes = 0
    private var changedBytes = 0
    private var commits = 0
    private var bytes = 0
    /// How much is held.
    var size: (commits: Int, bytes: Int) { (commits, bytes) }
    private let commitLimit: Int
    private let byteLimit: Int
    private let blockCommits: Int
    /// The state at this revision and at all behind it is held, whatever the bounds say: a store
    /// goes back there where what came after it cannot be stored.
    var needed = Int.max
    private let difference: Difference
    /// The cursor of undo and redo as it was where what is held begins.
    private var firstTimeline: Timeline

    /// Finds the patch between two states.
    typealias Difference = (_ old: any StateSnapshot, _ new: any StateSnapshot) throws -> RawJSON

    /// States that are kept as they are...
    private static var recentStates: Int { 128 }
    /// ...but of states whose text is no longer than this, as many as there are commits, in at most
    /// this part of the bytes.
    private static var smallStateBytes: Int { 2_048 }
    private static var partOfSmallStates: Int { 2 }
    /// What a small state may have grown by in a commit whose patch is not made, besides its
    /// action, at a guess.
    private static var unknownPatchBytes: Int { 64 }
    /// States that are let go at a time, and patches that are made for it.
    private static var statesAtOnce: Int { 256 }
    /// The part of the states that are not needed before the others move into their place.
    private static var partToMove: Int { 8 }
    /// What a state takes in memory besides what its text says, at a guess.
    private static var snapshotBytes: Int { 96 }
    /// A state is weighed after so many bytes of patches at the soonest.
    private static var leastMeasuredBytes: Int { 4_096 }
    /// What a byte of a state's text takes in memory, at a guess.
    private static var memoryOfText: Int { 4 }
    /// Commits of one block: at most as many patches are applied to find a state.
    private static var mostBlockCommits: Int { 1_024 }
    /// A block is full at this part of the bytes too: only whole blocks are let go.
    private static var blocksOfBytes: Int { 8 }
    /// What a commit takes besides its action and its patch, for the account of bytes.
    private static var commitBytes: Int { 128 }

    /// - Parameters:
    ///   - state: the state where what is held begins.
    ///   - timeline: the cursor of undo and redo there.
    ///   - difference: makes the patches that were not given.
    init(
        _ state: any StateSnapshot, limits: Limits, timeline: Timeline,
        difference: @escaping Difference
    ) {
        firstTimeline = timeline
        commitLimit = max(1, limits.historyCommits)
        byteLimit = limits.historyBytes
        self.difference = difference
        blockCommits = min(Self.mostBlockCommits, max(1, commitLimit / 8))
        blocks = [Block(base: state)]
        recent = [state]
        measure(state, after: Self.leastMeasuredBytes)
    }

    /// The first revision whose state is still held.
    var firstRevision: Int { blocks[0].baseRevision }

    /// The newest revision.
    var lastRevision: Int { recent[recent.count - 1].revision }

    /// Whether the next commit has to come with its patch: its states are too large to be kept.
    var wantsPatch: Bool { stateBytes > Self.smallStateBytes }

    /// Adds the next commit and lets the oldest go where a bound is reached.
    ///
    /// - Parameters:
    ///   - patch: nil to have it made when it is needed.
    ///   - state: the state behind it.
    /// - Throws: what the making of the patch of an older commit throws.
    mutating func append(
        _ commit: consuming Commit, patch: RawJSON?, state: any StateSnapshot
    ) throws {
        precondition(commit.revision == lastRevision + 1, "commits come in order, without gaps")
        let held = Held(commit: commit, patch: patch)
        let size = held.bytes
        let changed = patch?.bytes.count ?? Self.unknownPatchBytes + held.commit.actionBytes
        if isFull(blocks.count - 1) {
            blocks.append(Block(base: recent[recent.count - 1]))
        }
        blocks[blocks.count - 1].entries.append(held)
        blocks[blocks.count - 1].bytes += size
        commits += 1
        bytes += size
        recent.append(state)
        measure(state, after: changed)
        while blocks.count > 1, commits > commitLimit || bytes > byteLimit,
            blocks[1].baseRevision <= needed
        {
            let gone = blocks.removeFirst()
            firstTimeline.replay(gone)
            commits -= gone.entries.count
            bytes -= gone.bytes
        }
        if recent.count - passed >= recentLimit + min(recentLimit, Self.statesAtOnce) {
            try letStatesGo()
        }
    }

    /// Lets the oldest of the states go that are kept as they are. Whatever was not made of them is
    /// made.
    private mutating func letStatesGo() throws {
        let count = min(recent.count - passed - recentLimit, Self.statesAtOnce)
        let first = recent[0].revision
        // Of a commit that is not held any more, no patch is asked for.
        for index in max(passed, firstRevision - first)..<max(passed + count, firstRevision - first)
        {
            try makePatch(after: first + index)
        }
        passed += count
        // All that follow have to move.
        guard passed >= recent.count / Self.partToMove else { return }
        recent.removeFirst(passed)
        passed = 0
    }

    /// Makes the patch of the commit that follows a revision whose state is kept.
    private mutating func makePatch(after revision: Int) throws {
        guard revision >= firstRevision,
            let block = blocks.lastIndex(where: { $0.baseRevision <= revision })
        else { return }
        let index = revision - blocks[block].baseRevision
        guard blocks[block].entries[index].patch == nil else { return }
        let patch = try patch(of: blocks[block].entries[index])
        blocks[block].entries[index].patch = patch
        blocks[block].bytes += patch.bytes.count
        bytes += patch.bytes.count
    }

    func patch(of held: Held) throws -> RawJSON {
        if let patch = held.patch { return patch }
        let index = held.commit.revision - recent[0].revision
        return try difference(recent[index - 1], recent[index])
    }

    func entry(_ held: Held) throws -> Entry {
        Entry(commit: held.commit, patch: try patch(of: held))
    }

    /// Goes on behind what a journal held: the commits after the revision that this begins at, and
    /// the state behind them. They stand in one block, whose size is bounded where snapshots are
    /// taken.
    mutating func restore(_ entries: [Entry], state: any StateSnapshot) {
        guard !entries.isEmpty else { return }
        blocks[0].entries = entries.map { Held(commit: $0.commit, patch: $0.patch) }
        blocks[0].bytes = blocks[0].entries.reduce(0) { $0 + $1.bytes }
        commits = entries.count
        bytes = blocks[0].bytes
        recent = [state]
        passed = 0
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
        passed = min(passed, recent.count)
        recent.append(state)
    }

    /// The bytes that a journal has for the commits after a revision.
    func storedBytes(after revision: Int) -> Int {
        blocks.reduce(0) { sum, block in
            guard block.baseRevision + block.entries.count > revision else { return sum }
            return block.entries.reduce(sum) {
                $1.commit.revision > revision ? $0 + $1.commit.storedBytes : $0
            }
        }
    }

    /// Where undo and redo can go. O(what is held).
    var timeline: Timeline {
        var timeline = firstTimeline
        for block in blocks { timeline.replay(block) }
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
        if wantsPatch {
            recentLimit = min(
                Self.recentStates, max(1, byteLimit / (Self.memoryOfText * stateBytes)))
        } else {
            let size = Self.snapshotBytes + stateBytes + stateBytes / 2
            recentLimit = min(
                commitLimit + blockCommits, max(1, byteLimit / Self.partOfSmallStates / size))
        }
    }

    private func isFull(_ block: Int) -> Bool {
        blocks[block].entries.count == blockCommits
            || blocks[block].bytes >= byteLimit / Self.blocksOfBytes
    }
}

extension Timeline {
    /// Moves as a commit moves it.
    mutating func replay(_ revision: Int, _ travel: Travel?, amends: Bool) {
        if let travel {
            didTravel(travel)
        } else if amends {
            amend(revision)
        } else {
            didCommit(revision)
        }
    }

    fileprivate mutating func replay(_ block: History.Block) {
        for held in block.entries {
            let commit = held.commit
            replay(commit.revision, commit.travel, amends: commit.amends)
        }
    }
}
