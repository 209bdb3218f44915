import Foundation
import RexTesting
import Testing

@testable import Rex

/// A `TreeArray` beside an Array: the same random operations, the same outcome.
@Suite struct TreeArrayModelTests {
    /// How many operations in all. A million want an optimised build.
    static let operations: Int = {
        #if DEBUG
            return 20_000
        #else
            return ProcessInfo.processInfo.environment["REX_LONG_TESTS"] == "1"
                ? 1_000_000 : 20_000
        #endif
    }()

    @Test func agreesWithArray() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("TreeArray beside Array: seed \(seed)")
        var random = SeededRandom(seed: seed)
        try run(Self.operations / 2, seed, &random) { $0 }
        try run(Self.operations / 2, seed, &random) { Wide($0) }
    }

    private func run<E: Hashable>(
        _ operations: Int, _ seed: UInt64, _ random: inout SeededRandom,
        _ make: @escaping (Int) -> E
    ) throws {
        var pair = Pair(make: make)
        var kept = pair
        var distance = 0
        for step in 0..<operations {
            // Grows, shrinks, grows again; now and then to nothing.
            pair.operate(isGrowing: step % 1_000 < 600, &random)
            distance += 1
            try #require(pair.list.count == pair.array.count, "seed \(seed), step \(step)")
            guard distance == 1 || step.isMultiple(of: 97) else { continue }
            let fault = pair.fault(since: kept)
            try #require(fault == nil, "seed \(seed), step \(step)")
            kept = pair
            distance = random.next() % 4 == 0 ? 0 : 1
        }
    }
}

/// A list and the array that it must equal.
private struct Pair<E: Hashable> {
    let make: (Int) -> E
    var list = TreeArray<E>()
    var array: [E] = []
    var made = 0

    init(make: @escaping (Int) -> E) { self.make = make }

    mutating func fresh(_ count: Int) -> [E] {
        made += count
        return (made - count..<made).map(make)
    }

    /// One random operation on both.
    mutating func operate(isGrowing: Bool, _ random: inout SeededRandom) {
        let bound = array.count
        func place(_ random: inout SeededRandom) -> Int {
            switch random.next() % 4 {
            case 0: 0
            case 1: bound
            default: Int.random(in: 0...bound, using: &random)
            }
        }
        func range(upTo length: Int, _ random: inout SeededRandom) -> Range<Int> {
            let start = place(&random)
            return start..<min(bound, start + Int.random(in: 0...length, using: &random))
        }
        switch random.next() % 16 {
        case 0...4:
            let element = fresh(1)[0]
            let index = place(&random)
            list.insert(element, at: index)
            array.insert(element, at: index)
        case 5...6:
            let element = fresh(1)[0]
            list.append(element)
            array.append(element)
        case 7...9:
            guard bound > 0 else { return }
            let index = min(place(&random), bound - 1)
            if isGrowing {
                list[index] = make(-1)
                array[index] = make(-1)
            } else {
                #expect(list.remove(at: index) == array.remove(at: index))
            }
        case 10:
            let count = Int(random.next() % (isGrowing ? 90 : 20))
            let new = fresh(count)
            let at = range(upTo: isGrowing ? 40 : 400, &random)
            list.replaceSubrange(at, with: new)
            array.replaceSubrange(at, with: new)
        case 11:
            let part = range(upTo: isGrowing ? 60 : 10, &random)
            list.append(contentsOf: list[part])
            array.append(contentsOf: array[part])
        case 12:
            let part = range(upTo: isGrowing ? 60 : 10, &random)
            let index = place(&random)
            list.insert(contentsOf: list.part(part), at: index)
            array.insert(contentsOf: array[part], at: index)
        case 13:
            let new = fresh(Int(random.next() % (isGrowing ? 150 : 10)))
            list = TreeArray(new) + list
            array = new + array
        case 14:
            // Everything turns round a place.
            let index = place(&random)
            list = TreeArray(list[index...]) + TreeArray(list[..<index])
            array = Array(array[index...]) + Array(array[..<index])
        default:
            let divisor = Int(random.next() % 40) + (isGrowing ? 20 : 2)
            func isGone(_ element: E) -> Bool { element.hashValue.magnitude % UInt(divisor) == 0 }
            list.removeAll(where: isGone)
            array.removeAll(where: isGone)
            if !isGrowing && random.next() % 64 == 0 {
                list.removeAll()
                array.removeAll()
            }
        }
    }

    /// What is wrong, also with the way from an older value to this one; nil where nothing is.
    func fault(since old: Pair) -> String? {
        if let fault = list.root.fault { return fault }
        let levels = list.root.height + 1
        if levels > list.root.heightLimit + 1 { return "\(levels) levels of \(list.count)" }
        if !list.elementsEqual(array) { return "the elements differ" }
        if !old.list.elementsEqual(old.array) { return "the older list changed" }
        if list != TreeArray(array) { return "unequal to a list of the same elements" }
        if (list == old.list) != (array == old.array) { return "wrong about equality" }
        if list.elements(in: 0..<list.count) != array { return "elements(in:)" }

        let runs = list.changes(since: old.list)
        var rebuilt: [E] = []
        var place = 0
        for run in runs {
            if run.old.isEmpty && run.new.isEmpty { return "an empty run" }
            if run.old.lowerBound < place || place > 0 && run.old.lowerBound == place {
                return "runs that touch"
            }
            rebuilt += old.array[place..<run.old.lowerBound]
            if rebuilt.count != run.new.lowerBound { return "a run at a wrong place" }
            rebuilt += array[run.new]
            place = run.old.upperBound
        }
        rebuilt += old.array[place...]
        return rebuilt == array ? nil : "the runs do not lead from the older list to this one"
    }
}
