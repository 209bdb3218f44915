/// The bytes of values that live.
///
/// Two values of one type with the same bytes are the same value, while both live: the same numbers
/// and the same references to the same memory. The opposite is not true: the bytes between a
/// value's parts are left as they were when it is copied, and equal contents may lie in different
/// memory.
enum LiveBytes {
    /// Larger values are not copied to be compared.
    private static let copyLimit = 1_024

    /// Whether two values are the same, whatever lies between their parts.
    ///
    /// Where the bytes differ, copies are made in memory that was cleared: only the parts get
    /// there.
    static func areSame<T>(_ a: UnsafePointer<T>, _ b: UnsafePointer<T>) -> Bool {
        let size = MemoryLayout<T>.size
        if Bytes.equal(a, b, count: size) { return true }
        guard size <= copyLimit, size > 8 else { return false }
        return withUnsafeTemporaryAllocation(
            byteCount: 2 * MemoryLayout<T>.stride, alignment: MemoryLayout<T>.alignment
        ) { memory in
            guard let base = memory.baseAddress else { return false }
            clear(base, count: 2 * MemoryLayout<T>.stride)
            let copies = base.bindMemory(to: T.self, capacity: 2)
            copies.initialize(to: a.pointee)
            (copies + 1).initialize(to: b.pointee)
            defer { copies.deinitialize(count: 2) }
            return Bytes.equal(copies, copies + 1, count: size)
        }
    }

    /// Sets bytes to 0.
    @inline(__always)
    static func clear(_ pointer: UnsafeMutableRawPointer, count: Int) {
        pointer.initializeMemory(as: UInt8.self, repeating: 0, count: count)
    }
}
