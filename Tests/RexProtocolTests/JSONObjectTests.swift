import RexProtocol
import Testing

struct JSONObjectTests {
    @Test func aMissingMemberIsNothingAndNullIsSomething() throws {
        var object: JSONObject = ["a": 1, "null": .null]
        #expect(object["b"] == nil)
        #expect(object["null"] == .some(.null))
        #expect(object.removeValue(forKey: "b") == nil)
        #expect(object.removeValue(forKey: "null") == .some(.null))
        #expect(JSONValue.object(object)["null"] == nil)
        #expect(
            JSONValue.object(object).value(at: JSONPointer(tokens: ["b"]))
                == nil)
    }
}
