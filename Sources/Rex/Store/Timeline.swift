/// A cursor over the states of a store, by their revisions. It holds numbers only: the owner
/// fetches the state, makes it a commit with `StoreCore.travel`, and only then moves the cursor.
/// `revisions` says which states can still be asked for.
///
/// `undo` and `redo` step the cursor; a jump is one step that `undo` takes back; a new action drops
/// what could be redone. Every call is O(1) amortized.
public struct Timeline: Sendable, Hashable {
    /// How many steps a timeline keeps when it is not told otherwise.
    public static let defaultLimit = 1_000

    /// The most steps that can be undone; older ones are forgotten.
    public let limit: Int
    /// The revisions whose states were the store's, one after the other; `[cursor]` is the present.
    private var stops: [Int]
    private var cursor = 0
    /// Where the kept ones begin: forgetting costs O(1) amortized.
    private var head = 0

    /// - Parameter revision: of the present state. It can be undone to as long as it is kept.
    public init(at revision: Int = 0, limit: Int = Timeline.defaultLimit) {
        precondition(limit > 0, "a timeline needs a limit above 0, not \(limit)")
        self.limit = limit
        stops = [revision]
    }

    /// The revision whose state is the store's.
    public var present: Int { stops[cursor] }

    /// Where `undo` would go; nil when nothing is left to undo.
    public var undoTarget: Int? { cursor > head ? stops[cursor - 1] : nil }

    /// Where `redo` would go; nil when nothing is left to redo.
    public var redoTarget: Int? { cursor + 1 < stops.count ? stops[cursor + 1] : nil }

    /// The kept revisions, the oldest first.
    public var revisions: [Int] { Array(stops[head...]) }

    /// Notes the commit of an action.
    public mutating func didCommit(_ revision: Int) {
        step(to: revision)
    }

    /// Steps back and returns the revision whose state to restore.
    public mutating func undo() -> Int? {
        guard let target = undoTarget else { return nil }
        cursor -= 1
        return target
    }

    /// Takes back an undo and returns the revision whose state to restore.
    public mutating func redo() -> Int? {
        guard let target = redoTarget else { return nil }
        cursor += 1
        return target
    }

    /// Moves to any state: a step of its own, so nothing is left to redo.
    public mutating func jump(to revision: Int) {
        step(to: revision)
    }

    /// Says that the present state is now that of `revision`: a correction of the present stop, not
    /// a step, so what could be redone stays.
    public mutating func amend(_ revision: Int) {
        stops[cursor] = revision
    }

    /// The cursor as it can be stored: the kept revisions as runs of neighbours, and which of them
    /// is the present one.
    public struct Saved: Sendable, Hashable, Codable {
        /// First and last of each run, in order.
        public var runs: [[Int]]
        /// The place of the present one among all.
        public var cursor: Int
    }

    /// What `init(_:limit:)` makes the same timeline of. O(what is kept).
    public var saved: Saved {
        var runs: [[Int]] = []
        for stop in stops[head...] {
            if let last = runs.last, last[1] + 1 == stop {
                runs[runs.count - 1][1] = stop
            } else {
                runs.append([stop, stop])
            }
        }
        return Saved(runs: runs, cursor: cursor - head)
    }

    /// A timeline as it was stored; nil where `saved` is none. Of one that is longer than `limit`
    /// the stops that are so far from the present one are kept, before it and after it. O(what is
    /// kept + runs), whatever a run says of its length.
    public init?(_ saved: Saved, limit: Int = Timeline.defaultLimit) {
        guard limit > 0, (0..<(Int.max - limit)).contains(saved.cursor) else { return nil }
        let first = max(0, saved.cursor - limit)
        let last = saved.cursor + limit
        var stops: [Int] = []
        var place = 0
        for run in saved.runs {
            guard run.count == 2, run[0] <= run[1] else { return nil }
            let (length, isTooLong) = run[1].subtractingReportingOverflow(run[0])
            let (end, isTooFar) = place.addingReportingOverflow(length)
            guard !isTooLong, !isTooFar, end < Int.max else { return nil }
            let start = max(first, place)
            let kept = start..<max(start, min(end, last) + 1)
            stops += kept.lazy.map { run[0] + ($0 - place) }
            place = end + 1
        }
        guard saved.cursor < place else { return nil }
        self.limit = limit
        self.stops = stops
        cursor = saved.cursor - first
    }

    /// Replays a travel, as a journal holds it.
    public mutating func didTravel(_ travel: Travel) {
        switch travel.op {
        case .undo: _ = undo()
        case .redo: _ = redo()
        case .jump: jump(to: travel.to)
        }
    }

    private mutating func step(to revision: Int) {
        if cursor + 1 < stops.count { stops.removeSubrange((cursor + 1)...) }
        stops.append(revision)
        cursor += 1
        // The present and `limit` steps before it.
        if stops.count - head > limit + 1 { head += 1 }
        if head > limit {
            stops.removeSubrange(..<head)
            cursor -= head
            head = 0
        }
    }
}
