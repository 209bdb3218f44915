/// Two lists whose elements can be compared by their indices, counted from 0.
protocol ListPairs {
    var oldCount: Int { get }
    var newCount: Int { get }
    /// How many elements both begin with that are known to be the same without being looked into.
    var identicalPrefix: Int { get }
    /// The same from the end, `limit` at most.
    func identicalSuffix(limit: Int) -> Int
    /// Whether two elements are known to be the same without being looked into.
    func isIdentical(_ i: Int, _ j: Int) -> Bool
    /// The same, with more effort.
    func isSame(_ i: Int, _ j: Int) -> Bool
    /// Writes how one element becomes the other.
    func compare(_ i: Int, _ j: Int) throws
    func writeOld(_ i: Int) throws
    func writeNew(_ j: Int) throws
    /// Pairs of identical elements in order, where the elements can be hashed without being looked
    /// into.
    func anchors(_ old: Range<Int>, _ new: Range<Int>) -> [(Int, Int)]
}

/// The elements of two arrays in their memory.
struct BufferPairs<Element: Encodable>: ListPairs {
    let walk: DiffWalk
    let old: UnsafeBufferPointer<Element>
    let new: UnsafeBufferPointer<Element>

    var oldCount: Int { old.count }
    var newCount: Int { new.count }
    private var size: Int { MemoryLayout<Element>.size }
    private var stride: Int { MemoryLayout<Element>.stride }

    private func oldBytes(_ i: Int) -> UnsafeRawPointer {
        UnsafeRawPointer(old.baseAddress!) + i &* stride
    }
    private func newBytes(_ j: Int) -> UnsafeRawPointer {
        UnsafeRawPointer(new.baseAddress!) + j &* stride
    }

    func isIdentical(_ i: Int, _ j: Int) -> Bool {
        Bytes.equal(oldBytes(i), newBytes(j), count: size)
    }

    func isSame(_ i: Int, _ j: Int) -> Bool {
        LiveBytes.areSame(old.baseAddress! + i, new.baseAddress! + j)
    }

    var identicalPrefix: Int {
        let count = min(oldCount, newCount)
        var i = 0
        while i < count {
            let same = Bytes.commonPrefix(oldBytes(i), newBytes(i), count: (count - i) &* stride)
            // A difference behind the value, where it does not fill its place, is none.
            i += same / stride
            if i >= count || same % stride < size { break }
            i += 1
        }
        return i
    }

    func identicalSuffix(limit: Int) -> Int {
        var n = 0
        while n < limit {
            let rest = limit - n
            let same = Bytes.commonSuffix(
                oldBytes(oldCount - limit), newBytes(newCount - limit), count: rest &* stride)
            n += same / stride
            // What differs is in the last place of the rest: in the value, or behind it.
            if n >= limit || !isIdentical(oldCount - 1 - n, newCount - 1 - n) { break }
            n += 1
        }
        return n
    }

    func compare(_ i: Int, _ j: Int) throws {
        try walk.compare(old.baseAddress! + i, new.baseAddress! + j)
    }

    func writeOld(_ i: Int) throws { try walk.scope.encode(old[i]) }
    func writeNew(_ j: Int) throws { try walk.scope.encode(new[j]) }

    /// The bytes of an element, as a key.
    private struct ElementBytes: Hashable {
        let bytes: UnsafeRawBufferPointer

        static func == (a: ElementBytes, b: ElementBytes) -> Bool {
            guard let x = a.bytes.baseAddress, let y = b.bytes.baseAddress else { return true }
            return Bytes.equal(x, y, count: a.bytes.count)
        }

        func hash(into hasher: inout Hasher) { hasher.combine(bytes: bytes) }
    }

    func anchors(_ a: Range<Int>, _ b: Range<Int>) -> [(Int, Int)] {
        ArraySteps.anchors(
            a.map { ElementBytes(bytes: .init(start: oldBytes($0), count: size)) },
            b.map { ElementBytes(bytes: .init(start: newBytes($0), count: size)) })
    }
}

/// The elements of two arrays that were taken down.
struct EntryPairs: ListPairs {
    let pair: Pair
    let old: [Int32]
    let new: [Int32]

    var oldCount: Int { old.count }
    var newCount: Int { new.count }

    func isIdentical(_ i: Int, _ j: Int) -> Bool { pair.isIdentical(old[i], new[j]) }
    func isSame(_ i: Int, _ j: Int) -> Bool { pair.isIdentical(old[i], new[j]) }

    var identicalPrefix: Int {
        let count = min(old.count, new.count)
        var i = 0
        while i < count, isIdentical(i, i) { i += 1 }
        return i
    }

    func identicalSuffix(limit: Int) -> Int {
        var n = 0
        while n < limit, isIdentical(old.count - 1 - n, new.count - 1 - n) { n += 1 }
        return n
    }

    func compare(_ i: Int, _ j: Int) throws { try pair.compareContent(old[i], new[j]) }
    func writeOld(_ i: Int) throws {
        try pair.walk.write(pair.old.entry(old[i]).pointee.content, of: pair.old)
    }
    func writeNew(_ j: Int) throws {
        try pair.walk.write(pair.new.entry(new[j]).pointee.content, of: pair.new)
    }
    func anchors(_ a: Range<Int>, _ b: Range<Int>) -> [(Int, Int)] { [] }
}
