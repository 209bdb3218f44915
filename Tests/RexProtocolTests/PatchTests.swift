import RexTesting
import Testing

@testable import RexProtocol

@Suite struct PatchTests {
    private func json(_ text: String) throws -> JSONValue { try RawJSON(parsing: text).value }

    @Test(
        arguments: [
            ("", []), ("/", [""]), ("/a/b", ["a", "b"]), ("/a~1b/m~0n", ["a/b", "m~n"]),
            ("/~01", ["~1"]), ("//", ["", ""]), ("/é/0", ["é", "0"]),
        ] as [(String, [String])])
    func pointersBothWays(text: String, tokens: [String]) throws {
        let pointer = try JSONPointer(text)
        #expect(pointer.tokens == tokens)
        #expect(pointer.description == text)
    }

    @Test(arguments: ["a", "a/b", "/~", "/~2", "/a~"])
    func malformedPointers(text: String) {
        #expect(throws: JSONPointerError.self) { try JSONPointer(text) }
    }

    @Test func pointersFindValues() throws {
        let value = try json(#"{"a":[10,{"b":null}],"":1,"01":2}"#)
        let parser = JSONParser()
        for (text, found) in [
            ("", value), ("/a/0", 10), ("/a/1/b", .null), ("/", 1), ("/01", 2), ("/a/00", nil),
            ("/a/-", nil), ("/a/2", nil), ("/a/+1", nil), ("/b", nil), ("/a/0/x", nil),
        ] as [(String, JSONValue?)] {
            let pointer = try JSONPointer(text)
            #expect(value.value(at: pointer) == found)
            try parser.withParsed(RawJSON(value).bytes) { node in
                #expect(node.node(at: pointer)?.value == found)
            }
        }
        let parent = try JSONPointer("/a")
        #expect(parent.isPrefix(of: try JSONPointer("/a/b")))
        #expect(parent.isPrefix(of: parent))
        #expect(!parent.isPrefix(of: try JSONPointer("/ab")))
    }

    @Test(arguments: [
        // One small patch for each kind of change.
        ("{\"a\":1}", "{\"a\":2}", #"[{"op":"replace","path":"/a","value":2}]"#),
        ("{\"a\":1}", "{\"a\":1.0}", "[]"),
        ("{}", "{\"a/b~c\":null}", #"[{"op":"add","path":"/a~1b~0c","value":null}]"#),
        ("{\"a\":1,\"b\":2}", "{\"b\":2}", #"[{"op":"remove","path":"/a"}]"#),
        ("[1,2]", "[1,2,3]", #"[{"op":"add","path":"/2","value":3}]"#),
        ("[1,2]", "[0,1,2]", #"[{"op":"add","path":"/0","value":0}]"#),
        ("[1,2,3]", "[2,3]", #"[{"op":"remove","path":"/0"}]"#),
        ("[1]", "{\"a\":1}", #"[{"op":"replace","path":"","value":{"a":1}}]"#),
        ("1", "\"1\"", #"[{"op":"replace","path":"","value":"1"}]"#),
        (
            #"[{"id":1,"t":"aaaaaaaaaaaaaaaa"},{"id":2,"t":"bbbbbbbbbbbbbbbb"}]"#,
            #"[{"id":1,"t":"aaaaaaaaaaaaaaaa"},{"id":2,"t":"c"}]"#,
            #"[{"op":"replace","path":"/1/t","value":"c"}]"#
        ),
        // Two removed and one edited between them.
        (
            #"[{"id":1,"t":"first text"},{"id":2,"t":"second text"},{"id":3,"t":"third text"},"#
                + #"{"id":4,"t":"fourth text, as long as the patch of the others is together, "#
                + #"so that it is worth its bytes"}]"#,
            #"[{"id":2,"t":"edited"},"#
                + #"{"id":4,"t":"fourth text, as long as the patch of the others is together, "#
                + #"so that it is worth its bytes"}]"#,
            #"[{"op":"remove","path":"/2"},{"op":"replace","path":"/1/t","value":"edited"},"#
                + #"{"op":"remove","path":"/0"}]"#
        ),
        // A move is a remove and an add.
        (
            #"["aaaaaaaaaaaaaaaaaaaaaa","bbbbbbbbbbbbbbbbbbbbbbbbbb","cccccccccccccccccccccc"]"#,
            #"["bbbbbbbbbbbbbbbbbbbbbbbbbb","cccccccccccccccccccccc","aaaaaaaaaaaaaaaaaaaaaa"]"#,
            #"[{"op":"add","path":"/3","value":"aaaaaaaaaaaaaaaaaaaaaa"},"#
                + #"{"op":"remove","path":"/0"}]"#
        ),
        // A small value is sent whole where many changes would take more.
        (
            "{\"a\":{\"b\":1,\"c\":2,\"d\":3,\"e\":4}}",
            "{\"a\":{\"b\":2,\"c\":3,\"d\":4,\"e\":5}}",
            #"[{"op":"replace","path":"/a","value":{"b":2,"c":3,"d":4,"e":5}}]"#
        ),
    ])
    func differencesAreSmall(old: String, new: String, patch: String) throws {
        let (old, new) = (try json(old), try json(new))
        let difference = JSONPatch.difference(from: old, to: new)
        #expect(difference.description == patch)
        var patched = old
        try difference.apply(to: &patched)
        #expect(patched == new)
    }

    @Test func largeListsKeepSmallPatches() throws {
        let list = (0..<2_000).map { i -> JSONValue in
            ["id": .int(i), "text": .string("text \(i)")]
        }
        var edited = list
        edited.removeFirst()
        edited.remove(at: 700)
        edited.insert(["id": "new", "text": "x"], at: 1_200)
        edited[1_500] = ["id": .int(1_500), "text": "edited"]
        edited.append(["id": "last", "text": "y"])
        let few = JSONPatch.difference(from: .array(list), to: .array(edited))
        #expect(few.operations.count <= 6)
        var patched = JSONValue.array(list)
        try few.apply(to: &patched)
        #expect(patched == .array(edited))
        // More edits than the script is searched for: the unique elements are the fixed points.
        let thinned = list.enumerated().filter { $0.offset % 5 != 0 }.map(\.element)
        let many = JSONPatch.difference(from: .array(list), to: .array(thinned))
        #expect(many.operations.count == 400)
        patched = .array(list)
        try many.apply(to: &patched)
        #expect(patched == .array(thinned))
    }

    @Test func sharedStorageIsSkipped() throws {
        let shared = JSONValue.array((0..<100_000).map { .string("element \($0)") })
        let old: JSONValue = ["big": shared, "n": 1]
        let new: JSONValue = ["big": shared, "n": 2]
        let clock = ContinuousClock()
        let time = clock.measure {
            for _ in 0..<1_000 {
                #expect(JSONPatch.difference(from: old, to: new).operations.count == 1)
            }
        }
        // Comparing the elements a thousand times would take seconds.
        #expect(time < .seconds(2))
    }

    /// A random value; small alphabets make equal parts likely.
    private func random(_ depth: Int, _ random: inout SeededRandom) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &random) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &random))
        case 2: return .int(Int.random(in: 0..<4, using: &random))
        case 3: return .double(Double(Int.random(in: 0..<8, using: &random)) / 2)
        case 4:
            return .string(
                ["", "a", "~/", "é", "e\u{301}", "long text of some length"].randomElement(
                    using: &random) ?? "")
        case 5: return .uint(UInt64.max - UInt64.random(in: 0..<2, using: &random))
        case 6:
            return .array(
                (0..<Int.random(in: 0..<7, using: &random)).map { _ in
                    self.random(depth - 1, &random)
                })
        default:
            var object = JSONObject()
            for _ in 0..<Int.random(in: 0..<5, using: &random) {
                let key = ["a", "b", "c/d", "~", "", "é"].randomElement(using: &random) ?? "a"
                object[key] = self.random(depth - 1, &random)
            }
            return .object(object)
        }
    }

    /// The value with a few changes somewhere inside.
    private func changed(_ value: JSONValue, _ random: inout SeededRandom) -> JSONValue {
        guard Int.random(in: 0..<6, using: &random) > 0 else { return self.random(2, &random) }
        switch value {
        case .array(var values):
            for _ in 0..<Int.random(in: 0..<3, using: &random) {
                let place = Int.random(in: 0...values.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: values.insert(self.random(1, &random), at: place)
                case 1 where place < values.count: values.remove(at: place)
                default:
                    if place < values.count { values[place] = changed(values[place], &random) }
                }
            }
            return .array(values)
        case .object(var object):
            for (key, value) in object where Bool.random(using: &random) {
                object[key] = changed(value, &random)
            }
            return .object(object)
        default: return value
        }
    }

    @Test func anyDifferenceLeadsToTheNewValue() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("anyDifferenceLeadsToTheNewValue: seed \(seed)")
        var random = SeededRandom(seed: seed)
        for _ in 0..<4_000 {
            let old = self.random(4, &random)
            let new = changed(old, &random)
            let patch = JSONPatch.difference(from: old, to: new)
            var patched = old
            try patch.apply(to: &patched)
            #expect(patched == new, "seed \(seed): \(old) to \(new) by \(patch)")
            #expect(try JSONPatch(RawJSON(parsing: patch.raw.bytes).value) == patch, "seed \(seed)")
            #expect(patch.isEmpty == (old == new), "seed \(seed)")
            #expect(RawJSON(old).value == old && old.canonical == RawJSON(old).value.canonical)
        }
    }

    @Test func anArrayOfManyRepeatsLeadsToTheNewOne() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("anArrayOfManyRepeatsLeadsToTheNewOne: seed \(seed)")
        var random = SeededRandom(seed: seed)
        for round in 0..<300 {
            let width = round % 3 == 0 ? 600 : 40
            func list() -> JSONValue {
                .array(
                    (0..<Int.random(in: 0..<width, using: &random)).map { _ in
                        .int(Int.random(in: 0..<(round % 2 == 0 ? 3 : 1_000), using: &random))
                    })
            }
            let (old, new) = (list(), list())
            var patched = old
            try JSONPatch.difference(from: old, to: new).apply(to: &patched)
            #expect(patched == new, "seed \(seed)")
        }
    }

    @Test(arguments: [
        (#"[{"op":"add","path":"/l/-","value":4}]"#, #"{"a":1,"l":[1,2,3,4]}"#),
        (#"[{"op":"add","path":"/l/3","value":4}]"#, #"{"a":1,"l":[1,2,3,4]}"#),
        (#"[{"op":"move","from":"/l/0","path":"/l/2"}]"#, #"{"a":1,"l":[2,3,1]}"#),
        (#"[{"op":"move","from":"/a","path":"/a"}]"#, #"{"a":1,"l":[1,2,3]}"#),
        (#"[{"op":"copy","from":"/l","path":"/l/0"}]"#, #"{"a":1,"l":[[1,2,3],1,2,3]}"#),
        (
            #"[{"op":"test","path":"/a","value":1.0},{"op":"remove","path":"/a"}]"#,
            #"{"l":[1,2,3]}"#
        ),
        (#"[{"op":"replace","path":"","value":5}]"#, "5"),
        (#"[{"op":"add","path":"","value":5,"more":1}]"#, "5"),
        ("[]", #"{"a":1,"l":[1,2,3]}"#),
    ])
    func operationsApply(patch: String, result: String) throws {
        var value = try json(#"{"a":1,"l":[1,2,3]}"#)
        try JSONPatch(json(patch)).apply(to: &value)
        #expect(value == (try json(result)))
    }

    @Test(arguments: [
        (#"{"op":"add","path":"/l/4","value":4}"#, "there is no index 4 in an array of 3", "path"),
        (#"{"op":"add","path":"/l/01","value":4}"#, "'01' is no index of an array", "path"),
        (#"{"op":"add","path":"/x/y","value":4}"#, "there is no member 'x'", "path"),
        (#"{"op":"add","path":"/a/y","value":4}"#, "there is no 'y' in an integer", "path"),
        (#"{"op":"remove","path":"/l/3"}"#, "there is no index 3 in an array of 3", "path"),
        (#"{"op":"remove","path":""}"#, "the whole value cannot be removed", "path"),
        (#"{"op":"replace","path":"/x","value":4}"#, "there is no member 'x'", "path"),
        (#"{"op":"move","from":"/x","path":"/a"}"#, "there is nothing at '/x'", "from"),
        (#"{"op":"move","from":"/l","path":"/l/0"}"#, "a value cannot move into itself", "from"),
        (#"{"op":"copy","from":"/l/9","path":"/a"}"#, "there is nothing at '/l/9'", "from"),
        (#"{"op":"test","path":"/a","value":2}"#, "the value is another", "value"),
        (#"{"op":"test","path":"/x","value":null}"#, "there is nothing", "path"),
    ])
    func allOrNothing(operation: String, message: String, member: String) throws {
        let before = try json(#"{"a":1,"l":[1,2,3]}"#)
        var value = before
        let patch = try JSONPatch(
            json(
                #"[{"op":"add","path":"/b","value":1},{"op":"remove","path":"/l/0"},"#
                    + #"{"op":"add","path":"/l/-","value":9},"#
                    + #"{"op":"replace","path":"/a","value":7},"#
                    + #"{"op":"move","from":"/b","path":"/l/1"},{"op":"remove","path":"/l/1"},"#
                    + #"{"op":"replace","path":"","value":{"a":1,"l":[1,2,3]}},"# + operation + "]")
        )
        do throws(PatchError) {
            try patch.apply(to: &value)
            Issue.record("\(operation) was applied")
        } catch {
            #expect(error.operation == 7)
            #expect(error.at.description == "/7/\(member)")
            #expect(error.message.hasSuffix(": " + message))
        }
        #expect(value == before)
    }

    @Test(arguments: [
        ("{}", ""), ("[5]", "/0"), (#"[{"path":"/a"}]"#, "/0/op"), (#"[{"op":"add"}]"#, "/0/path"),
        (#"[{"op":"add","path":"/a"}]"#, "/0/value"), (#"[{"op":"spam","path":"/a"}]"#, "/0/op"),
        (#"[{"op":"remove","path":"a"}]"#, "/0/path"), (#"[{"op":"move","path":"/a"}]"#, "/0/from"),
        (#"[{"op":"test","path":"/a","value":1},{"op":"remove","path":5}]"#, "/1/path"),
    ])
    func malformedPatches(text: String, at: String) throws {
        let value = try json(text)
        do throws(PatchError) {
            _ = try JSONPatch(value)
            Issue.record("\(text) was taken")
        } catch {
            #expect(error.at.description == at)
        }
    }

    @Test func whatNobodyElseHoldsIsChangedInPlace() throws {
        func address(_ value: JSONValue) -> UnsafePointer<JSONValue>? {
            value["a"]?["l"]?.array?.withUnsafeBufferPointer { $0.baseAddress }
        }
        var value: JSONValue = ["a": ["l": .array((0..<100).map { .int($0) })]]
        let before = address(value)
        let patch = JSONPatch([
            .replace(path: try JSONPointer("/a/l/5"), value: "x"),
            .remove(path: try JSONPointer("/a/l/50")),
            .add(path: try JSONPointer("/a/l/-"), value: "y"),
        ])
        try patch.apply(to: &value)
        #expect(address(value) == before)
        #expect(value["a"]?["l"]?[5] == "x")
    }

    @Test func copiesAndDepthAreBounded() throws {
        var value: JSONValue = ["l": ["some text to multiply"]]
        let copy = JSONPatch.Operation.copy(
            from: try JSONPointer("/l"), path: try JSONPointer("/l/-"))
        #expect(throws: PatchError.self) {
            try JSONPatch(Array(repeating: copy, count: 100)).apply(to: &value)
        }
        #expect(value == ["l": ["some text to multiply"]])
        var deep = JSONValue.int(1)
        let wrap = JSONPatch.Operation.add(
            path: JSONPointer(tokens: Array(repeating: "0", count: 119)), value: [[1]])
        for _ in 0..<119 { deep = [deep] }
        #expect(throws: PatchError.self) { try JSONPatch([wrap]).apply(to: &deep) }
    }

    @Test(arguments: [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"["a"]"#, #"{"b":{"c":null},"d":[null]}"#, #"{"b":{},"d":[null]}"#),
        ("5", "null", "null"), ("{}", "[1]", "[1]"),
    ])
    func merges(target: String, patch: String, result: String) throws {
        var value = try json(target)
        MergePatch.apply(try json(patch), to: &value)
        #expect(value == (try json(result)))
    }

    @Test(arguments: [
        (#"{"b":1,"a":[1.0,-0.0,1e2]}"#, #"{"a":[1,0,100],"b":1}"#),
        (#"{"\ufb33":1,"\ud83d\ude00":2,"é":3}"#, #"{"é":3,"😀":2,"דּ":1}"#),
        (
            "[1e21,1e20,1.2345678901234568e20,0.000001,1e-7,1.5e300,-2.5e-9]",
            "[1e+21,100000000000000000000,123456789012345680000,0.000001,1e-7,1.5e+300,-2.5e-9]"
        ),
        (
            "[9007199254740993,18446744073709551615,5e-324,1.7976931348623157e308,123.456]",
            "[9007199254740993,18446744073709551615,5e-324,1.7976931348623157e+308,123.456]"
        ),
        (#""\u0000\u001f\"\\\/\u0008\u007f""#, "\"\\u0000\\u001f\\\"\\\\/\\b\u{7F}\""),
    ])
    func canonicalText(text: String, canonical: String) throws {
        #expect(String(decoding: try json(text).canonical, as: UTF8.self) == canonical)
    }

    @Test func numbersReadBackAsTheyWere() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("numbersReadBackAsTheyWere: seed \(seed)")
        var random = SeededRandom(seed: seed)
        for _ in 0..<20_000 {
            let number = Double(bitPattern: random.next())
            guard number.isFinite else { continue }
            let value = JSONValue.double(number)
            #expect(RawJSON(value).value == value, "seed \(seed)")
            let canonical = String(decoding: value.canonical, as: UTF8.self)
            #expect(
                try json(
                    canonical.contains("e") || canonical.contains(".") || canonical.count < 19
                        ? canonical : canonical + ".0") == value, "seed \(seed)")
        }
    }
}
