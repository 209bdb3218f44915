import Rex
import RexExamples
import RexProtocol
import Testing

struct ChatWireTests {
    @Test func everyActionHasItsForm() throws {
        let client = ClientIdentity(id: "c7", user: nil)
        let forms: [(ChatAction, String)] = [
            (
                .join(room: "general", name: "ann"),
                #"{"type":"join","payload":{"room":"general","name":"ann"}}"#
            ),
            (.leave(room: "r"), #"{"type":"leave","payload":{"room":"r"}}"#),
            (.send(room: "r", text: "hi"), #"{"type":"send","payload":{"room":"r","text":"hi"}}"#),
            (.typing(room: "r"), #"{"type":"typing","payload":{"room":"r"}}"#),
            (
                .setTopic(room: "r", topic: "t"),
                #"{"type":"setTopic","payload":{"room":"r","topic":"t"}}"#
            ),
            (
                .edit(room: "r", id: "m1", text: "x"),
                #"{"type":"edit","payload":{"room":"r","id":"m1","text":"x"}}"#
            ),
            (
                .remove(room: "r", id: "m1"),
                #"{"type":"remove","payload":{"room":"r","id":"m1"}}"#
            ),
            (.clear(room: "r"), #"{"type":"clear","payload":{"room":"r"}}"#),
            (.read(room: "r"), #"{"type":"read","payload":{"room":"r"}}"#),
            (
                .graph(.push("room")),
                #"{"type":"graph","payload":{"type":"push","payload":"room"}}"#
            ),
            (
                .connected(client),
                #"{"type":"connected","payload":{"id":"c7","user":null}}"#
            ),
            (
                .disconnected(client),
                #"{"type":"disconnected","payload":{"id":"c7","user":null}}"#
            ),
            (
                .typingEnded(room: "r", name: "ann"),
                #"{"type":"typingEnded","payload":{"room":"r","name":"ann"}}"#
            ),
            (
                .reconcile(clients: ["c7"], effects: []),
                #"{"type":"reconcile","payload":{"clients":["c7"],"effects":[]}}"#
            ),
        ]
        for (action, form) in forms { try expectWire(action, form) }
        let types = try forms.map { try value(Typed.self, $0.1).type }
        #expect(types == ChatAction.clientTypes + ChatAction.ownTypes)
    }

    @Test func theShortcutReadsWhatCodableReads() throws {
        let texts = [
            (#"{"type":"send","payload":{"room":"lobby","text":"h\u00e9 \"you\""}}"#, true),
            (#"{"type":"send","payload":{"text":"","room":"","x":[1]}}"#, true),
            (#"{"type":"send","payload":{"room":"lobby","text":5}}"#, false),
            (#"{"type":"send","payload":{"room":"lobby"}}"#, false),
            (#"{"type":"send","payload":["lobby","hi"]}"#, false),
            (#"{"type":"typing","payload":{"room":"lobby","text":"hi"}}"#, false),
            (#"{"payload":{"room":"lobby","text":"hi"}}"#, false), ("null", false),
        ]
        for (text, isRead) in texts {
            try expectSameDirectly(ChatAction.self, text, isRead: isRead)
        }
    }

    @Test func everyStepOnScreensHasItsForm() throws {
        let forms: [(ChatAction, String)] = [
            (.graph(.pop), #"{"type":"graph","payload":{"type":"pop"}}"#),
            (
                .graph(.popTo("rooms")),
                #"{"type":"graph","payload":{"type":"popTo","payload":"rooms"}}"#
            ),
            (.graph(.popToRoot), #"{"type":"graph","payload":{"type":"popToRoot"}}"#),
        ]
        for (action, form) in forms { try expectWire(action, form) }
    }

    @Test func whatDoesNotDecodeNamesThePlace() throws {
        let text = try actionError(
            ChatAction.self, #"{"type":"send","payload":{"room":"general"}}"#)
        #expect(text?.at == JSONPointer(tokens: ["payload", "text"]))
        let step = try actionError(
            ChatAction.self, #"{"type":"graph","payload":{"type":"jump"}}"#)
        #expect(step?.at == JSONPointer(tokens: ["payload", "type"]))
    }

    @Test func theStateHasItsForm() throws {
        #expect(try text(ChatState()) == #"{"rooms":{},"users":{}}"#)

        let chat = try Chat(with: "bob", "ann")
        try chat.dispatch(.typing(room: "general"), as: "bob")
        try chat.dispatch(.send(room: "general", text: "hi"), as: "ann")
        let form =
            #"{"rooms":{"general":{"topic":"","members":["bob","ann"],"typing":["bob"],"#
            + #""messages":[{"id":"m4-1","from":"ann","text":"hi","#
            + #""at":"2026-11-30T12:00:00.000Z","edited":false}]}},"#
            + #""users":{"ann":{"online":true,"unread":{"general":0},"#
            + #""graph":{"path":["rooms"]},"alert":{"value":null,"count":0},"client":"c-ann"},"#
            + #""bob":{"online":true,"unread":{"general":1},"#
            + #""graph":{"path":["rooms"]},"alert":{"value":null,"count":0},"client":"c-bob"}}}"#
        #expect(try text(chat.state) == form)
    }

    @Test func aStateThatWasReadGoesOn() throws {
        let chat = try Chat(with: "ann", "bob")
        try chat.dispatch(.send(room: "general", text: "@bob"), as: "ann")
        chat.hangUp("bob")
        let read = try value(ChatState.self, text(chat.state))
        #expect(read == chat.state)

        let again = Chat(read, ChatReducer())
        try again.dispatch(.send(room: "general", text: "still ann"), as: "ann")
        #expect(again.general?.messages.last?.from == "ann")
        #expect(again.refusal(of: .read(room: "general"), as: "bob") != nil)
        again.hangUp("ann")
        #expect(again.general?.members == [])
    }

    @Test func aStateInWhichAClientHasTwoNamesIsNotRead() throws {
        let user =
            #"{"online":true,"unread":{},"graph":{"path":["rooms"]},"#
            + #""alert":{"value":null,"count":0},"client":"c1"}"#
        let text = #"{"rooms":{},"users":{"a":\#(user),"b":\#(user)}}"#
        #expect(throws: (any Error).self) { try value(ChatState.self, text) }
        let one = #"{"rooms":{},"users":{"a":\#(user)}}"#
        #expect(try value(ChatState.self, one).users.count == 1)
    }

    @Test func anEventIsTheMessage() throws {
        let chat = try Chat(with: "ann")
        try chat.dispatch(.send(room: "general", text: "hi"), as: "ann")
        let message = try #require(chat.events.first?.value as? any Encodable)
        #expect(
            try text(message)
                == #"{"id":"m2-1","from":"ann","text":"hi","#
                + #""at":"2026-11-30T12:00:00.000Z","edited":false}"#)
    }

    @Test func aHostIsToldWhatToDispatch() {
        let told = Told(ChatAction.self)
        #expect(told.connected == nil)
        #expect(told.disconnected == .some(.disconnected(Told<ChatAction>.client)))
        #expect(told.reconcile == .some(.reconcile(clients: ["c1"], effects: ["x"])))
    }
}
