import Rex
import RexExamples
import RexProtocol
import Testing

struct DocumentPatchTests {
    private func patch(_ json: String) throws -> DocumentAction {
        try ActionCodec.decode(
            DocumentAction.self, from: RawJSON(parsing: #"{"type":"patch","payload":\#(json)}"#))
    }

    @Test func doesEveryOperation() throws {
        let document = Document(["n": 1])
        try document.dispatch(
            patch(
                #"""
                [{"op":"add","path":"/l","value":[1,2,3,4]},{"op":"remove","path":"/l/0"},
                 {"op":"move","from":"/l/2","path":"/l/0"},{"op":"test","path":"/l/0","value":4},
                 {"op":"replace","path":"/n","value":{"x":2}},
                 {"op":"copy","from":"/n/x","path":"/m"}]
                """#))
        #expect(document.value == ["n": ["x": 2], "m": 2, "l": [4, 2, 3]])
        #expect(document.state == DocumentState(document.value), "its size is kept up to date")
    }

    @Test func isAllOrNothing() throws {
        let document = Document(["n": 1, "l": [1]])
        let words = try document.refusal(
            of: patch(
                #"[{"op":"remove","path":"/n"},{"op":"test","path":"/l","value":5}]"#))
        #expect(words?.hasPrefix("operation 1, test at '/l'") == true)
        #expect(try document.refusal(of: patch(#"[{"op":"remove","path":"/x"}]"#)) != nil)
        #expect(
            try document.refusal(of: patch(#"[{"op":"move","from":"/x","path":"/y"}]"#)) != nil)
    }

    @Test func whatIsNoPatchDoesNotDecode() throws {
        for bad in [
            #"{}"#, #"[{"op":"add","path":"/a"}]"#, #"[{"op":"jump","path":"/a"}]"#,
            #"[{"op":"remove","path":"a"}]"#, #"[{"path":"/a"}]"#,
        ] {
            let error = try actionError(
                DocumentAction.self, #"{"type":"patch","payload":\#(bad)}"#)
            #expect(error?.code == .badAction, "\(bad)")
            #expect(error?.at.tokens.first == "payload", "\(bad)")
        }
    }

    // MARK: - Limits

    @Test func aPatchHasALimit() throws {
        let document = Document([:])
        func adds(_ count: Int) -> String {
            "["
                + (1...count).map { #"{"op":"add","path":"/a","value":\#($0)}"# }
                .joined(separator: ",") + "]"
        }
        #expect(
            try document.refusal(of: patch(adds(DocumentLimits.patchOperations + 1)))
                == "the patch has 1001 operations, the limit is 1000")
        try document.dispatch(patch(adds(DocumentLimits.patchOperations)))
        #expect(document.value == ["a": .int(DocumentLimits.patchOperations)])
    }

    /// Each step puts a copy of the whole into itself: 30 steps make a billion of what was there.
    @Test func copiesOfTheWholeAreRefused() throws {
        let document = Document(["text": .string(String(repeating: "x", count: 1_000))])
        let steps = (1...30).map { #"{"op":"copy","from":"","path":"/a\#($0)"}"# }
        #expect(try document.refusal(of: patch("[\(steps.joined(separator: ","))]")) != nil)
        #expect(document.state.sizeBytes < 2_000)
    }

    /// Each step makes it twice as deep.
    @Test func copiesIntoTheDepthAreRefused() throws {
        let document = Document(["a": .null])
        var path = "/a"
        var steps: [String] = []
        for _ in 1...12 {
            steps.append(#"{"op":"copy","from":"","path":"\#(path)"}"#)
            path += path
        }
        let words = try document.refusal(of: patch("[\(steps.joined(separator: ","))]"))
        #expect(words?.contains("deeper than 120") == true, "\(words ?? "taken")")
    }
}
