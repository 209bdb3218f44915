import Rex
import RexExamples
import RexProtocol
import Testing

struct DocumentLimitsTests {
    /// So many arrays, one in another.
    private func nest(_ depth: Int) -> JSONValue {
        (0..<depth).reduce(.int(0)) { inner, _ in .array([inner]) }
    }

    private func path(_ depth: Int) -> JSONPointer {
        JSONPointer(tokens: Array(repeating: "a", count: depth))
    }

    @Test func aDocumentNestsSoFar() throws {
        let document = Document([:])
        let depth = DocumentLimits.depth
        try document.dispatch(.set(path: path(depth), value: 0))
        try document.dispatch(.set(path: path(depth - 1), value: []))
        try document.dispatch(.append(path: path(depth - 1), value: 0))
        try document.dispatch(.increment(path: path(depth - 1).appending("0"), by: .init(1)))
        for action: DocumentAction in [
            .set(path: path(depth + 1), value: 0), .set(path: path(depth), value: []),
            .append(path: path(depth - 1), value: []), .append(path: path(depth), value: 0),
            .increment(path: path(100_000), by: .init(1)), .remove(path: path(100_000)),
            .set(path: "", value: nest(depth + 1)), .merge(["a": nest(depth)]),
        ] {
            #expect(document.refusal(of: action) != nil, "\(action)")
        }
        try document.dispatch(.merge(["b": nest(depth - 1)]))
        try document.dispatch(.set(path: "", value: nest(depth)))
    }

    @Test func aDocumentIsSoLarge() throws {
        let megabyte = JSONValue.string(String(repeating: "x", count: 1 << 20))
        let document = Document(.array(Array(repeating: megabyte, count: 63)))
        #expect(document.refusal(of: .append(path: "", value: megabyte)) != nil)
        #expect(document.refusal(of: .set(path: "/0", value: [megabyte, megabyte])) != nil)
        try document.dispatch(.remove(path: "/0"))
        try document.dispatch(.append(path: "", value: megabyte))
        try document.dispatch(.set(path: "", value: []))
        #expect(document.state == DocumentState([]))
    }

    /// The size that edits keep up to date is the size of the whole.
    @Test func theSizeIsKept() throws {
        let document = Document([:])
        let actions: [DocumentAction] = [
            .set(path: "/l", value: .array((0..<20).map { ["id": .int($0), "t": "some text"] })),
            .set(path: "/l/7/t", value: "longer than it was"), .remove(path: "/l/0"),
            .append(path: "/l", value: [1, [2, "x"]]), .set(path: "/é/b", value: [:]),
            .increment(path: "/n", by: .init(3)), .remove(path: "/l/3"),
            .merge(["l": .null, "m": ["a": [1, 2, 3], "b": "x"]]),
            .merge(["m": ["a": [1, 2], "c": "yy"], "n": .null]), .set(path: "/m", value: .null),
            .set(path: "", value: "whole"),
        ]
        for action in actions {
            try document.dispatch(action)
            #expect(document.state.sizeBytes == DocumentState(document.value).sizeBytes)
        }
    }

    @Test func aDocumentOverALimitMayShrink() throws {
        let megabyte = JSONValue.string(String(repeating: "x", count: 1 << 20))
        let document = Document(.array(Array(repeating: megabyte, count: 70)))
        #expect(document.refusal(of: .append(path: "", value: 1)) != nil)
        for _ in 1...7 { try document.dispatch(.remove(path: "/0")) }
        #expect(document.state.sizeBytes < DocumentLimits.sizeBytes)
    }
}
