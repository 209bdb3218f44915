/// Comparisons of UTF-8 bytes.
///
/// Swift's `String` compares by canonical equivalence: two spellings of `é` are equal there. JSON
/// names and texts are equal only when their code units are, so everything here goes by bytes.
enum Bytes {
    /// Whether `count` bytes are the same. O(count), eight bytes a step.
    @inline(__always)
    static func equal(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, count: Int) -> Bool {
        var i = 0
        while i &+ 8 <= count {
            if a.loadUnaligned(fromByteOffset: i, as: UInt64.self)
                != b.loadUnaligned(fromByteOffset: i, as: UInt64.self)
            {
                return false
            }
            i &+= 8
        }
        while i < count {
            if a.load(fromByteOffset: i, as: UInt8.self)
                != b.load(fromByteOffset: i, as: UInt8.self)
            {
                return false
            }
            i &+= 1
        }
        return true
    }

    /// How many bytes both begin with. O(count), 64 bytes a step: as fast as memory is.
    static func commonPrefix(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, count: Int) -> Int {
        var i = 0
        while i &+ 64 <= count {
            let difference =
                a.loadUnaligned(fromByteOffset: i, as: SIMD8<UInt64>.self)
                ^ b.loadUnaligned(fromByteOffset: i, as: SIMD8<UInt64>.self)
            if difference != .zero { break }
            i &+= 64
        }
        while i < count,
            a.load(fromByteOffset: i, as: UInt8.self) == b.load(fromByteOffset: i, as: UInt8.self)
        {
            i &+= 1
        }
        return i
    }

    /// How many bytes both end with; each has `count` bytes. O(count), 64 bytes a step.
    static func commonSuffix(_ a: UnsafeRawPointer, _ b: UnsafeRawPointer, count: Int) -> Int {
        var end = count
        while end >= 64 {
            let difference =
                a.loadUnaligned(fromByteOffset: end &- 64, as: SIMD8<UInt64>.self)
                ^ b.loadUnaligned(fromByteOffset: end &- 64, as: SIMD8<UInt64>.self)
            if difference != .zero { break }
            end &-= 64
        }
        while end > 0,
            a.load(fromByteOffset: end &- 1, as: UInt8.self)
                == b.load(fromByteOffset: end &- 1, as: UInt8.self)
        {
            end &-= 1
        }
        return count &- end
    }

    /// Negative, 0 or positive: the order of two byte sequences, the shorter first where one is the
    /// beginning of the other.
    static func order(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        let count = min(a.count, b.count)
        guard count > 0, let x = a.baseAddress, let y = b.baseAddress else {
            return a.count - b.count
        }
        var i = 0
        while i &+ 8 <= count {
            let l = x.loadUnaligned(fromByteOffset: i, as: UInt64.self)
            let r = y.loadUnaligned(fromByteOffset: i, as: UInt64.self)
            if l != r { return UInt64(bigEndian: l) < UInt64(bigEndian: r) ? -1 : 1 }
            i &+= 8
        }
        while i < count {
            let l = x.load(fromByteOffset: i, as: UInt8.self)
            let r = y.load(fromByteOffset: i, as: UInt8.self)
            if l != r { return l < r ? -1 : 1 }
            i &+= 1
        }
        return a.count - b.count
    }
}

extension String {
    /// Calls `body` with the UTF-8 bytes of the text, without a copy for a native string.
    @inline(__always)
    func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        if let result = utf8.withContiguousStorageIfAvailable({
            body(UnsafeRawBufferPointer($0))
        }) {
            return result
        }
        var copy = self
        return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }

    /// Whether both texts are the same bytes.
    package func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return withBytes { a in
            other.withBytes { b in
                guard let x = a.baseAddress, let y = b.baseAddress else { return true }
                return Bytes.equal(x, y, count: a.count)
            }
        }
    }

    /// Negative, 0 or positive: the order of the UTF-8 bytes.
    @inline(__always)
    func byteOrder(to other: String) -> Int {
        withBytes { a in other.withBytes { b in Bytes.order(a, b) } }
    }
}
