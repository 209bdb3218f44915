import Rex
import RexExamples
import Testing

struct ChatRoomsTests {
    @Test func joiningMakesTheRoomAndThePerson() throws {
        let chat = try Chat(with: "ann", "bob")
        #expect(chat.general?.members == ["ann", "bob"])
        #expect(chat.general?.topic == "")
        #expect(chat.general?.messages == [])
        #expect(chat.user("ann")?.online == true)
        #expect(chat.user("ann")?.client == "c-ann")
        #expect(chat.user("ann")?.unread == ["general": 0])
        #expect(chat.user("ann")?.graph.activePath == ["rooms"])
        #expect(chat.effects == [])
    }

    @Test func joiningTwiceChangesNothing() throws {
        let chat = try Chat(with: "ann", "bob")
        try chat.dispatch(.send(room: "general", text: "hi"), as: "ann")
        let before = chat.state
        #expect(try chat.dispatch(.join(room: "general", name: "bob"), as: "bob") == before)
    }

    @Test func oneClientIsInManyRooms() throws {
        let chat = try Chat(with: "ann")
        try chat.dispatch(.join(room: "other", name: "ann"), as: "ann")
        #expect(chat.state.rooms["other"]?.members == ["ann"])
        #expect(chat.user("ann")?.unread == ["general": 0, "other": 0])
    }

    @Test func aNameBelongsToOneClient() throws {
        let chat = try Chat(with: "ann")
        #expect(
            chat.refusal(of: .join(room: "general", name: "ann"), as: "eve")
                == "the name 'ann' is taken")
        #expect(
            chat.refusal(of: .join(room: "other", name: "eve"), as: "ann")
                == "you are 'ann' here; a client keeps its name until it goes")
        try chat.dispatch(.leave(room: "general"), as: "ann")
        #expect(chat.refusal(of: .join(room: "general", name: "ann"), as: "eve") != nil)
        chat.hangUp("ann")
        try chat.dispatch(.join(room: "general", name: "ann"), as: "eve")
        #expect(chat.user("ann")?.client == "c-eve")
    }

    @Test func onlyAClientMayAct() throws {
        let chat = try Chat(with: "ann")
        for origin in [Origin.local, .system, .effect("x")] {
            for action in Self.actionsOfAClient {
                #expect(chat.refusal(of: action, from: origin) != nil, "\(action) from \(origin)")
            }
        }
    }

    @Test func onlyAMemberMayActInARoom() throws {
        let chat = try Chat(with: "ann", "bob")
        try chat.dispatch(.leave(room: "general"), as: "bob")
        for action in Self.actionsOfAClient where action != .join(room: "general", name: "ann") {
            if case .graph = action { continue }
            let words = "you are not in 'general'; join it first"
            #expect(chat.refusal(of: action, as: "bob") == words)
            #expect(chat.refusal(of: action, as: "nobody") == words)
        }
        #expect(chat.refusal(of: .leave(room: "nowhere"), as: "ann") != nil)
    }

    static let actionsOfAClient: [ChatAction] = [
        .join(room: "general", name: "ann"), .leave(room: "general"),
        .send(room: "general", text: "x"), .typing(room: "general"),
        .setTopic(room: "general", topic: "x"), .edit(room: "general", id: "m1", text: "x"),
        .remove(room: "general", id: "m1"), .clear(room: "general"), .read(room: "general"),
        .graph(.pop),
    ]

    @Test func leavingTakesOneOut() throws {
        let chat = try Chat(with: "ann", "bob")
        try chat.dispatch(.typing(room: "general"), as: "ann")
        try chat.dispatch(.leave(room: "general"), as: "ann")
        #expect(chat.general?.members == ["bob"])
        #expect(chat.general?.typing == [])
        #expect(chat.effects == [])
        #expect(chat.user("ann")?.unread == [:])
        #expect(chat.user("ann")?.online == true)
    }

    @Test func anEmptyRoomStays() throws {
        let chat = try Chat(with: "ann")
        try chat.dispatch(.send(room: "general", text: "hi"), as: "ann")
        try chat.dispatch(.leave(room: "general"), as: "ann")
        #expect(chat.general?.members == [])
        #expect(chat.general?.messages.count == 1)
    }

    @Test func theTopicIsSet() throws {
        let chat = try Chat(with: "ann")
        try chat.dispatch(.setTopic(room: "general", topic: "tea"), as: "ann")
        #expect(chat.general?.topic == "tea")
        try chat.dispatch(.setTopic(room: "general", topic: ""), as: "ann")
        #expect(chat.general?.topic == "")
        let long = String(repeating: "x", count: ChatLimits.textScalars)
        try chat.dispatch(.setTopic(room: "general", topic: long), as: "ann")
        #expect(chat.refusal(of: .setTopic(room: "general", topic: long + "x"), as: "ann") != nil)
    }

    @Test func equalNamesInOtherBytesAreOne() throws {
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        let chat = Chat(ChatState(), ChatReducer())
        try chat.dispatch(.join(room: composed, name: composed), as: "a")
        #expect(chat.refusal(of: .join(room: "x", name: decomposed), as: "b") != nil)
        chat.hangUp("a")
        try chat.dispatch(.join(room: decomposed, name: decomposed), as: "b")
        try chat.dispatch(.send(room: decomposed, text: "hi"), as: "b")
        let text = try text(chat.state)
        #expect(text.utf8.contains(0xCC) == false, "as it was spelled first, everywhere: \(text)")
        #expect(chat.events.map(\.topic.utf8.count) == [composed.utf8.count])
    }

    // MARK: - Screens

    @Test func screensOpenOneFromAnother() throws {
        let chat = try Chat(with: "ann", "bob")
        try chat.dispatch(.graph(.push("room")), as: "ann")
        try chat.dispatch(.graph(.push("members")), as: "ann")
        #expect(chat.user("ann")?.graph.activePath == ["rooms", "room", "members"])
        #expect(chat.user("bob")?.graph.activePath == ["rooms"], "each has screens of its own")
        try chat.dispatch(.graph(.push("members")), as: "ann")
        #expect(chat.user("ann")?.graph.activePath == ["rooms", "room", "members"])
        try chat.dispatch(.graph(.pop), as: "ann")
        #expect(chat.user("ann")?.graph.activePath == ["rooms", "room"])
        try chat.dispatch(.graph(.push("members")), as: "ann")
        try chat.dispatch(.graph(.popTo("room")), as: "ann")
        #expect(chat.user("ann")?.graph.activePath == ["rooms", "room"])
        try chat.dispatch(.graph(.popToRoot), as: "ann")
        #expect(chat.user("ann")?.graph.activePath == ["rooms"])
    }

    @Test func otherStepsAreRefused() throws {
        let chat = try Chat(with: "ann")
        #expect(
            chat.refusal(of: .graph(.push("kitchen")), as: "ann")
                == "there is no screen 'kitchen'; the screens are rooms, room, members")
        #expect(
            chat.refusal(of: .graph(.push("members")), as: "ann")
                == "'members' does not open from 'rooms'")
        #expect(
            chat.refusal(of: .graph(.popTo("room")), as: "ann")
                == "'room' is not in the path rooms")
        #expect(
            chat.refusal(of: .graph(.pop), as: "nobody")
                == "you have no name here yet; join a room first")
    }
}
