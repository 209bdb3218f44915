import Rex
import Testing

@testable import RexProtocol

@Suite struct ActionCodecTests {
    enum GraphAction: Codable, Equatable, Actionable {
        case pop
        case push(id: String)
    }
    struct Point: Codable, Equatable { var x: Int, y: Int }
    enum Action: WireAction {
        case increment
        case add(Int)
        case send(text: String, room: String)
        case move(Int, Int)
        case graph(GraphAction)
        case select(String?)
        case tags([Int])
        case table([String: Int])
        case point(Point)
        case mixed(Int, label: String)
        case both(Int, Int, label: String)
        case child(id: Int, action: GraphAction)
        case all([GraphAction])
        case only(label: Int)
        case wait(seconds: Int)
        case lists([Int], [Int])
        case patch(JSONPatch)
        case set(path: JSONPointer, value: JSONValue)
        case maybe(GraphAction?)

        static let clientTypes = ["increment", "add", "send", "move", "graph", "select"]
        static let ownTypes = ["connected"]
    }

    static let table: [(Action, String)] = [
        (.increment, #"{"type":"increment"}"#),
        (.add(5), #"{"type":"add","payload":5}"#),
        (
            .send(text: "hi", room: "general"),
            #"{"type":"send","payload":{"text":"hi","room":"general"}}"#
        ),
        (.move(1, 2), #"{"type":"move","payload":[1,2]}"#),
        (.graph(.pop), #"{"type":"graph","payload":{"type":"pop"}}"#),
        (
            .graph(.push(id: "a")),
            #"{"type":"graph","payload":{"type":"push","payload":{"id":"a"}}}"#
        ),
        (.select(nil), #"{"type":"select","payload":null}"#),
        (.select("x"), #"{"type":"select","payload":"x"}"#),
        (.tags([1, 2, 3]), #"{"type":"tags","payload":[1,2,3]}"#),
        (.table(["_0": 1, "b": 2]), #"{"type":"table","payload":{"_0":1,"b":2}}"#),
        (.point(Point(x: 1, y: 2)), #"{"type":"point","payload":{"x":1,"y":2}}"#),
        (.mixed(1, label: "l"), #"{"type":"mixed","payload":{"_0":1,"label":"l"}}"#),
        (.both(1, 2, label: "l"), #"{"type":"both","payload":{"_0":1,"_1":2,"label":"l"}}"#),
        (
            .child(id: 1, action: .pop),
            #"{"type":"child","payload":{"id":1,"action":{"type":"pop"}}}"#
        ),
        (.all([.pop, .pop]), #"{"type":"all","payload":[{"type":"pop"},{"type":"pop"}]}"#),
        (.only(label: 1), #"{"type":"only","payload":{"label":1}}"#),
        (.wait(seconds: 3), #"{"type":"wait","payload":{"seconds":3}}"#),
        (.lists([1], [2]), #"{"type":"lists","payload":[[1],[2]]}"#),
        (
            .patch(JSONPatch([.remove(path: JSONPointer(tokens: ["a"]))])),
            #"{"type":"patch","payload":[{"op":"remove","path":"/a"}]}"#
        ),
        (
            .set(path: JSONPointer(tokens: ["a/b"]), value: ["x": .null]),
            #"{"type":"set","payload":{"path":"/a~1b","value":{"x":null}}}"#
        ),
        (.set(path: .root, value: .null), #"{"type":"set","payload":{"path":"","value":null}}"#),
        (.maybe(.pop), #"{"type":"maybe","payload":{"type":"pop"}}"#),
        (.maybe(nil), #"{"type":"maybe","payload":null}"#),
    ]

    @Test(arguments: table)
    func everyRowBothWays(action: Action, text: String) throws {
        #expect(try ActionCodec.encode(action).description == text)
        #expect(try ActionCodec.decode(Action.self, from: RawJSON(parsing: text)) == action)
        let value = try ActionCodec.value(of: action)
        #expect(try ActionCodec.decode(Action.self, from: value) == action)
    }

    /// What it keeps of one action says nothing of the next, a bad one too.
    @Test func aReaderReadsWhatTheCodecReads() throws {
        let reader = ActionReader<Action>()
        let bad = [
            #"{"type":"add","payload":"x"}"#, #"{"type":"send","payload":{"text":"t"}}"#,
            #"{"type":"graph","payload":{"type":"jump"}}"#, #"{"type":"addd"}"#, #"{"type":5}"#,
            #"{"payload":5}"#, "[]", #"{"type":"move","payload":[1,2,3]}"#,
        ]
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededRandom(seed: seed)
        for _ in 0..<50 {
            for text in (Self.table.map(\.1) + bad).shuffled(using: &random) {
                let raw = try RawJSON(parsing: text)
                let place = JSONPointer(tokens: ["action"])
                let read = raw.withNode { node in
                    Result { () throws(ActionError) in try reader.read(node, at: place) }
                }
                let decoded = Result { () throws(ActionError) in
                    try ActionCodec.decode(Action.self, from: raw, at: place)
                }
                #expect(read == decoded, "seed \(seed)")
            }
        }
    }

    @Test(arguments: [
        (Action.increment, #"{"type":"increment","payload":null}"#),
        (.select(nil), #"{"type":"select"}"#),
        (.add(5), #"{"payload":5.0,"meta":1,"type":"add"}"#),
        (.move(1, 2), #"{"type":"move","payload":{"_0":1,"_1":2}}"#),
    ])
    func otherSpellingsRead(action: Action, text: String) throws {
        #expect(try ActionCodec.decode(Action.self, from: RawJSON(parsing: text)) == action)
    }

    private func failure(_ text: String) throws -> ActionError? {
        let raw = try RawJSON(parsing: text)
        do throws(ActionError) {
            _ = try ActionCodec.decode(Action.self, from: raw, at: JSONPointer(tokens: ["action"]))
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        (#"{"type":"add","payload":"x"}"#, "/action/payload", "expected an integer, got a string"),
        (#"{"type":"add"}"#, "/action/payload", "expected an integer, got nothing"),
        (
            #"{"type":"send","payload":{"text":5,"room":"r"}}"#, "/action/payload/text",
            "expected a string, got an integer"
        ),
        (
            #"{"type":"send","payload":{"text":"t"}}"#, "/action/payload/room",
            "expected a string, got nothing"
        ),
        (#"{"type":"send"}"#, "/action/payload/text", "expected a string, got nothing"),
        (#"{"type":"send","payload":5}"#, "/action/payload", "expected an object, got an integer"),
        (
            #"{"type":"move","payload":[1]}"#, "/action/payload/1",
            "expected an integer, got nothing"
        ),
        (
            #"{"type":"move","payload":[1,2,3]}"#, "/action/payload/2",
            "expected the end of the array, got an integer"
        ),
        (#"{"type":"move","payload":7}"#, "/action/payload", "expected an array, got an integer"),
        (
            #"{"type":"graph","payload":{"type":"push","payload":{"id":[]}}}"#,
            "/action/payload/payload/id", "expected a string, got an array"
        ),
        (
            #"{"type":"graph","payload":{"type":"jump"}}"#, "/action/payload/type",
            "no action has the type 'jump'"
        ),
        (
            #"{"type":"patch","payload":[{"op":"remove","path":"a"}]}"#, "/action/payload/0/path",
            "operation 0: the pointer a does not begin with '/' in 'path'"
        ),
        (
            #"{"type":"set","payload":{"path":"a","value":1}}"#, "/action/payload/path",
            "the pointer a does not begin with '/'"
        ),
        (
            #"{"type":"set","payload":{"path":"/a"}}"#, "/action/payload/value",
            "expected a value, got nothing"
        ),
        (
            #"{"type":"incremnt"}"#, "/action/type",
            "no action has the type 'incremnt'; did you mean 'increment'? "
                + "Known types: increment, add, send, move, graph, select"
        ),
    ])
    func failuresNameThePlace(text: String, at: String, message: String) throws {
        let failure = try failure(text)
        #expect(failure?.at.description == at)
        #expect(failure?.message == message)
        #expect(failure?.code == .badAction)
    }

    @Test(arguments: ["5", "{}", #"{"type":1}"#])
    func whatHasNoTypeIsNoFrame(text: String) throws {
        #expect(try failure(text)?.code == .badFrame)
    }
}
