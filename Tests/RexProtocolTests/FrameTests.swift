import Foundation
import Rex
import Testing

@testable import RexProtocol

@Suite struct FrameTests {
    let parser = JSONParser()

    private func text(_ frame: ClientFrame) -> String {
        var writer = JSONWriter()
        frame.encode(into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Decodes a client's frame and hands it on while it is valid.
    private func read(_ text: String, _ body: (ClientFrame) throws -> Void = { _ in }) throws {
        try parser.withParsed(Array(text.utf8)) { node in try body(ClientFrame.decode(node)) }
    }

    private func error(_ text: String) -> WireError? {
        do {
            try read(text)
            return nil
        } catch {
            return error as? WireError
        }
    }

    @Test(arguments: [
        #"{"op":"hello","id":0,"protocol":1,"token":"t","client":"name/1.2","session":"s","#
            + #""heartbeat_ms":15000}"#,
        #"{"op":"hello","protocol":2}"#,
        #"{"op":"dispatch","id":1,"store":"chat","action":{"type":"x"},"key":"k","expect":41,"#
            + #""await":"durable","dry_run":true,"ack":false}"#,
        #"{"op":"dispatch","id":"a\u00e9","action":{"type":"x","payload":[1,2.50]}}"#,
        #"{"op":"dispatch","id":1,"action":{"type":"x"},"await":"effects"}"#,
        #"{"op":"get","id":2,"store":"chat","path":"/rooms","at":40}"#,
        #"{"op":"subscribe","id":3,"store":"chat","path":"","since":{"epoch":"e","rev":40},"#
            + #""mode":"state","throttle_ms":50}"#,
        #"{"op":"subscribe","id":3,"path":"/a~1b"}"#,
        #"{"op":"subscribe","id":3,"view":"unread","params":{"a":[1]}}"#,
        #"{"op":"unsubscribe","id":4,"sub":"s1"}"#,
        #"{"op":"listen","id":5,"topic":"news.*"}"#,
        #"{"op":"listen","id":5,"topic":"news.*","slow":"close"}"#,
        #"{"op":"subscribe","id":3,"path":"","throttle_ms":50,"slow":"close"}"#,
        #"{"op":"unlisten","id":6,"listen":"t1"}"#,
        #"{"op":"publish","id":7,"topic":"news.sport","data":null}"#,
        #"{"op":"publish","topic":"news.sport","data":{"a":1},"ack":false}"#,
        #"{"op":"effects","id":8,"store":"chat"}"#,
        #"{"op":"cancel","id":9,"store":"chat","effect":"ticker"}"#,
        #"{"op":"undo","id":10,"store":"chat"}"#,
        #"{"op":"redo","id":10}"#,
        #"{"op":"jump","id":10,"store":"chat","rev":17}"#,
        #"{"op":"history","id":11,"store":"chat","after":0,"limit":100,"path":"/rooms"}"#,
        #"{"op":"diff","id":12,"store":"chat","from":10,"to":42,"path":""}"#,
        #"{"op":"fork","id":13,"store":"chat","at":30,"as":"chat-copy"}"#,
        #"{"op":"hash","id":14,"store":"chat"}"#,
        #"{"op":"clients","id":15}"#,
        #"{"op":"ping","id":16}"#,
        #"{"op":"pong"}"#,
        #"{"op":"ping","id":-9223372036854775808}"#,
        #"{"op":"ping","id":1.0}"#,
        #"{"op":"ping","id":-0}"#,
        #"{"op":"ping","id":18446744073709551615}"#,
        #"{"type":"increment","id":3,"store":"counter","key":"k"}"#,
    ])
    func aClientsFrameComesBackAsItWas(frame: String) throws {
        try read(frame) { #expect(text($0) == frame) }
    }

    @Test func everyOpIsDecoded() throws {
        for op in ClientFrame.ops { #expect(error(#"{"op":"\#(op)"}"#)?.code != .unknownOp) }
    }

    @Test func dispatchKeepsTheActionWhereItIs() throws {
        try read(#"{ "op":"dispatch", "id":1, "action": {"type":"add","payload":5} }"#) { frame in
            guard case .dispatch(let dispatch) = frame else {
                Issue.record("\(frame) is no dispatch")
                return
            }
            #expect(dispatch.id == 1)
            #expect(dispatch.store == nil)
            #expect(dispatch.ack)
            #expect(dispatch.actionPlace.description == "/action")
            let node = try #require(dispatch.action.node)
            #expect(String(decoding: node.raw, as: UTF8.self) == #"{"type":"add","payload":5}"#)
        }
    }

    @Test func anActionAloneIsADispatch() throws {
        let text = #"{"type":"increment","id":"x","store":"s","await":"applied","dry_run":true}"#
        try read(text) { frame in
            guard case .dispatch(let dispatch) = frame else {
                Issue.record("\(frame) is no dispatch")
                return
            }
            #expect(dispatch.isBare)
            #expect(dispatch.id == "x")
            #expect(dispatch.store == "s")
            #expect(dispatch.await == .applied)
            #expect(dispatch.dryRun)
            #expect(dispatch.actionPlace == .root)
        }
    }

    @Test func opWinsOverType() throws {
        try read(#"{"type":"increment","op":"ping"}"#) { #expect($0 == .ping(.init())) }
    }

    @Test(
        arguments: [
            ("[]", ErrorCode.badJSON, nil, "expected an object, got an array"),
            ("{}", .badFrame, nil, "a frame needs a member 'op', or 'type' where it is an action"),
            (#"{"op":5}"#, .badFrame, "/op", "expected a string, got an integer"),
            (#"{"op":"pin"}"#, .unknownOp, "/op", "there is no op 'pin'; did you mean 'ping'?"),
            (
                #"{"op":"ping","id":1.5}"#, .badFrame, "/id",
                "expected a string or an integer, got a number"
            ),
            (
                #"{"op":"ping","id":[]}"#, .badFrame, "/id",
                "expected a string or an integer, got an array"
            ),
            (#"{"op":"dispatch"}"#, .badFrame, "/action", "expected an action, got nothing"),
            (
                #"{"op":"dispatch","action":{},"expect":"x"}"#, .badFrame, "/expect",
                "expected an integer from 0, got a string"
            ),
            (
                #"{"op":"dispatch","action":{},"expect":-1}"#, .badFrame, "/expect",
                "expected an integer from 0, got -1"
            ),
            (
                #"{"op":"dispatch","action":{},"await":"never"}"#, .badFrame, "/await",
                "expected 'applied' or 'durable' or 'effects', got 'never'"
            ),
            (
                #"{"op":"dispatch","action":{},"await":"effects"}"#, .badFrame, "/id",
                #""await":"effects" needs an 'id'"#
            ),
            (
                #"{"op":"subscribe","since":{"epoch":"e"}}"#, .badFrame, "/since/rev",
                "expected an integer, got nothing"
            ),
            (
                #"{"op":"subscribe","since":5}"#, .badFrame, "/since",
                "expected an object, got an integer"
            ),
            (
                #"{"op":"subscribe","path":"rooms"}"#, .badFrame, "/path",
                "the pointer rooms does not begin with '/'"
            ),
            (
                #"{"op":"subscribe","path":"","view":"v"}"#, .badFrame, "/view",
                "a subscription has a path or a view, not both"
            ),
            (
                #"{"op":"subscribe","slow":"drop"}"#, .badFrame, "/slow",
                "expected 'merge' or 'close', got 'drop'"
            ),
            (
                #"{"op":"listen","topic":"a","slow":true}"#, .badFrame, "/slow",
                "expected a string, got a boolean"
            ),
            (
                #"{"op":"listen","topic":"a.>.b"}"#, .badTopic, "/topic",
                "'>' stands only at the end of a pattern: 'a.>.b'"
            ),
            (
                #"{"op":"publish","topic":"a.*","data":1}"#, .badTopic, "/topic",
                "a topic that is published has no wildcard: 'a.*'"
            ),
            (#"{"op":"publish","topic":"a"}"#, .badFrame, "/data", "expected a value, got nothing"),
            (#"{"op":"jump"}"#, .badFrame, "/rev", "expected an integer, got nothing"),
            (#"{"op":"fork"}"#, .badFrame, "/as", "expected a string, got nothing"),
            (#"{"op":"undo","store":1}"#, .badFrame, "/store", "expected a string, got an integer"),
        ] as [(String, ErrorCode, String?, String)])
    func aBadFrameSaysWhere(text: String, code: ErrorCode, at: String?, message: String) {
        let error = error(text)
        #expect(error?.code == code)
        #expect(error?.at?.description == at)
        #expect(error?.message == message)
    }

    @Test func theIdOfABadFrameIsKnown() throws {
        try parser.withParsed(Array(#"{"op":"jump","id":"\u0061"}"#.utf8)) { node in
            #expect(FrameID.of(node)?.description == #""\u0061""#)
        }
        try parser.withParsed(Array(#"{"op":"jump","id":{}}"#.utf8)) { node in
            #expect(FrameID.of(node) == nil)
        }
        try parser.withParsed(Array("[1]".utf8)) { #expect(FrameID.of($0) == nil) }
    }

    static let ann = ClientIdentity(id: "c7", user: "ann")
    static let noon = Date(timeIntervalSince1970: 1_796_040_000)
    static var welcome: ServerFrame {
        var frame = ServerFrame.Welcome(id: 0, server: "rex/0.1.0", session: "s", client: ann)
        frame.stores = [.init(name: "chat", epoch: "e", rev: 41)]
        frame.limits = ["frame_bytes": 1_048_576, "depth": 128]
        return .welcome(frame)
    }
    static var dryRun: ServerFrame {
        var frame = ServerFrame.Ack(id: 1, store: "chat", rev: 42)
        frame.dryRun = true
        frame.patch = RawJSON([])
        return .ack(frame)
    }
    static func ack(_ change: (inout ServerFrame.Ack) -> Void) -> ServerFrame {
        var frame = ServerFrame.Ack(id: "x")
        change(&frame)
        return .ack(frame)
    }
    static var own: ServerFrame {
        var frame = ServerFrame.Event(
            listen: "t1", topic: "chat.general", data: RawJSON(["a": 1]), from: .effect("#3"))
        frame.store = "chat"
        frame.rev = 43
        return .event(frame)
    }

    static let server: [(ServerFrame, String)] = [
        (
            welcome,
            #"{"op":"welcome","id":0,"protocol":1,"server":"rex/0.1.0","session":"s","#
                + #""client":"c7","user":"ann","stores":[{"name":"chat","epoch":"e","rev":41}],"#
                + #""limits":{"depth":128,"frame_bytes":1048576}}"#
        ),
        (
            .ack(.init(id: 1, store: "chat", rev: 42)),
            #"{"op":"ack","id":1,"store":"chat","rev":42}"#
        ),
        (.ack(.init(id: nil)), #"{"op":"ack"}"#),
        (
            dryRun,
            #"{"op":"ack","id":1,"store":"chat","rev":42,"dry_run":true,"patch":[]}"#
        ),
        (ack { $0.duplicate = true }, #"{"op":"ack","id":"x","duplicate":true}"#),
        (ack { $0.listeners = 3 }, #"{"op":"ack","id":"x","listeners":3}"#),
        (ack { $0.cancelled = 1 }, #"{"op":"ack","id":"x","cancelled":1}"#),
        (
            .state(
                .init(
                    id: 2, store: "chat", path: JSONPointer(tokens: ["rooms"]), epoch: "e", rev: 40,
                    state: .null)),
            #"{"op":"state","id":2,"store":"chat","path":"/rooms","epoch":"e","rev":40,"#
                + #""state":null}"#
        ),
        (
            .state(
                .init(
                    sub: "s1", store: "chat", path: .root, epoch: "e", rev: 43,
                    state: RawJSON(["a": 1]))),
            #"{"op":"state","sub":"s1","store":"chat","path":"","epoch":"e","rev":43,"#
                + #""state":{"a":1}}"#
        ),
        (
            .subscribed(
                .init(
                    id: 3, sub: "s1", store: "chat", path: .root, epoch: "e", rev: 42,
                    resumed: false, state: .null)),
            #"{"op":"subscribed","id":3,"sub":"s1","store":"chat","path":"","epoch":"e","rev":42,"#
                + #""resumed":false,"state":null}"#
        ),
        (
            .subscribed(
                .init(
                    id: 3, sub: "s1", store: "chat", path: .root, epoch: "e", rev: 42,
                    resumed: true, state: nil)),
            #"{"op":"subscribed","id":3,"sub":"s1","store":"chat","path":"","epoch":"e","rev":42,"#
                + #""resumed":true}"#
        ),
        (
            .patch(.init(sub: "s1", store: "chat", from: 42, rev: 43, patch: RawJSON([]))),
            #"{"op":"patch","sub":"s1","store":"chat","from":42,"rev":43,"patch":[]}"#
        ),
        (
            .listening(.init(id: 5, listen: "t1", topic: "news.*")),
            #"{"op":"listening","id":5,"listen":"t1","topic":"news.*"}"#
        ),
        (
            .event(
                .init(listen: "t1", topic: "news.sport", data: RawJSON("x"), from: .client(ann))),
            #"{"op":"event","listen":"t1","topic":"news.sport","data":"x","#
                + #""from":{"client":"c7","user":"ann"}}"#
        ),
        (
            own,
            #"{"op":"event","listen":"t1","topic":"chat.general","data":{"a":1},"#
                + #""from":{"effect":"#
                + "\"#3\"},\"store\":\"chat\",\"rev\":43}"
        ),
        (
            .effects(
                .init(
                    id: 8, store: "chat",
                    effects: [
                        .init(
                            id: "ticker", scope: "store", fromRev: 12, emitted: 13,
                            ageMilliseconds: 6_021)
                    ])),
            #"{"op":"effects","id":8,"store":"chat","effects":[{"id":"ticker","scope":"store","#
                + #""from_rev":12,"emitted":13,"age_ms":6021}]}"#
        ),
        (
            .history(
                .init(
                    id: 11, store: "chat",
                    entries: [
                        .init(
                            rev: 1, at: noon, action: RawJSON(["type": "x"]), from: .client(ann),
                            patch: RawJSON([])),
                        .init(rev: 2, at: noon, travel: .init(op: "undo", to: 17)),
                    ])),
            #"{"op":"history","id":11,"store":"chat","entries":[{"rev":1,"#
                + #""at":"2026-11-30T12:00:00.000Z","action":{"type":"x"},"#
                + #""from":{"client":"c7","user":"ann"},"patch":[]},{"rev":2,"#
                + #""at":"2026-11-30T12:00:00.000Z","travel":{"op":"undo","to":17}}]}"#
        ),
        (
            .diff(.init(id: 12, store: "chat", from: 10, to: 42, patch: RawJSON([]))),
            #"{"op":"diff","id":12,"store":"chat","from":10,"to":42,"patch":[]}"#
        ),
        (
            .hash(.init(id: 14, store: "chat", rev: 42, hash: "sha256:00")),
            #"{"op":"hash","id":14,"store":"chat","rev":42,"hash":"sha256:00"}"#
        ),
        (
            .clients(
                .init(
                    id: 15,
                    clients: [
                        .init(client: ann, transport: "lines", since: noon),
                        .init(
                            client: .init(id: "c8", user: nil), transport: "lines", since: noon),
                    ])),
            #"{"op":"clients","id":15,"clients":[{"client":"c7","user":"ann","transport":"lines","#
                + #""since":"2026-11-30T12:00:00.000Z"},{"client":"c8","transport":"lines","#
                + #""since":"2026-11-30T12:00:00.000Z"}]}"#
        ),
        (.pong(id: 16), #"{"op":"pong","id":16}"#),
        (.ping(id: nil), #"{"op":"ping"}"#),
        (.dropped(listen: "t1", count: 120), #"{"op":"dropped","listen":"t1","count":120}"#),
        (
            .error(
                id: 1,
                WireError(
                    .badAction, "expected a \"string\"",
                    at: JSONPointer(tokens: ["action", "payload", "text"]))),
            #"{"op":"error","id":1,"code":"bad_action","message":"expected a \"string\"","#
                + #""at":"/action/payload/text"}"#
        ),
        (
            .error(id: nil, WireError(.conflict, "m", rev: 3)),
            #"{"op":"error","code":"conflict","message":"m","rev":3}"#
        ),
        (
            .error(
                id: "k",
                WireError(.rateLimited, "m", retryMilliseconds: 50, duplicate: true)),
            #"{"op":"error","id":"k","code":"rate_limited","message":"m","retry_ms":50,"#
                + #""duplicate":true}"#
        ),
        (
            .bye(.init(.shuttingDown, "m")),
            #"{"op":"bye","code":"shutting_down","message":"m","reconnect":true}"#
        ),
    ]

    @Test(arguments: server)
    func aServersFrameBothWays(frame: ServerFrame, text: String) throws {
        #expect(frame.text == text)
        let read = try parser.withParsed(Array(text.utf8)) { try ServerFrame.decode($0) }
        #expect(read == frame)
    }

    @Test func closesAndReasonsAgree() {
        for code in ErrorCode.allCases {
            #expect((CloseReason(code) != nil) == code.closes)
        }
        #expect(ErrorCode.allCases.count == 21)
        #expect(!CloseReason.unauthorized.reconnect)
        #expect(CloseReason.tooSlow.reconnect)
    }
}
