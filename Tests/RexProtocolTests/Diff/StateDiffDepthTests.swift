import Rex
import Testing

@testable import RexProtocol

/// What is too deep to be sent is refused, and the comparison goes on being usable.
@Suite struct StateDiffDepthTests {
    private struct Holder: Encodable, Equatable {
        var name = ""
        var value: JSONValue = .null
    }

    /// Lists within lists.
    private func nested(_ depth: Int) -> JSONValue {
        (0..<depth).reduce(JSONValue.null) { inner, _ in .array([inner]) }
    }

    private func deepest(_ value: inout JSONValue, _ change: (inout JSONValue) -> Void) {
        guard case .array(var list) = value, let first = list.first else { return change(&value) }
        var inner = first
        list[0] = .null
        deepest(&inner, change)
        list[0] = inner
        value = .array(list)
    }

    @Test func aValueThatIsTooDeepIsRefusedAndTheNextIsNot() throws {
        let diff = StateDiff<Holder>()
        let old = Holder()
        let tooDeep = Holder(value: nested(JSONCoder.depthLimit))
        #expect(throws: EncodingError.self) { try diff.patch(from: old, to: tooDeep) }
        let deep = Holder(value: nested(JSONCoder.depthLimit - 1))
        let patch = try diff.patch(from: old, to: deep)
        #expect(!patch.isEmpty)
    }

    @Test func whereTheChangeStandsCountsToo() throws {
        let diff = StateDiff<Holder>()
        let old = Holder(value: nested(JSONCoder.depthLimit - 1))
        var new = old
        deepest(&new.value) { $0 = .array([]) }
        #expect(throws: EncodingError.self) { try diff.patch(from: old, to: new) }
        #expect(throws: EncodingError.self) { try JSONCoder.value(of: new) }
        new = old
        deepest(&new.value) { $0 = .int(1) }
        #expect(try !diff.patch(from: old, to: new).isEmpty)
    }
}
