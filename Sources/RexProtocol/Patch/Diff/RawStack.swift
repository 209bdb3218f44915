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

    mutating func shrink(to count: Int) {
        (base + count).deinitialize(count: self.count &- count)
        self.count = count
    }

    /// Ends the stack. It must not be used any more.
    func free() {
        base.deinitialize(count: count)
        base.deallocate()
    }
}

/// Memory for values of any type, given out one behind the other and taken back in reverse.
struct ValueArena {
    /// How far it is given out.
    struct Mark {
        var chunk = 0
        var offset = 0
    }

    private var chunks: [UnsafeMutableRawBufferPointer] = []
    private(set) var mark = Mark()
    /// The size of a chunk; a larger value has one of its own.
    private static var chunkBytes: Int { 4_096 }
    private static var chunkAlignment: Int { 64 }

    mutating func allocate(_ size: Int, alignment: Int) -> UnsafeMutableRawPointer {
        while mark.chunk < chunks.count {
            let start = (mark.offset &+ alignment &- 1) & ~(alignment &- 1)
            if start &+ size <= chunks[mark.chunk].count, let base = chunks[mark.chunk].baseAddress {
                mark.offset = start &+ size
                return base + start
            }
            mark = Mark(chunk: mark.chunk &+ 1, offset: 0)
        }
        let chunk = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(size, Self.chunkBytes), alignment: max(alignment, Self.chunkAlignment))
        chunks.append(chunk)
        mark = Mark(chunk: chunks.count - 1, offset: size)
        guard let base = chunk.baseAddress else { preconditionFailure("an empty chunk") }
        return base
    }

    mutating func shrink(to mark: Mark) { self.mark = mark }

    /// Ends the arena. It must not be used any more.
    func free() {
        for chunk in chunks { chunk.deallocate() }
    }
}
