import Rex
import RexExamples
import Testing

struct ChatLimitsTests {
    @Test(arguments: [
        "", "a.b", "*", "a*", ">", "a b", "a\tb", "a\u{0}b", "\u{2003}",
        String(repeating: "é", count: 101),
    ])
    func aRoomsNameIsATokenOfATopic(room: String) {
        let chat = Chat(ChatState(), ChatReducer())
        #expect(chat.refusal(of: .join(room: room, name: "ann"), as: "ann") != nil)
    }

    @Test(arguments: ["a", "$a", "a:b", "räksmörgås", String(repeating: "é", count: 100)])
    func otherRoomsAreFine(room: String) throws {
        let chat = Chat(ChatState(), ChatReducer())
        try chat.dispatch(.join(room: room, name: "ann"), as: "ann")
        #expect(chat.state.rooms.keys.map { $0 } == [room])
    }

    @Test(arguments: [
        "", " ann", "ann ", "a:b", "a\nb", "a\u{7f}", String(repeating: "x", count: 33),
    ])
    func aPersonsNameHasItsBounds(name: String) {
        let chat = Chat(ChatState(), ChatReducer())
        #expect(chat.refusal(of: .join(room: "general", name: name), as: "ann") != nil)
    }

    @Test(arguments: ["a", "ann lee", "@ann", "李", String(repeating: "😀", count: 32)])
    func otherNamesAreFine(name: String) throws {
        let chat = Chat(ChatState(), ChatReducer())
        try chat.dispatch(.join(room: "general", name: name), as: "ann")
        #expect(chat.general?.members == [name])
    }

    @Test func aRoomKeepsItsLastMessages() throws {
        let chat = try Chat(with: "ann")
        for number in 1...ChatLimits.messagesPerRoom + 2 {
            try chat.dispatch(.send(room: "general", text: "\(number)"), as: "ann")
        }
        #expect(chat.general?.messages.count == ChatLimits.messagesPerRoom)
        #expect(chat.general?.messages.first?.text == "3")
        #expect(chat.general?.messages.last?.text == "\(ChatLimits.messagesPerRoom + 2)")
    }

    @Test func aNewRoomTakesThePlaceOfAnEmptyOne() throws {
        let chat = try Chat(with: "ann")
        for number in 2...ChatLimits.rooms {
            try chat.dispatch(.join(room: "r\(number)", name: "ann"), as: "ann")
        }
        #expect(chat.state.rooms.count == ChatLimits.rooms)
        #expect(
            chat.refusal(of: .join(room: "more", name: "ann"), as: "ann")
                == "there are 1000 rooms with people in them, the limit")
        try chat.dispatch(.join(room: "r7", name: "bob"), as: "bob")

        try chat.dispatch(.send(room: "r5", text: "kept a while"), as: "ann")
        for room in ["r5", "r9", "r8"] { try chat.dispatch(.leave(room: room), as: "ann") }
        for room in ["more", "and-more", "yet-more"] {
            try chat.dispatch(.join(room: room, name: "ann"), as: "ann")
        }
        #expect(chat.state.rooms.count == ChatLimits.rooms)
        #expect(chat.state.rooms["r5"] == nil)
        #expect(chat.refusal(of: .join(room: "most", name: "ann"), as: "ann") != nil)
    }

    @Test func theEmptyRoomWithoutMessagesGoesFirst() throws {
        let chat = try Chat(with: "ann")
        for number in 2...ChatLimits.rooms {
            try chat.dispatch(.join(room: "r\(number)", name: "ann"), as: "ann")
        }
        try chat.dispatch(.send(room: "r5", text: "kept"), as: "ann")
        for room in ["r5", "r9", "r8"] { try chat.dispatch(.leave(room: room), as: "ann") }
        try chat.dispatch(.join(room: "x", name: "ann"), as: "ann")
        #expect(chat.state.rooms["r8"] == nil, "no messages, the first by name")
        #expect(chat.state.rooms["r9"] != nil)
        #expect(chat.state.rooms["r5"] != nil)
    }

    @Test func aNewPersonTakesThePlaceOfOneLongGone() throws {
        let users = (1...ChatLimits.users).map { number in
            #""u\#(number)":{"online":true,"unread":{},"graph":{"path":["rooms"]},"#
                + #""alert":{"value":null,"count":0},"client":"c-\#(number)"}"#
        }
        let full = #"{"rooms":{},"users":{\#(users.joined(separator: ","))}}"#
        let chat = Chat(try value(ChatState.self, full), ChatReducer())
        let more = ChatAction.join(room: "r1", name: "more")
        #expect(chat.refusal(of: more, as: "more") == "there are 10000 people here, the limit")
        try chat.dispatch(.join(room: "r1", name: "u1"), as: "1")

        chat.hangUp("77")
        chat.hangUp("33")
        try chat.dispatch(more, as: "more")
        #expect(chat.state.users.count == ChatLimits.users)
        #expect(chat.user("u33") == nil, "offline, the first by name")
        #expect(chat.user("u77")?.online == false)
        #expect(chat.state.rooms["r1"]?.members == ["u1", "more"])
    }
}
