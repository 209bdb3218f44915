import Foundation
import Rex
import Testing

/// Writes down what its context says.
private struct Diary: Statable {
    var lines: [String] = []
    var time = Date(timeIntervalSince1970: 0)
}

private struct Line: Actionable {
    var count = 1
}

private struct DiaryReducer: ContextReducer {
    func reduce(
        state: inout Diary, action: Line, context: ReducerContext
    ) throws -> [Effect<Line>] {
        if action.count < 0 { throw Refusal("\(context.uniqueID()) refused") }
        for _ in 0..<action.count {
            state.lines.append("\(context.uniqueID()) \(context.origin) \(context.revision)")
        }
        state.time = context.now
        if context.dryRun { state.lines.append("dry") }
        return []
    }
}

struct ReducerContextTests {
    @Test func `ids are fresh, deterministic, and begin again with each revision`() {
        let runs = (1...2).map { _ in
            let core = StoreCore(
                initialState: Diary(), reducer: DiaryReducer(), revision: 41, idPrefix: "f-",
                inbox: { _ in })
            core.dispatch(Line(count: 2), from: .system)
            core.dispatch(Line(count: -1))
            core.dispatch(Line())
            return core.state.lines
        }
        #expect(runs[0] == ["f-42-1 system 42", "f-42-2 system 42", "f-43-1 local 43"])
        #expect(runs[0] == runs[1])
    }

    @Test func `the time is cut to milliseconds, and the commit has the same`() {
        let core = StoreCore(
            initialState: Diary(), reducer: DiaryReducer(),
            now: { Date(timeIntervalSince1970: 1_796_083_200.123_987) }, inbox: { _ in })
        var time: Date?
        core.onCommit = { time = $0.time }
        core.dispatch(Line())
        #expect(core.state.time == Date(timeIntervalSince1970: 1_796_083_200.123))
        #expect(time == core.state.time)
    }

    @Test func `whole milliseconds stay as they are`() {
        for millisecond in 0..<1_000 {
            let date = Date(timeIntervalSince1970: Double(1_796_083_200_000 + millisecond) / 1000)
            #expect(ReducerContext(now: date).now == date)
        }
    }

    @Test func `a dry run says so`() throws {
        let core = StoreCore(
            initialState: Diary(), reducer: DiaryReducer(), inbox: { _ in })
        #expect(try core.dryRun(Line()).get().lines == ["1-1 local 1", "dry"])
    }

    @Test func `a context reducer also reduces without a store`() throws {
        var state = Diary()
        _ = try DiaryReducer().reduce(state: &state, action: Line())
        #expect(state.lines == ["1-1 local 1"])
    }
}
