import Rex
import RexExamples
import RexTesting
import Testing

struct ChatTypingTests {
    @Test func typingEndsByItself() async throws {
        let chat = try Chat(with: "ann")
        try chat.dispatch(.typing(room: "general"), as: "ann")
        #expect(chat.general?.typing == ["ann"])
        #expect(chat.effects == ["typing:general:ann"])
        #expect(chat.core.runningEffects[0].scope == .client("c-ann"))
        await chat.advance(by: .milliseconds(2_999))
        #expect(chat.clock.sleepers == 1)
        chat.clock.advance(by: .milliseconds(1))
        await chat.listen { chat.general?.typing == [] }
        await chat.listen { chat.effects.isEmpty }
    }

    @Test func typingOnSetsTheClockAnew() async throws {
        let chat = try Chat(with: "ann")
        try chat.dispatch(.typing(room: "general"), as: "ann")
        await chat.advance(by: .seconds(2))
        try chat.dispatch(.typing(room: "general"), as: "ann")
        #expect(chat.general?.typing == ["ann"])
        #expect(chat.core.runningEffects.map(\.fromRevision) == [3])
        chat.clock.advance(by: .seconds(3))
        await chat.listen { chat.effects.isEmpty }
        #expect(chat.general?.typing == [])
        #expect(chat.core.revision == 4)
    }

    @Test func sendingEndsTyping() throws {
        let chat = try Chat(with: "ann", "bob")
        try chat.dispatch(.typing(room: "general"), as: "ann")
        try chat.dispatch(.typing(room: "general"), as: "bob")
        #expect(chat.general?.typing == ["ann", "bob"])
        try chat.dispatch(.send(room: "general", text: "hi"), as: "ann")
        #expect(chat.general?.typing == ["bob"])
        #expect(chat.effects == ["typing:general:bob"])
    }

    @Test func typingIsOfOneRoom() throws {
        let chat = try Chat(with: "ann")
        try chat.dispatch(.join(room: "other", name: "ann"), as: "ann")
        try chat.dispatch(.typing(room: "general"), as: "ann")
        try chat.dispatch(.typing(room: "other"), as: "ann")
        try chat.dispatch(.send(room: "other", text: "hi"), as: "ann")
        #expect(chat.general?.typing == ["ann"])
        #expect(chat.state.rooms["other"]?.typing == [])
        #expect(chat.effects == ["typing:general:ann"])
    }

    @Test func anEndThatComesLateChangesNothing() throws {
        let chat = try Chat(with: "ann")
        let before = chat.state
        try chat.dispatch(.typingEnded(room: "general", name: "ann"), from: .effect("x"))
        try chat.dispatch(.typingEnded(room: "nowhere", name: "ann"), from: .effect("x"))
        #expect(chat.state == before)
    }
}
