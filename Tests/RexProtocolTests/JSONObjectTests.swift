import RexProtocol
import Testing

struct JSONObjectTests {
    @Test func aMissingMemberIsNothingAndNullIsSomething() throws {
        var object: JSONObject = ["a": 1, "null": .null]
        #expect(object["b"] == Optional<JSONValue>.none)
        #expect(object["null"] == Optional<JSONValue>.some(.null))
        #expect(object.removeValue(forKey: "b") == Optional<JSONValue>.none)
        #expect(object.removeValue(forKey: "null") == Optional<JSONValue>.some(.null))
        #expect(JSONValue.object(object)["null"] == Optional<JSONValue>.none)
        #expect(
            JSONValue.object(object).value(at: JSONPointer(tokens: ["b"]))
                == Optional<JSONValue>.none)
    }
}
