import Rex
import RexExamples
import RexProtocol
import Testing

struct DocumentWireTests {
    @Test func everyActionHasItsForm() throws {
        let forms: [(DocumentAction, String)] = [
            (
                .set(path: "/a/b", value: [1, .null]),
                #"{"type":"set","payload":{"path":"/a/b","value":[1,null]}}"#
            ),
            (.remove(path: "/a~1b"), #"{"type":"remove","payload":{"path":"/a~1b"}}"#),
            (
                .increment(path: "/n", by: DocumentNumber(2)),
                #"{"type":"increment","payload":{"path":"/n","by":2}}"#
            ),
            (
                .append(path: "/l", value: "x"),
                #"{"type":"append","payload":{"path":"/l","value":"x"}}"#
            ),
            (.merge(["a": .null]), #"{"type":"merge","payload":{"a":null}}"#),
            (
                .patch(JSONPatch([.add(path: "/a", value: 1)])),
                #"{"type":"patch","payload":[{"op":"add","path":"/a","value":1}]}"#
            ),
        ]
        for (action, form) in forms { try expectWire(action, form) }
        let types = try forms.map { try value(Typed.self, $0.1).type }
        #expect(types == DocumentAction.clientTypes + DocumentAction.ownTypes)
    }

    @Test func theShortcutReadsWhatCodableReads() throws {
        let texts = [
            (#"{"type":"set","payload":{"path":"/a~1b","value":[1,{"c":null}]}}"#, true),
            (#"{"type":"set","payload":{"value":null,"path":""}}"#, true),
            (#"{"type":"set","payload":{"path":"a","value":1}}"#, false),
            (#"{"type":"set","payload":{"path":"/a~2","value":1}}"#, false),
            (#"{"type":"set","payload":{"path":"/a"}}"#, false),
            (#"{"type":"set","payload":["/a",1]}"#, false), (#"{"type":"set"}"#, false),
            (#"{"type":"increment","payload":{"path":"/n","by":-2}}"#, true),
            (#"{"type":"increment","payload":{"path":"/n","by":2.0}}"#, false),
            (#"{"type":"increment","payload":{"path":"/n","by":18446744073709551615}}"#, false),
            (#"{"type":"increment","payload":{"path":"/n"}}"#, false),
            (#"{"type":"remove","payload":{"path":"/a"}}"#, false), ("7", false),
        ]
        for (text, isRead) in texts {
            try expectSameDirectly(DocumentAction.self, text, isRead: isRead)
        }
    }

    @Test func aValueMayBeNull() throws {
        try expectWire(
            DocumentAction.set(path: "/a", value: .null),
            #"{"type":"set","payload":{"path":"/a","value":null}}"#)
        try expectWire(DocumentAction.merge(.null), #"{"type":"merge","payload":null}"#)
    }

    @Test func numbersAreExact() throws {
        try expectWire(
            DocumentAction.increment(path: "/n", by: DocumentNumber(0.5)),
            #"{"type":"increment","payload":{"path":"/n","by":0.5}}"#)
        try expectWire(
            DocumentAction.set(path: "/n", value: .uint(.max)),
            #"{"type":"set","payload":{"path":"/n","value":18446744073709551615}}"#)
    }

    @Test func whatDoesNotDecodeNamesThePlace() throws {
        let path = try actionError(
            DocumentAction.self, #"{"type":"remove","payload":{"path":"a"}}"#)
        #expect(path?.at == "/payload/path")
        let by = try actionError(
            DocumentAction.self, #"{"type":"increment","payload":{"path":"/a","by":"2"}}"#)
        #expect(by?.at == "/payload/by")
        let value = try actionError(
            DocumentAction.self, #"{"type":"set","payload":{"path":"/a"}}"#)
        #expect(value?.code == .badAction)
    }

    @Test func theStateIsTheValueItself() throws {
        for form in ["{}", "null", "[1,2.5,\"x\"]", #"{"a":{"b":null},"n":18446744073709551615}"#] {
            let state = try value(DocumentState.self, form)
            #expect(try text(state) == form)
        }
        #expect(try text(DocumentState()) == "{}")
    }
}
