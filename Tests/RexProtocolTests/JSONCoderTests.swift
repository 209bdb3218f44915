import Foundation
import Rex
import Testing

@testable import RexProtocol

@Suite struct JSONCoderTests {
    enum Color: String, Codable, CodingKeyRepresentable { case red, green }
    struct Inner: Codable, Equatable, Hashable {
        var z: Int?
        var a: [String]
    }
    struct Everything: Codable, Equatable {
        var zulu = "first"
        var bool = true
        var int8 = Int8(-5)
        var uint64 = UInt64.max
        var double = 0.1
        var float = Float(0.5)
        var none: String?
        var inner = Inner(z: nil, a: ["x", "y"])
        var list: [Inner?] = [nil, Inner(z: 1, a: [])]
        var byName = ["b": 1, "a": 2]
        var byNumber = [10: "ten", 9: "nine"]
        var byColor: [Color: Int] = [.red: 1, .green: 2]
        var byInner = [Inner(z: 2, a: []): "two", Inner(z: 1, a: []): "one"]
        var set: Set<Int> = [3, 1, 2]
        var date = Date(timeIntervalSinceReferenceDate: 817_732_800.123)
        var data = Data([1, 2, 255])
        var id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        var url = URL(string: "https://example.org/a?b=c")
        var exact = Decimal(string: "12.50")
        var long = Decimal(string: "0.12345678901234567890123")
        var any: JSONValue = ["k": [1, .null]]
        var raw = RawJSON(["r": 1])
        var color = Color.green
    }

    static let text =
        #"{"zulu":"first","bool":true,"int8":-5,"uint64":18446744073709551615,"double":0.1,"#
        + #""float":0.5,"none":null,"inner":{"z":null,"a":["x","y"]},"#
        + #""list":[null,{"z":1,"a":[]}],"byName":{"a":2,"b":1},"#
        + #""byNumber":{"10":"ten","9":"nine"},"#
        + #""byColor":{"green":2,"red":1},"byInner":[{"z":1,"a":[]},"one",{"z":2,"a":[]},"two"],"#
        + #""set":[1,2,3],"date":"2026-11-30T12:00:00.123Z","data":"AQL/","#
        + #""id":"01020304-0506-0708-090A-0B0C0D0E0F10","url":"https://example.org/a?b=c","#
        + #""exact":12.5,"long":"0.12345678901234567890123","any":{"k":[1,null]},"raw":{"r":1},"#
        + #""color":"green"}"#

    @Test func writesOneDeterministicText() throws {
        #expect(try RawJSON(encoding: Everything()).description == Self.text)
    }

    @Test func readsBackWhatItWrites() throws {
        let raw = try RawJSON(encoding: Everything())
        #expect(try JSONCoder.decode(Everything.self, from: raw) == Everything())
        let value = try JSONCoder.value(of: Everything())
        #expect(try JSONCoder.decode(Everything.self, from: value) == Everything())
        #expect(value == raw.value)
    }

    private func failure<T: Decodable>(_ type: T.Type, _ text: String) -> JSONDecodingFailure? {
        do {
            let at = try JSONPointer("/x")
            _ = try JSONCoder.decode(type, from: RawJSON(parsing: text), at: at)
            return nil
        } catch {
            return error as? JSONDecodingFailure
        }
    }

    @Test func failuresNamePlaceAndKind() {
        let inner = failure([Inner].self, #"[{"a":[]},{"a":["x",5]}]"#)
        #expect(inner?.message == "expected a string, got an integer")
        #expect(inner?.at.description == "/x/1/a/1")
        let missing = failure(Inner.self, "{}")
        #expect(missing?.at.description == "/x/a")
        #expect(missing?.message == "expected a value, got nothing")
        #expect(failure(Int8.self, "300")?.message == "the number 300 does not fit Int8")
        #expect(failure(Int.self, "5.5")?.message == "expected an integer, got the number 5.5")
        #expect(failure(Int.self, "1e300")?.message == "the number 1e300 does not fit Int")
        #expect(failure(UInt.self, "-1")?.message == "the number -1 does not fit UInt")
        #expect(failure([Color].self, #"["blue"]"#)?.at.description == "/x/0")
        #expect(failure([Date].self, #"["2026-13-01T00:00:00Z"]"#)?.at.description == "/x/0")
        #expect(failure([String: [Int]].self, #"{"a/b":[0,null]}"#)?.at.description == "/x/a~1b/1")
        #expect(failure(Everything.self, "[]")?.message == "expected an object, got an array")
    }

    @Test func aNumberWithoutFractionIsAnInteger() throws {
        #expect(try JSONCoder.decode(Int.self, from: RawJSON(parsing: "5.0")) == 5)
        #expect(try JSONCoder.decode(UInt8.self, from: RawJSON(parsing: "2.5e1")) == 25)
        #expect(try JSONCoder.decode(Double.self, from: RawJSON(parsing: "5")) == 5)
    }

    @Test func absentAndNullAreNil() throws {
        #expect(
            try JSONCoder.decode(Inner.self, from: ["a": []])
                == JSONCoder.decode(Inner.self, from: ["a": [], "z": .null]))
    }

    @Test func refusesWhatHasNoForm() throws {
        var writer = JSONWriter()
        writer.literal("[")
        #expect(throws: EncodingError.self) {
            try JSONCoder.encode(["a": [1, Double.nan]], into: &writer)
        }
        #expect(writer.bytes == Array("[".utf8))
        do {
            try JSONCoder.encode(["a": [1, Double.infinity]], into: &writer)
            Issue.record("an infinity was written")
        } catch EncodingError.invalidValue(_, let context) {
            #expect(context.codingPath.map(\.stringValue) == ["a", "1"])
        }
    }

    class Base: Codable { var a = 1 }
    final class Derived: Base {
        var b = 2
        enum CodingKeys: CodingKey { case b }
        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            try super.init(from: decoder)
            b = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .b)
        }
        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(b, forKey: .b)
        }
    }

    @Test func aSubclassWritesIntoTheSameObject() throws {
        let raw = try RawJSON(encoding: [Derived(), Derived()])
        #expect(raw.description == #"[{"a":1,"b":2},{"a":1,"b":2}]"#)
        #expect(try JSONCoder.decode([Derived].self, from: raw).map(\.b) == [2, 2])
    }

    struct Turns: Encodable {
        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            var first = list.nestedUnkeyedContainer()
            try first.encode(1)
            var second = list.nestedUnkeyedContainer()
            try second.encode(2)
            try first.encode(3)
        }
    }

    @Test func containersInTurnsAreRefused() {
        #expect(throws: EncodingError.self) { try RawJSON(encoding: Turns()) }
    }

    indirect enum Nest: Codable {
        case end
        case deeper(Nest)
    }

    @Test func encodingHasADepthLimit() throws {
        func nest(_ depth: Int) -> Nest {
            (0..<depth).reduce(Nest.end) { nest, _ in .deeper(nest) }
        }
        // Two containers a step, two for the end.
        let most = JSONCoder.depthLimit / 2 - 1
        #expect(try RawJSON(encoding: nest(most)).value.isDeeper(than: 990))
        #expect(throws: EncodingError.self) { try RawJSON(encoding: nest(most + 1)) }
        #expect(throws: EncodingError.self) { try RawJSON(encoding: nest(2 * most)) }
        let value = (0..<JSONCoder.depthLimit).reduce(JSONValue.null) { value, _ in [value] }
        #expect(try RawJSON(encoding: value).value == value)
        #expect(throws: EncodingError.self) { try RawJSON(encoding: [value]) }
    }

    @Test func largeDictionariesComeBack() throws {
        let large = Dictionary(uniqueKeysWithValues: (0..<3_000).map { ("k\($0)\n", $0) })
        let raw = try RawJSON(encoding: large)
        #expect(try JSONCoder.decode([String: Int].self, from: raw) == large)
    }

    @Test func foundationReadsAndWritesTheSameValues() throws {
        let value: JSONValue = ["a": [1, 2.5, .null, true, "x"], "b": .uint(.max)]
        let data = try JSONEncoder().encode(value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: data) == value)
        let raw = RawJSON(value)
        #expect(try JSONDecoder().decode(RawJSON.self, from: JSONEncoder().encode(raw)) == raw)
    }

    @Test(arguments: [
        ("2026-11-30T12:00:00Z", "2026-11-30T12:00:00.000Z"),
        ("2026-11-30t12:00:00.5z", "2026-11-30T12:00:00.500Z"),
        ("2026-11-30T12:00:00.123456+01:30", "2026-11-30T10:30:00.123Z"),
        ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        ("2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
        ("1969-12-31T23:59:59.001Z", "1969-12-31T23:59:59.001Z"),
    ])
    func times(text: String, written: String) throws {
        let date = try #require(WireTime.date(text))
        #expect(WireTime.text(date) == written)
        #expect(WireTime.date(written).map { WireTime.text($0) } == written)
    }

    @Test(arguments: [
        "", "2026-11-30", "2026-11-30T12:00:00", "2026-11-31T12:00:00Z", "2026-02-29T00:00:00Z",
        "2026-11-30T24:00:00Z", "2026-11-30 12:00:00Z", "2026-11-30T12:00:00.Z",
        "2026-11-30T12:00:00Zx", "2026-11-30T12:00:00+1:00",
    ])
    func noTimes(text: String) { #expect(WireTime.date(text) == nil) }
}
