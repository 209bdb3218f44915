import Rex
import RexExamples
import Testing

struct ChatMessagesTests {
    @Test func aMessageIsKeptCountedAndTold() throws {
        let chat = try Chat(with: "ann", "bob", "cat")
        try chat.dispatch(.leave(room: "general"), as: "cat")
        try chat.dispatch(.send(room: "general", text: "hi 😀"), as: "ann")
        let message = try #require(chat.general?.messages.first)
        #expect(message.from == "ann")
        #expect(message.text == "hi 😀")
        #expect(message.at == Chat.time)
        #expect(!message.edited)
        #expect(message.id == "m5-1")
        #expect(chat.user("ann")?.unread["general"] == 0)
        #expect(chat.user("bob")?.unread["general"] == 1)
        #expect(chat.user("cat")?.unread["general"] == nil)
        #expect(chat.events.map(\.topic) == ["general"])
        #expect(chat.events.first?.value as? ChatState.Message == message)
        #expect(chat.events.first?.revision == 5)
    }

    @Test func idsDifferAlsoAfterAnUndo() throws {
        let chat = try Chat(with: "ann")
        let empty = chat.state
        try chat.dispatch(.send(room: "general", text: "a"), as: "ann")
        let first = chat.general?.messages.first?.id
        chat.core.travel(to: empty, as: Travel(op: .undo, to: 1))
        try chat.dispatch(.send(room: "general", text: "b"), as: "ann")
        #expect(chat.general?.messages.count == 1)
        #expect(chat.general?.messages.first?.id != first)
    }

    @Test func readingEndsTheCount() throws {
        let chat = try Chat(with: "ann", "bob")
        for _ in 1...3 { try chat.dispatch(.send(room: "general", text: "x"), as: "ann") }
        #expect(chat.user("bob")?.unread["general"] == 3)
        try chat.dispatch(.read(room: "general"), as: "bob")
        #expect(chat.user("bob")?.unread["general"] == 0)
    }

    @Test func aTextHasOneToFourThousandScalars() throws {
        let chat = try Chat(with: "ann")
        let longest = String(repeating: "\u{1F600}", count: ChatLimits.textScalars)
        for bad in ["", longest + "x"] {
            #expect(chat.refusal(of: .send(room: "general", text: bad), as: "ann") != nil)
        }
        #expect(
            chat.refusal(of: .send(room: "general", text: ""), as: "ann")
                == "a text has 1 to 4000 Unicode scalars, got 0")
        try chat.dispatch(.send(room: "general", text: longest), as: "ann")
        let id = try #require(chat.general?.messages.first?.id)
        for bad in ["", longest + "x"] {
            #expect(chat.refusal(of: .edit(room: "general", id: id, text: bad), as: "ann") != nil)
        }
    }

    @Test func ownMessagesAreEditedAndRemoved() throws {
        let chat = try Chat(with: "ann", "bob")
        try chat.dispatch(.send(room: "general", text: "one"), as: "ann")
        try chat.dispatch(.send(room: "general", text: "two"), as: "bob")
        let ids = try #require(chat.general?.messages.map(\.id))
        try chat.dispatch(.edit(room: "general", id: ids[0], text: "uno"), as: "ann")
        #expect(chat.general?.messages.map(\.text) == ["uno", "two"])
        #expect(chat.general?.messages.map(\.edited) == [true, false])
        try chat.dispatch(.remove(room: "general", id: ids[0]), as: "ann")
        #expect(chat.general?.messages.map(\.text) == ["two"])
        #expect(chat.events.count == 2, "only a new message is an event")
    }

    @Test func messagesOfOthersAreLeftAlone() throws {
        let chat = try Chat(with: "ann", "bob")
        try chat.dispatch(.send(room: "general", text: "one"), as: "ann")
        let id = try #require(chat.general?.messages.first?.id)
        let words = "the message '\(id)' is by 'ann', not your own"
        #expect(chat.refusal(of: .edit(room: "general", id: id, text: "x"), as: "bob") == words)
        #expect(chat.refusal(of: .remove(room: "general", id: id), as: "bob") == words)
        #expect(
            chat.refusal(of: .remove(room: "general", id: "m0"), as: "ann")
                == "there is no message 'm0' in 'general'")
        #expect(chat.refusal(of: .edit(room: "general", id: "m0", text: "x"), as: "ann") != nil)
    }

    @Test func aRoomIsCleared() throws {
        let chat = try Chat(with: "ann", "bob")
        try chat.dispatch(.send(room: "general", text: "one"), as: "ann")
        try chat.dispatch(.clear(room: "general"), as: "bob")
        #expect(chat.general?.messages == [])
        #expect(chat.general?.members == ["ann", "bob"])
    }

    // MARK: - Mentions

    @Test func whoIsNamedIsAlerted() throws {
        let chat = try Chat(with: "ann", "bob", "cat")
        try chat.dispatch(.send(room: "general", text: "hi @ann and @bob!"), as: "cat")
        #expect(chat.user("ann")?.alert == "hi @ann and @bob!")
        #expect(chat.user("bob")?.$alert.count == 1)
        #expect(chat.user("cat")?.$alert.count == 0)
        try chat.dispatch(.send(room: "general", text: "hi @ann and @bob!"), as: "cat")
        #expect(chat.user("ann")?.$alert.count == 2, "the same text counts again")
    }

    @Test(arguments: [
        ("@ann", true), ("(@ann)", true), ("@ann's", true), ("@ann.", true), ("@@ann", true),
        ("@ann @ann", true), ("@nobody", false), ("@anna", false), ("@an", false),
        ("x@ann", false), ("ann", false), ("@ ann", false), ("@", false), ("@ANN", false),
    ])
    func aNameStandsForItself(text: String, isNamed: Bool) throws {
        let chat = try Chat(with: "ann", "bob")
        try chat.dispatch(.send(room: "general", text: text), as: "bob")
        #expect(chat.user("ann")?.$alert.count == (isNamed ? 1 : 0))
    }

    @Test func theLongestNameCounts() throws {
        let chat = try Chat(with: "ann", "ann lee", "bob")
        try chat.dispatch(.send(room: "general", text: "@ann lee, come"), as: "bob")
        #expect(chat.user("ann lee")?.$alert.count == 1)
        #expect(chat.user("ann")?.$alert.count == 0)
    }

    @Test func whoIsNotInTheRoomIsAlertedToo() throws {
        let chat = try Chat(with: "ann", "bob")
        chat.hangUp("ann")
        try chat.dispatch(.send(room: "general", text: "@ann?"), as: "bob")
        #expect(chat.user("ann")?.alert == "@ann?")
        #expect(chat.user("ann")?.online == false)
    }

    @Test func anAlertIsShortAndAMessageHasFewOfThem() throws {
        let chat = try Chat(with: "ann", "bob")
        let long = "@ann " + String(repeating: "x", count: ChatLimits.alertScalars)
        try chat.dispatch(.send(room: "general", text: long), as: "bob")
        #expect(chat.user("ann")?.alert?.unicodeScalars.count == ChatLimits.alertScalars)
        #expect(chat.user("ann")?.alert?.hasSuffix("x…") == true)

        let late = String(repeating: "@x ", count: ChatLimits.mentionsPerMessage) + "@ann"
        try chat.dispatch(.send(room: "general", text: late), as: "bob")
        #expect(chat.user("ann")?.$alert.count == 1)
    }
}
