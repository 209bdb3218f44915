import Rex
import Testing

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
}
