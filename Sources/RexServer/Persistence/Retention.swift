/// How much of a store's past is kept: what is older than any of the bounds goes, from one snapshot
/// to the next.
struct Retention: Sendable, Equatable {
    /// Commits that are kept at most.
    var commits: Int
    /// Bytes of commits that are kept at most, and a quarter of that in snapshots.
    var bytes: Int
    /// How old a commit may be.
    var milliseconds: Int

    init(_ limits: Limits) {
        commits = limits.journalCommits
        bytes = limits.journalBytes
        milliseconds = limits.journalMilliseconds
    }

    /// The oldest snapshot to keep, behind which all commits are: the oldest within all bounds, or
    /// the newest where none is.
    ///
    /// - Parameters:
    ///   - marks: the snapshots that there are, the oldest first; at least one.
    ///   - written: the bytes of all commits ever, up to revision `last`.
    func base(of marks: [SnapshotMark], last: Int, written: Int, now: Int) -> Int {
        let kept = marks.first {
            last - $0.revision <= commits && written - $0.written <= bytes
                && now - $0.milliseconds <= milliseconds
        }
        return kept?.revision ?? marks[marks.count - 1].revision
    }

    /// Snapshots between the oldest and the two newest that are too many: every second one while
    /// they take more than a quarter of the bytes.
    func superfluous(in marks: [SnapshotMark]) -> [Int] {
        let total = marks.reduce(0) { $0 + $1.bytes }
        guard marks.count > 3, total > bytes / 4 else { return [] }
        return marks[1..<(marks.count - 2)].enumerated().compactMap { index, mark in
            index % 2 == 0 ? mark.revision : nil
        }
    }
}
