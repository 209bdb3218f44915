import Testing

@testable import Rex

struct TimelineTests {
    @Test func `steps, drops what could be redone, and takes a jump back`() {
        var line = Timeline()
        for revision in 1...3 { line.didCommit(revision) }
        #expect(line.undo() == 2)
        #expect(line.undo() == 1)
        #expect(line.redo() == 2)
        line.didCommit(7)
        #expect(line.redo() == nil)
        #expect(line.undo() == 2)
        line.jump(to: 0)
        #expect(line.present == 0)
        #expect(line.redo() == nil)
        #expect(line.undo() == 2)
        #expect(line.redo() == 0)
    }

    @Test func `reaches the initial state and no further`() {
        var line = Timeline(at: 5)
        line.didCommit(6)
        #expect(line.undo() == 5)
        #expect(line.undo() == nil)
        #expect(line.present == 5)
    }

    @Test func `keeps as many steps as its limit says`() {
        var line = Timeline(limit: 3)
        for revision in 1...1_000 { line.didCommit(revision) }
        #expect(line.revisions == [997, 998, 999, 1_000])
        #expect([line.undo(), line.undo(), line.undo(), line.undo()] == [999, 998, 997, nil])
        #expect(line.redo() == 998)
        line.didCommit(2_000)
        #expect(line.revisions == [997, 998, 2_000])
    }

    @Test func `replays travels`() {
        var line = Timeline()
        line.didCommit(1)
        line.didTravel(Travel(op: .undo, to: 0))
        #expect(line.present == 0)
        line.didTravel(Travel(op: .redo, to: 1))
        #expect(line.present == 1)
        line.didTravel(Travel(op: .jump, to: 0))
        #expect(line.present == 0)
        #expect(line.undoTarget == 1)
    }

    @Test func `comes back as it was saved`() throws {
        var line = Timeline(limit: 4)
        for revision in 1...9 { line.didCommit(revision) }
        _ = line.undo()
        _ = line.undo()
        line.jump(to: 3)
        #expect(try #require(Timeline(line.saved, limit: 4)).revisions == line.revisions)
        _ = line.undo()
        let back = try #require(Timeline(line.saved, limit: 4))
        #expect(back.revisions == line.revisions && back.present == line.present)
        #expect(back.undoTarget == line.undoTarget && back.redoTarget == line.redoTarget)
    }

    /// What is stored may be damaged: no length that it names is believed.
    @Test(
        arguments: [
            ([[0, 1_000_000_000_000]], 500_000_000_000, [499_999_999_997, 500_000_000_003]),
            ([[7, 8], [0, .max - 9]], 2, [7, 3]),
            ([[5, 5]], 0, [5, 5]),
        ] as [([[Int]], Int, [Int])])
    func `keeps its limit of what is saved`(runs: [[Int]], cursor: Int, ends: [Int]) throws {
        let saved = Timeline.Saved(runs: runs, cursor: cursor)
        let line = try #require(Timeline(saved, limit: 3))
        #expect([line.revisions.first, line.revisions.last] == ends.map { $0 })
        #expect(line.revisions.count <= 7)
    }

    @Test(
        arguments: [
            ([[0, .max]], 1), ([[0, 1], [2, .max]], 9), ([[.min, .max]], 0), ([[1, 0]], 0),
            ([[0]], 0), ([[0, 1]], 2), ([[0, 1]], -1), ([[0, 1]], .max), ([], 0),
        ] as [([[Int]], Int)])
    func `refuses what is no timeline`(runs: [[Int]], cursor: Int) {
        #expect(Timeline(Timeline.Saved(runs: runs, cursor: cursor), limit: 3) == nil)
    }
}
