import Foundation
import RexTesting
import Testing

@testable import Rex

@Suite struct TreeArrayTests {
    @Test func isUsedLikeAnArray() {
        var list: TreeArray = ["b", "c"]
        list.insert("a", at: 0)
        list += ["d"]
        list.append(contentsOf: ["e", "f"])
        #expect(list == ["a", "b", "c", "d", "e", "f"])
        #expect(list.removeFirst() == "a")
        #expect(list.removeLast() == "f")
        list[1] += "!"
        list.swapAt(0, 3)
        #expect(list == ["e", "c!", "d", "b"])
        #expect(list.firstIndex(of: "d") == 2)
        #expect(list.reversed() == ["b", "d", "c!", "e"])
        list.sort()
        #expect(list == ["b", "c!", "d", "e"])
        list[1..<3] = TreeArray(["x"])[...]
        #expect(list == ["b", "x", "e"])
        list.removeSubrange(1...)
        #expect(list.first == "b" && list.last == "b" && list.count == 1)
        list.removeAll()
        #expect(list.isEmpty && list.first == nil && list.last == nil)
        #expect(TreeArray(repeating: 7, count: 100).allSatisfy { $0 == 7 })
    }

    @Test func readsAsAnArrayReads() {
        let list: TreeArray = ["a", "b"]
        #expect(list.description == #"["a", "b"]"#)
        #expect("\(TreeArray<Int>())" == "[]")
        #expect(Mirror(reflecting: list).displayStyle == .collection)
        #expect(list.debugDescription == #"["a", "b"]"#)
    }

    @Test func equalListsHashAlikeHoweverTheyWereMade() {
        let built = TreeArray(0..<5_000)
        var inserted = TreeArray<Int>()
        for number in (0..<5_000).reversed() { inserted.insert(number, at: 0) }
        #expect(built == inserted)
        #expect(Set([built, inserted]).count == 1)
        inserted[2_500] = 0
        #expect(built != inserted)
    }

    @Test func removingMuchCostsNoMoreThanALookAtEach() {
        for count in [0, 1, 63, 64, 65, 1_000, 5_000] {
            for divisor in [1, 2, 3, 64, 1_000] {
                var list = TreeArray(0..<count)
                var array = Array(0..<count)
                list.removeAll { $0 % divisor == 0 }
                array.removeAll { $0 % divisor == 0 }
                #expect(list.elementsEqual(array))
                #expect(list.root.fault == nil)
            }
        }
        // One by one this took seconds.
        var list = TreeArray(0..<200_000)
        let time = ContinuousClock().measure { list.removeAll { $0 % 2 == 0 } }
        #expect(list.count == 100_000)
        #expect(time < .seconds(2))
    }

    @Test func removingLittleSharesWhatStays() {
        let before = TreeArray(0..<100_000)
        var list = before
        list.removeAll { $0 == 50_000 }
        #expect(
            list.changes(since: before) == [RangeChange(old: 50_000..<50_001, new: 50_000..<50_000)]
        )
    }

    @Test func isEncodedAsAnArray() throws {
        let list = TreeArray((0..<300).map { "text \($0)" })
        let data = try JSONEncoder().encode(list)
        #expect(data == (try JSONEncoder().encode(Array(list))))
        #expect(try JSONDecoder().decode(TreeArray<String>.self, from: data) == list)
        #expect(try JSONDecoder().decode(TreeArray<Int>.self, from: Data("[]".utf8)).isEmpty)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(TreeArray<Int>.self, from: Data(#"[1, "two"]"#.utf8))
        }
    }

    /// Equality must not look at what is shared: elements that say no to themselves show it.
    @Test func equalityAndDifferenceDoNotLookAtWhatIsShared() {
        let list = TreeArray((0..<10_000).map { _ in Double.nan })
        var copy = list
        #expect(copy == list)
        copy[5_000] = 1
        #expect(copy != list)
        let runs = copy.changes(since: list)
        #expect(runs == [RangeChange(old: 5_000..<5_001, new: 5_000..<5_001)])
    }

    /// One edit of a copy: a node a level is new, and a neighbour where a node was split or joined.
    @Test(arguments: [100, 10_000, 100_000]) func anEditCopiesOneNodePerLevel(count: Int) {
        var random = SeededRandom(seed: 4)
        let list = TreeArray((0..<count).map { Wide($0) })
        let nodes = list.root.identities
        let levels = list.root.height + 1
        for _ in 0..<50 {
            let index = Int.random(in: 0..<count, using: &random)
            var set = list
            set[index] = Wide(-1)
            #expect(set.root.nodes(notIn: nodes) == levels)
            var changed = list
            changed[index].value = -1
            #expect(changed == set)
            #expect(changed.root.nodes(notIn: nodes) == levels)
            var inserted = list
            inserted.insert(Wide(-1), at: index)
            #expect(inserted.root.nodes(notIn: nodes) <= 2 * levels + 1)
            var removed = list
            removed.remove(at: index)
            #expect(removed.root.nodes(notIn: nodes) <= 2 * levels)
            var cut = list
            cut.removeSubrange(index...min(index + 50, count - 1))
            #expect(cut.root.nodes(notIn: nodes) <= 8 * levels)
            let part = list.part(index..<count)
            #expect(part.root.nodes(notIn: nodes) <= levels)
        }
        var appended = list
        appended.append(Wide(-1))
        #expect(appended.root.nodes(notIn: nodes) <= levels + 1)
    }

    @Test func whatNobodyElseHoldsIsChangedInPlace() {
        var list = TreeArray((0..<10_000).map { Wide($0) })
        let nodes = list.root.identities
        list[5_000].value = -1
        list[7_000] = Wide(-2)
        #expect(list.root.identities == nodes)
        list.remove(at: 10)
        #expect(list.root.identities.isSubset(of: nodes))
    }

    /// An element is changed in place: an array in it is not copied for want of one owner.
    @Test func anElementIsMovedOutWhileItChanges() {
        var list = TreeArray((0..<100).map { Array(repeating: $0, count: 100) })
        let address = list[50].withUnsafeBufferPointer { $0.baseAddress }
        list[50][3] = -1
        #expect(list[50].withUnsafeBufferPointer { $0.baseAddress } == address)
        #expect(list[50][3] == -1)
    }

    /// Thin edges: a queue never moves elements between leaves, and leaves stay full.
    @Test func aQueueKeepsItsLeaves() {
        var list = TreeArray(0..<1_000)
        for number in 1_000..<20_000 {
            let before = list
            list.append(number)
            list.removeFirst()
            #expect(list.root.fault == nil)
            #expect(
                list.changes(since: before) == [
                    RangeChange(old: 0..<1, new: 0..<0),
                    RangeChange(old: 1_000..<1_000, new: 999..<1_000),
                ])
        }
        #expect(list.elementsEqual(19_000..<20_000))
        #expect(list.root.height <= 2)
    }

    @Test func appendingFillsTheLeaves() {
        var list = TreeArray<Int>()
        for number in 0..<64_000 { list.append(number) }
        #expect(list.root.identities.count <= 1_000 + 1_000 / 16 + 1_000 / 256 + 3)
        var chunks = TreeArray<Int>()
        for start in stride(from: 0, to: 64_000, by: 100) {
            chunks.append(contentsOf: start..<start + 100)
        }
        #expect(chunks == list)
        #expect(chunks.root.identities.count <= 2_200)
    }

    @Test func theDifferenceOfTheStandardLibraryComesFromTheRuns() throws {
        let old = TreeArray(0..<10_000)
        var new = old
        new.removeFirst()
        new.insert(-1, at: 5_000)
        new.append(-2)
        let difference = new.difference(from: old)
        #expect(difference.count == 3)
        #expect(old.applying(difference) == new)
        #expect(new.difference(from: new).isEmpty)
    }

    /// However an edit splits or joins leaves: what it did not touch is not in the run.
    @Test func oneEditIsOneRunOfWhatItTouched() {
        var random = SeededRandom(seed: 5)
        var list = TreeArray((0..<3_000).map { Wide($0) })
        for step in 0..<1_000 {
            let before = list
            let place = Int.random(in: 0...list.count, using: &random)
            let length = min(list.count - place, Int(random.next() % 30))
            let new = (0..<Int(random.next() % 30)).map { Wide(-step * 30 - $0 - 1) }
            list.replaceSubrange(place..<place + length, with: new)
            let isSame = length == 0 && new.isEmpty
            let change = RangeChange(
                old: place..<place + length, new: place..<place + new.count)
            #expect(list.changes(since: before) == (isSame ? [] : [change]))
        }
    }

    @Test func removingByAConditionSharesTheRest() {
        let list = TreeArray((0..<10_000).map { Wide($0) })
        var copy = list
        copy.removeAll { $0.value < 0 }
        #expect(copy.sharesStorage(with: list))
        copy.removeAll { $0.value == 5_000 }
        #expect(copy.count == 9_999)
        #expect(copy.root.nodes(notIn: list.root.identities) < 30)
    }

    /// What `BranchBytes` takes for granted.
    @Test func aBranchBeginsWithItsNode() {
        func check<K: TreeKind>(_ kind: K.Type) {
            #expect(MemoryLayout<TreeNode<K>.Branch>.offset(of: \.node) == 0)
            #expect(MemoryLayout<TreeNode<K>>.offset(of: \.count) == 0)
            #expect(MemoryLayout<TreeNode<K>>.offset(of: \.elements) == 8)
            #expect(MemoryLayout<TreeNode<K>>.offset(of: \.children) == 16)
            #expect(MemoryLayout<TreeNode<K>>.offset(of: \.height) == 24)
        }
        check(ByPlace<Int>.self)
        check(ByPlace<Bool>.self)
        check(ByKey<String, Wide>.self)
        check(ByKey<Bool8, Bool>.self)
    }
}

private struct Bool8: Comparable {
    var isSet = false
    static func < (a: Bool8, b: Bool8) -> Bool { !a.isSet && b.isSet }
}
