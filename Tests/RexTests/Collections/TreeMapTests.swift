import Foundation
import RexTesting
import Testing

@testable import Rex

@Suite struct TreeMapTests {
    @Test func isUsedLikeADictionary() {
        var map: TreeMap = ["b": 2, "a": 1, "c": 0, "c": 3]
        #expect(map.map(\.key) == ["a", "b", "c"])
        #expect(map["c"] == 3 && map["x"] == nil)
        map["x"] = 4
        map["a"] = nil
        map["b"]? += 10
        map["gone"]? += 10
        map["d", default: 5] += 1
        #expect(map == ["b": 12, "c": 3, "d": 6, "x": 4])
        #expect(map["nothing", default: 7] == 7 && map.count == 4)
        #expect(map.updateValue(1, forKey: "b") == 12)
        #expect(map.removeValue(forKey: "x") == 4 && map.removeValue(forKey: "x") == nil)
        #expect(map.index(forKey: "d") == 2 && map.index(forKey: "a") == nil)
        #expect(map[1] == ("c", 3) && map.first?.key == "b" && map.last?.value == 6)
        #expect(Array(map.keys) == ["b", "c", "d"] && Array(map.values) == [1, 3, 6])
        #expect(map.keys.contains("c") && !map.keys.contains("x") && map.keys[2] == "d")
        #expect(map.values[2] == 6 && map.values.reduce(0, +) == 10)
        #expect(map.filter { $0.value > 1 } == ["c": 3, "d": 6])
        #expect(map.mapValues { "\($0)" } == ["b": "1", "c": "3", "d": "6"])
        #expect(map.merging(["c": 1, "e": 9]) { $0 + $1 } == ["b": 1, "c": 4, "d": 6, "e": 9])
        #expect(TreeMap([("k", 1), ("k", 2)], uniquingKeysWith: +) == ["k": 3])
        #expect(map.compactMapValues { $0 > 1 ? -$0 : nil } == ["c": -3, "d": -6])
        #expect(TreeMap(uniqueKeysWithValues: [("k", 1), ("j", 2)]) == ["j": 2, "k": 1])
        #expect(TreeMap(grouping: 1...5) { $0 % 2 } == [0: [2, 4], 1: [1, 3, 5]])
        #expect(map.popFirst()! == ("b", 1))
        map.removeAll { $0.key == "d" }
        #expect(map == ["c": 3])
        #expect(map.remove(at: 0) == ("c", 3) && map.popFirst() == nil)
        map.removeAll()
        #expect(map.isEmpty && map == [:])
    }

    @Test func whatStaysIsSharedWhereFewGo() {
        let map = TreeMap((0..<5_000).map { ($0, $0) })
        var fewer = map
        fewer.removeAll { $0.key == 100 || $0.key == 4_000 }
        #expect(fewer.count == 4_998 && fewer[100] == nil && fewer[101] == 101)
        var changed: [Int] = []
        fewer.forEachChangedKey(since: map) { key, _, new in if new == nil { changed.append(key) } }
        #expect(changed == [100, 4_000])
        var same = map
        same.removeAll { $0.value < 0 }
        #expect(same.sharesStorage(with: map))
    }

    @Test func readsAsADictionaryReads() {
        let map: TreeMap = ["b": "x", "a": "y"]
        #expect(map.description == #"["a": y, "b": x]"#)
        #expect(map.debugDescription == #"["a": "y", "b": "x"]"#)
        #expect("\(TreeMap<String, Int>())" == "[:]")
        #expect(Mirror(reflecting: map).displayStyle == .dictionary)
    }

    @Test func isEncodedAsADictionary() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        func check<K: Comparable & Hashable & Codable>(_ dictionary: [K: Int]) throws {
            let map = TreeMap(dictionary)
            let data = try encoder.encode(map)
            if K.self is any CodingKeyRepresentable.Type {
                #expect(data == (try encoder.encode(dictionary)))
            }
            #expect(try JSONDecoder().decode(TreeMap<K, Int>.self, from: data) == map)
            #expect(try JSONDecoder().decode([K: Int].self, from: data) == dictionary)
        }
        try check(["b": 1, "a": 2, "": 3, "a/b~c": 4])
        try check([1: 1, -20: 2, 3: 3])
        try check([1.5: 1, -2: 2])
        let pairs = try encoder.encode(TreeMap([2.5: 1, 1.5: 2]))
        #expect(String(decoding: pairs, as: UTF8.self) == "[1.5,2,2.5,1]")
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(TreeMap<Int, Int>.self, from: Data(#"{"x":1}"#.utf8))
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(TreeMap<Double, Int>.self, from: Data("[1.5]".utf8))
        }
    }

    @Test func equalMapsHashAlikeHoweverTheyWereMade() {
        let built = TreeMap((0..<5_000).map { ($0, $0) })
        var inserted = TreeMap<Int, Int>()
        for number in (0..<5_000).reversed() { inserted[number] = number }
        #expect(built == inserted)
        #expect(Set([built, inserted]).count == 1)
        inserted[2_500] = 0
        #expect(built != inserted)
    }

    @Test func equalSpellingsAreOneKeyAndTwoNames() {
        var map: TreeMap = ["caf\u{E9}": 1]
        map["cafe\u{301}"] = 2
        #expect(map.count == 1 && map["caf\u{E9}"] == 2)
        #expect(map.keys[0].unicodeScalars.count == 4)
        let before = map
        map["caf\u{E9}"] = nil
        map["cafe\u{301}"] = 2
        var names: [String] = []
        map.forEachChange(since: before) { name, old, new in
            names.append("\(name.unicodeScalars.count) \(old ?? 0) \(new ?? 0)")
        }
        #expect(names == ["4 2 0", "5 0 2"])
    }

    /// One change of a copy: a node a level is new.
    @Test(arguments: [100, 10_000, 100_000]) func aChangeCopiesOneNodePerLevel(count: Int) {
        var random = SeededRandom(seed: 4)
        let map = TreeMap((0..<count).map { ($0 * 2, Wide($0)) })
        let nodes = map.root.identities
        let levels = map.root.height + 1
        for _ in 0..<50 {
            let key = Int.random(in: 0..<count, using: &random) * 2
            var changed = map
            changed[key]?.value = -1
            #expect(changed.root.nodes(notIn: nodes) == levels)
            var inserted = map
            inserted[key + 1] = Wide(-1)
            #expect(inserted.root.nodes(notIn: nodes) <= 2 * levels + 1)
            var removed = map
            removed[key] = nil
            #expect(removed.root.nodes(notIn: nodes) <= 2 * levels)

            var seen = 0
            changed.forEachChangedKey(since: map) { place, old, new in
                seen += 1
                #expect((old != new) == (place == key))
            }
            #expect(seen == 1)
        }
    }

    @Test func whatNobodyElseHoldsIsChangedInPlace() {
        var map = TreeMap((0..<10_000).map { ($0, [$0]) })
        let nodes = map.root.identities
        map[5_000]?.append(1)
        map[7_000] = [2]
        #expect(map.root.identities == nodes)
    }

    /// A value is changed in place: an array in it is not copied for want of one owner.
    @Test func aValueIsMovedOutWhileItChanges() {
        var map = TreeMap((0..<100).map { ($0, Array(repeating: $0, count: 100)) })
        let address = map[50]?.withUnsafeBufferPointer { $0.baseAddress }
        map[50]?[3] = -1
        map[50, default: []][4] = -2
        #expect(map[50]?.withUnsafeBufferPointer { $0.baseAddress } == address)
        #expect(map[50]?[3] == -1 && map[50]?[4] == -2)
    }

    /// The value comes back also where the change throws.
    @Test func aChangeThatThrowsLosesNothing() {
        struct Stop: Error {}
        func stop(_ value: inout Int) throws { throw Stop() }
        var map = TreeMap((0..<1_000).map { ($0, $0) })
        let before = map
        #expect(throws: Stop.self) { try stop(&map[500, default: 0]) }
        #expect(map == before && map.root.fault == nil)
    }
}
