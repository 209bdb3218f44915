import Foundation
import Rex
import Testing

struct PresentStateTests {
    private struct State: Statable, Codable {
        var title = "x"
        @PresentState var alert: String?
    }

    @Test func startsWithNothing() {
        let state = State()
        #expect(state.alert == nil)
        #expect(state.$alert.count == 0)
    }

    @Test func countsEachAssignmentAlsoOfAnEqualValue() {
        var state = State()
        state.alert = "same"
        let once = state
        state.alert = "same"
        #expect(state.alert == "same")
        #expect(state.$alert.count == 2)
        #expect(state != once)
    }

    @Test func takingBackCountsNothing() {
        var state = State()
        state.alert = "a"
        state.alert = nil
        #expect(state.alert == nil)
        #expect(state.$alert.count == 1)
    }

    @Test func isAnObjectInJSON() throws {
        var state = State()
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let empty = try encoder.encode(state)
        #expect(
            String(decoding: empty, as: UTF8.self)
                == #"{"alert":{"count":0,"value":null},"title":"x"}"#)
        #expect(try JSONDecoder().decode(State.self, from: empty) == state)

        state.alert = "a"
        state.alert = "b"
        let text = try encoder.encode(state)
        #expect(
            String(decoding: text, as: UTF8.self)
                == #"{"alert":{"count":2,"value":"b"},"title":"x"}"#)
        #expect(try JSONDecoder().decode(State.self, from: text) == state)
    }
}
