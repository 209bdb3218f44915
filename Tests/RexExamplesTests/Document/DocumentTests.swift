import Rex
import RexExamples
import RexProtocol
import Testing

struct DocumentTests {
    @Test func isAnEmptyObjectAtFirst() {
        #expect(DocumentState().value == [:])
    }

    // MARK: - set

    @Test func setMakesMissingParents() throws {
        let document = Document([:])
        try document.dispatch(.set(path: "/a/b/c", value: 1))
        #expect(document.value == ["a": ["b": ["c": 1]]])
        try document.dispatch(.set(path: "/a/0", value: .null))
        #expect(document.value == ["a": ["0": .null, "b": ["c": 1]]])
        try document.dispatch(.set(path: "/a/b", value: [1, 2]))
        try document.dispatch(.set(path: "/a/b/1", value: ["x": true]))
        try document.dispatch(.set(path: "/a/b/1/y/z", value: "deep"))
        #expect(document.value["a"]?["b"] == [1, ["x": true, "y": ["z": "deep"]]])
        try document.dispatch(.set(path: "/~1~0/", value: 0))
        #expect(document.value["/~"] == ["": 0])
    }

    @Test func setOfTheWholeIsAnyValue() throws {
        let document = Document(["a": 1])
        for value: JSONValue in [.null, true, 1.5, "x", [1], ["b": 2]] {
            try document.dispatch(.set(path: "", value: value))
            #expect(document.value == value)
        }
    }

    @Test(arguments: [
        ("/n/x", "'/n' is an integer, so it has no 'x'"),
        ("/l/7", "'/l' is an array of 2, so it has no 7"),
        ("/l/2", "'/l' is an array of 2, so it has no 2"),
        ("/l/-", "'/l' is an array, so it has no '-'"),
        ("/l/01", "'/l' is an array, so it has no '01'"),
        ("/l/-1", "'/l' is an array, so it has no '-1'"),
        ("/l/0/x", "'/l/0' is a string, so it has no 'x'"),
        ("/null/x", "'/null' is null, so it has no 'x'"),
    ])
    func setWhereItDoesNotFitIsRefused(path: JSONPointer, words: String) {
        let document = Document(["n": 1, "l": ["a", "b"], "null": .null])
        #expect(document.refusal(of: .set(path: path, value: 1)) == words)
    }

    @Test func setBelowAScalarDocumentIsRefused() {
        let document = Document("text")
        #expect(
            document.refusal(of: .set(path: "/a", value: 1))
                == "the document is a string, so it has no 'a'")
    }

    // MARK: - remove

    @Test func removeTakesAway() throws {
        let document = Document(["a": ["b": 1, "c": 2], "l": [1, 2, 3]])
        try document.dispatch(.remove(path: "/a/b"))
        try document.dispatch(.remove(path: "/l/0"))
        #expect(document.value == ["a": ["c": 2], "l": [2, 3]])
        try document.dispatch(.remove(path: "/a"))
        #expect(document.value == ["l": [2, 3]])
    }

    @Test(arguments: [
        ("/nowhere", "there is nothing at '/nowhere'"),
        ("/a/b/c", "there is nothing at '/a/b/c'"),
        ("/l/1", "'/l' is an array of 1, so it has no 1"),
        ("/l/0/x", "'/l/0' is an integer, so it has no 'x'"),
        ("", "the whole document cannot be removed, only set to another value"),
    ])
    func removeOfWhatIsNotThereIsRefused(path: JSONPointer, words: String) {
        let document = Document(["a": [:], "l": [1]])
        #expect(document.refusal(of: .remove(path: path)) == words)
    }

    // MARK: - increment

    @Test func incrementAdds() throws {
        let document = Document([
            "n": 2, "f": 0.5, "big": .uint(UInt64(Int.max) + 1), "huge": .uint(.max - 2),
        ])
        try document.dispatch(.increment(path: "/n", by: DocumentNumber(-5)))
        try document.dispatch(.increment(path: "/f", by: DocumentNumber(1)))
        try document.dispatch(.increment(path: "/new/one", by: DocumentNumber(7)))
        try document.dispatch(.increment(path: "/half", by: DocumentNumber(0.5)))
        try document.dispatch(.increment(path: "/big", by: DocumentNumber(-1)))
        try document.dispatch(.increment(path: "/huge", by: DocumentNumber(2)))
        #expect(
            document.value
                == [
                    "n": -3, "f": 1.5, "new": ["one": 7], "half": 0.5, "big": .int(.max),
                    "huge": .uint(.max),
                ])
    }

    @Test func incrementIsExact() throws {
        let document = Document(["n": 9_007_199_254_740_993])
        try document.dispatch(.increment(path: "/n", by: DocumentNumber(1)))
        #expect(document.value["n"] == .int(9_007_199_254_740_994))
    }

    @Test func incrementOfWhatIsNoNumberIsRefused() {
        let document = Document(["s": "1", "l": [], "null": .null, "t": true])
        for (path, words) in [
            ("/s", "a string"), ("/l", "an array"), ("/null", "null"), ("/t", "a boolean"),
        ] as [(JSONPointer, String)] {
            #expect(
                document.refusal(of: .increment(path: path, by: DocumentNumber(1)))
                    == "'\(path)' is \(words), not a number")
        }
        #expect(
            document.refusal(of: .increment(path: "", by: DocumentNumber(1)))
                == "the document is an object, not a number")
    }

    @Test func incrementPastTheEndIsRefused() {
        let document = Document([
            "n": 2, "huge": .uint(.max - 1), "f": 1.7e308, "min": .int(.min),
        ])
        #expect(
            document.refusal(of: .increment(path: "/n", by: DocumentNumber(.max)))
                == "'/n': 2 and 9223372036854775807 add up to more than a number holds")
        #expect(document.refusal(of: .increment(path: "/huge", by: DocumentNumber(2))) != nil)
        #expect(document.refusal(of: .increment(path: "/f", by: DocumentNumber(1.7e308))) != nil)
        #expect(document.refusal(of: .increment(path: "/min", by: DocumentNumber(-1))) != nil)
    }

    // MARK: - append

    @Test func appendAddsToTheEnd() throws {
        let document = Document(["l": [1]])
        try document.dispatch(.append(path: "/l", value: "two"))
        try document.dispatch(.append(path: "/a/new", value: ["x": 1]))
        try document.dispatch(.append(path: "/a/new", value: .null))
        #expect(document.value == ["l": [1, "two"], "a": ["new": [["x": 1], .null]]])
        try document.dispatch(.set(path: "", value: []))
        try document.dispatch(.append(path: "", value: 1))
        #expect(document.value == [1])
    }

    @Test func appendToWhatIsNoArrayIsRefused() {
        let document = Document(["n": 1, "o": [:]])
        #expect(
            document.refusal(of: .append(path: "/n", value: 1))
                == "'/n' is an integer, not an array")
        #expect(document.refusal(of: .append(path: "/o", value: 1)) != nil)
        #expect(document.refusal(of: .append(path: "/n/x", value: 1)) != nil)
    }

    // MARK: - merge

    @Test func mergeIsOfTheWhole() throws {
        let document = Document(["a": ["b": 1, "c": 2], "d": [1]])
        try document.dispatch(.merge(["a": ["b": .null, "e": 3], "d": ["f": .null, "g": 4]]))
        #expect(document.value == ["a": ["c": 2, "e": 3], "d": ["g": 4]])
        try document.dispatch(.merge([1, .null]))
        #expect(document.value == [1, .null])
    }
}
