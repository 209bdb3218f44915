import Testing

@testable import RexProtocol

/// Bytes that nobody meant well with: the parser refuses them or reads something that holds.
@Suite struct HostileTests {
    static let seeds = [
        #"{"op":"dispatch","id":17,"store":"chat","action":{"type":"send","payload":{"a":"\n"}}}"#,
        #"[1,-2.5e3,"\ud83d\ude00é",[[],{}],true,false,null,{"a":{"b":[18446744073709551615]}}]"#,
        #"{"op":"subscribe","since":{"epoch":"e","rev":1},"path":"/a~1b","throttle_ms":5}"#,
        #"[{"op":"add","path":"/a","value":1},{"op":"move","from":"/a","path":"/b"}]"#,
    ].map { Array($0.utf8) }

    private func mutated(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var bytes = bytes
        let marks = Array("{}[]\",:\\u0123456789eE+-.tfn \n\u{0}é".utf8) + [0xFF, 0xC0, 0xED]
        for _ in 0...Int.random(in: 0..<4, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[place] = marks.randomElement(using: &random) ?? 0
            case 1: bytes.insert(marks.randomElement(using: &random) ?? 0, at: place)
            case 2: bytes.remove(at: place)
            default: bytes.removeSubrange(place..<min(bytes.count, place + 9))
            }
        }
        return bytes
    }

    @Test func mutationsAreRefusedOrHold() throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("mutationsAreRefusedOrHold: seed \(seed)")
        var random = SeededRandom(seed: seed)
        let parser = JSONParser()
        var taken = 0
        for round in 0..<20_000 {
            let bytes = mutated(Self.seeds[round % Self.seeds.count], &random)
            do {
                let (value, compact, raw) = try parser.withParsed(bytes) { node in
                    // Frames are read on the way: they must refuse or give back what they are.
                    if let frame = try? ClientFrame.decode(node) {
                        var writer = JSONWriter()
                        frame.encode(into: &writer)
                        #expect(throws: Never.self) { try RawJSON(parsing: writer.bytes) }
                    }
                    _ = try? ServerFrame.decode(node)
                    _ = try? JSONPatch(node)
                    return (node.value, node.compact, Array(node.raw))
                }
                taken += 1
                #expect(compact.value == value, "seed \(seed)")
                #expect(RawJSON(value).value == value, "seed \(seed)")
                #expect(try RawJSON(parsing: raw) == compact, "seed \(seed)")
            } catch let error as JSONError {
                #expect((0...bytes.count).contains(error.offset), "seed \(seed)")
            }
        }
        #expect(taken > 100)
    }

    @Test func everyBeginningOfATextIsRefused() {
        let parser = JSONParser()
        for bytes in Self.seeds {
            for count in 0..<bytes.count {
                #expect(throws: JSONError.self) {
                    try parser.withParsed(Array(bytes[..<count])) { $0.value }
                }
            }
        }
    }

    @Test func longNumbersAreCheap() throws {
        let digits = String(repeating: "7", count: 500_000)
        let parser = JSONParser()
        let clock = ContinuousClock()
        let time = clock.measure {
            for text in ["0." + digits, digits + "e-499999", digits + ".5"] {
                let value = try? parser.withParsed(Array(text.utf8)) { $0.value }
                if text.hasSuffix(".5") {
                    #expect(value == nil)
                } else {
                    #expect(value?.double.map { $0 > 0.7 && $0 < 8 } == true)
                }
            }
            #expect(throws: JSONError.self) {
                try parser.withParsed(Array(digits.utf8)) { $0.value }
            }
        }
        #expect(time < .seconds(5))
    }
}
