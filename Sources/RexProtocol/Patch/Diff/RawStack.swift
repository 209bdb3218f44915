/// Elements one behind the other in memory that is kept when they are let go.
struct RawStack<Element> {
    private(set) var base: UnsafeMutablePointer<Element>
    private(set) var count = 0
    private var capacity: Int

    init() {
        capacity = 32
        base = .allocate(capacity: capacity)
    }

    @inline(__always)
    mutating func append(_ element: Element) {
        if count == capacity { grow() }
        (base + count).initialize(to: element)
        count &+= 1
    }

    private mutating func grow() {
        let wider = UnsafeMutablePointer<Element>.allocate(capacity: 2 * capacity)
        wider.moveInitialize(from: base, count: count)
        base.deallocate()
        base = wider
        capacity *= 2
    }

    mutating func removeAll() {
        base.deinitialize(count: count)
        count = 0
    }

    /// Ends the stack. It must not be used any more.
    func free() {
        base.deinitialize(count: count)
        base.deallocate()
    }
}

/// Memory for values of any type, given out one behind the other and taken back all at once.
struct ValueArena {
    private var chunks: [UnsafeMutableRawBufferPointer] = []
    /// Where the next one is given out.
    private var chunk = 0
    private var offset = 0
    /// The size of a chunk; a larger value has one of its own.
    private static var chunkBytes: Int { 1_024 }
    private static var chunkAlignment: Int { 64 }

    @inline(__always)
    mutating func allocate(_ size: Int, alignment: Int) -> UnsafeMutableRawPointer {
        if chunk < chunks.count {
            let start = (offset &+ alignment &- 1) & ~(alignment &- 1)
            if start &+ size <= chunks[chunk].count, let base = chunks[chunk].baseAddress {
                offset = start &+ size
                return base + start
            }
        }
        return allocateElsewhere(size, alignment: alignment)
    }

    private mutating func allocateElsewhere(_ size: Int, alignment: Int) -> UnsafeMutableRawPointer
    {
        chunk = chunks.isEmpty ? 0 : chunk + 1
        if chunk == chunks.count || chunks[chunk].count < size {
            chunks.insert(
                .allocate(
                    byteCount: max(size, Self.chunkBytes),
                    alignment: max(alignment, Self.chunkAlignment)), at: chunk)
        }
        offset = size
        guard let base = chunks[chunk].baseAddress else { preconditionFailure("an empty chunk") }
        return base
    }

    mutating func removeAll() {
        chunk = 0
        offset = 0
    }

    /// Ends the arena. It must not be used any more.
    func free() {
        for chunk in chunks { chunk.deallocate() }
    }
}
