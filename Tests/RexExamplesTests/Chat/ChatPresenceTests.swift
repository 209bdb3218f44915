import Rex
import RexExamples
import Testing

struct ChatPresenceTests {
    @Test func whoHasGoneLeavesItsRooms() throws {
        let chat = try Chat(with: "ann", "bob")
        try chat.dispatch(.join(room: "other", name: "ann"), as: "ann")
        for room in ["general", "other"] { try chat.dispatch(.typing(room: room), as: "ann") }
        try chat.dispatch(.typing(room: "general"), as: "bob")
        // Without the host's help: the store itself ends what the client had going.
        try chat.dispatch(.disconnected(ClientIdentity(id: "c-ann")), from: .system)
        #expect(chat.general?.members == ["bob"])
        #expect(chat.general?.typing == ["bob"])
        #expect(chat.state.rooms["other"]?.members == [])
        #expect(chat.state.rooms["other"]?.typing == [])
        #expect(chat.effects == ["typing:general:bob"])
        #expect(chat.user("ann")?.online == false)
        #expect(chat.user("ann")?.client == nil)
        #expect(chat.user("ann")?.unread == [:])
    }

    @Test func whoNeverJoinedComesAndGoesUnseen() throws {
        let chat = try Chat(with: "ann")
        let stranger = ClientIdentity(id: "c-x", user: "ann")
        let actions: [ChatAction] = [.connected(stranger), .disconnected(stranger)]
        for action in actions {
            guard case .unchanged = chat.dispatchIfItChanges(action) else {
                Issue.record("\(action) changed the state")
                return
            }
        }
        #expect(chat.user("ann")?.client == "c-ann")
    }

    @Test func aNameComesBackWithWhatWasWaiting() throws {
        let chat = try Chat(with: "ann", "bob")
        chat.hangUp("ann")
        try chat.dispatch(.send(room: "general", text: "@ann?"), as: "bob")
        try chat.dispatch(.join(room: "general", name: "ann"), from: .client("c-new"))
        #expect(chat.user("ann")?.online == true)
        #expect(chat.user("ann")?.client == "c-new")
        #expect(chat.user("ann")?.alert == "@ann?")
        #expect(chat.general?.members == ["bob", "ann"])
    }

    // MARK: - Reconcile

    @Test func whatIsThereIsLeftAlone() throws {
        let chat = try Chat(with: "ann", "bob")
        try chat.dispatch(.typing(room: "general"), as: "ann")
        let outcome = chat.dispatchIfItChanges(
            .reconcile(clients: ["c-ann", "c-bob", "c-x"], effects: chat.effects))
        guard case .unchanged = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test func aClientThatIsNotThereIsGone() throws {
        let chat = try Chat(with: "ann", "bob")
        try chat.dispatch(.typing(room: "general"), as: "bob")
        _ = chat.dispatchIfItChanges(.reconcile(clients: ["c-ann"], effects: chat.effects))
        #expect(chat.general?.members == ["ann"])
        #expect(chat.general?.typing == [])
        #expect(chat.effects == [])
        #expect(chat.user("bob")?.online == false)
        #expect(chat.user("bob")?.client == nil)
    }

    @Test func typingWithoutItsClockEnds() throws {
        let chat = try Chat(with: "ann", "bob")
        for name in ["ann", "bob"] { try chat.dispatch(.typing(room: "general"), as: name) }
        chat.core.cancelEffect(id: "typing:general:ann")
        _ = chat.dispatchIfItChanges(
            .reconcile(clients: ["c-ann", "c-bob"], effects: chat.effects))
        #expect(chat.general?.typing == ["bob"])
        #expect(chat.general?.members == ["ann", "bob"])
    }

    @Test func anUndoThatBringsSomebodyBackIsPutRight() throws {
        let chat = try Chat(with: "ann", "bob")
        let before = chat.state
        chat.hangUp("bob")
        try chat.dispatch(.join(room: "general", name: "cat"), as: "cat")
        chat.core.travel(to: before, as: Travel(op: .jump, to: 2))
        _ = chat.dispatchIfItChanges(.reconcile(clients: ["c-ann", "c-cat"], effects: []))
        #expect(chat.general?.members == ["ann"])
        #expect(chat.user("bob")?.client == nil)
        #expect(chat.user("cat") == nil)
        // Who came since has no name in the state that was travelled to, and may take one again.
        try chat.dispatch(.join(room: "general", name: "cat"), as: "cat")
        #expect(chat.general?.members == ["ann", "cat"])
    }
}
