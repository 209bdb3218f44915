import Foundation
import RexTesting
import Testing

@testable import Rex

/// A `TreeMap` beside a Dictionary: the same random operations, the same outcome.
@Suite struct TreeMapModelTests {
    @Test func agreesWithDictionary() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("TreeMap beside Dictionary: seed \(seed)")
        var random = SeededRandom(seed: seed)
        let half = TreeArrayModelTests.operations / 2
        try run(half, seed, &random, key: { "key \($0)" }, value: { $0 })
        try run(half, seed, &random, key: { $0 }, value: { Wide($0) })
    }

    private func run<K: Comparable & Hashable, V: Hashable>(
        _ operations: Int, _ seed: UInt64, _ random: inout SeededRandom,
        key: @escaping (Int) -> K, value: @escaping (Int) -> V
    ) throws {
        var pair = MapPair(key: key, value: value)
        var kept = pair
        var distance = 0
        for step in 0..<operations {
            pair.operate(isGrowing: step % 2_000 < 1_400, &random)
            distance += 1
            try #require(pair.map.count == pair.dictionary.count, "seed \(seed), step \(step)")
            guard distance == 1 || step.isMultiple(of: 97) else { continue }
            let fault = pair.fault(since: kept)
            try #require(fault == nil, "seed \(seed), step \(step)")
            kept = pair
            distance = random.next() % 4 == 0 ? 0 : 1
        }
    }
}

/// A map and the dictionary that it must equal.
private struct MapPair<K: Comparable & Hashable, V: Hashable> {
    let key: (Int) -> K
    let value: (Int) -> V
    var map = TreeMap<K, V>()
    var dictionary: [K: V] = [:]
    var made = 0

    init(key: @escaping (Int) -> K, value: @escaping (Int) -> V) {
        self.key = key
        self.value = value
    }

    /// One random operation on both.
    mutating func operate(isGrowing: Bool, _ random: inout SeededRandom) {
        let key = key(Int(random.next() % 3_000))
        made += 1
        let value = value(made)
        switch random.next() % (isGrowing ? 9 : 14) {
        case 0...3:
            #expect(
                map.updateValue(value, forKey: key) == dictionary.updateValue(value, forKey: key))
        case 4:
            map[key] = value
            dictionary[key] = value
        case 5:
            map[key, default: value] = self.value(0)
            dictionary[key, default: value] = self.value(0)
        case 6:
            // In place: absent, changed, gone.
            func change(_ value: inout V?) {
                value = value == nil || made.isMultiple(of: 3) ? self.value(made) : nil
            }
            change(&map[key])
            change(&dictionary[key])
        case 7:
            let other = (0..<Int(random.next() % 20)).map { self.key($0 * 7) }
            let pairs = other.map { ($0, value) }
            map.merge(pairs) { $1 }
            dictionary.merge(pairs) { $1 }
        case 8:
            map = map.filter { $0.value.hashValue % 50 != 0 }
            dictionary = dictionary.filter { $0.value.hashValue % 50 != 0 }
        case 9...10:
            guard !map.isEmpty else { return }
            let gone = map.remove(at: Int.random(in: 0..<map.count, using: &random))
            #expect(dictionary.removeValue(forKey: gone.key) == gone.value)
        case 11:
            map[key] = nil
            dictionary[key] = nil
        default:
            #expect(map.removeValue(forKey: key) == dictionary.removeValue(forKey: key))
        }
        #expect(map[key] == dictionary[key])
    }

    /// What is wrong, also with the way from an older value to this one; nil where nothing is.
    func fault(since old: MapPair) -> String? {
        if let fault = map.root.fault ?? map.root.keyFault { return fault }
        if map.root.height + 1 > map.root.heightLimit + 1 { return "too deep" }
        let sorted = dictionary.sorted { $0.key < $1.key }
        if !map.elementsEqual(sorted, by: ==) { return "the pairs differ" }
        for (place, pair) in sorted.enumerated() {
            if map.index(forKey: pair.key) != place { return "a wrong index" }
            if map[pair.key] != pair.value { return "a wrong value" }
        }
        if !old.map.elementsEqual(old.dictionary.sorted { $0.key < $1.key }, by: ==) {
            return "the older map changed"
        }
        if map != TreeMap(dictionary) { return "unequal to a map of the same pairs" }
        if (map == old.map) != (dictionary == old.dictionary) { return "wrong about equality" }

        var rebuilt = old.dictionary
        var last: K?
        var fault: String?
        map.forEachChangedKey(since: old.map) { key, before, after in
            if let last, last >= key { fault = "differences out of order" }
            last = key
            if rebuilt[key] != before { fault = "a wrong old value" }
            rebuilt[key] = after
        }
        return fault ?? (rebuilt == dictionary ? nil : "the differences do not lead here")
    }
}

extension TreeNode {
    /// Whether each child is marked by its least key, and the keys rise.
    var keyFault: String? {
        for child in children {
            if let fault = child.node.keyFault { return fault }
        }
        return Kind.self is any Keyed.Type ? (Kind.self as? any Keyed.Type)?.fault(of: self) : nil
    }
}

/// What a tree with keys must be besides.
private protocol Keyed {
    static func fault<K: TreeKind>(of node: TreeNode<K>) -> String?
}

extension ByKey: Keyed {
    static func fault<K: TreeKind>(of node: TreeNode<K>) -> String? {
        guard let node = node as? TreeNode<ByKey<Key, Value>> else { return "another kind" }
        for child in node.children where child.mark != child.node.first?.key {
            return "a child with a wrong mark"
        }
        let keys = node.isLeaf ? node.elements.map(\.key) : node.children.map(\.mark)
        return zip(keys, keys.dropFirst()).allSatisfy { $0.0 < $0.1 } ? nil : "keys out of order"
    }
}
