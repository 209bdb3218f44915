/// The one pass of `JSONParser.parse`: reads bytes, appends to the tape.
struct JSONScanner {
    /// A container that is not closed yet.
    struct Open {
        /// Its entry on the tape.
        var index: Int
        /// White space seen before it, in bytes.
        var spaces: Int
        /// Where its names begin among the keys of all open objects.
        var keyBase: Int
        /// Values begun in it.
        var count: UInt32
        var isObject: Bool
    }

    let tape: UnsafeMutablePointer<JSONTape>
    let start: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>
    let stack: UnsafeMutablePointer<Open>
    let depthLimit: Int
    var p: UnsafePointer<UInt8>
    var depth = 0
    var spaces = 0

    init(
        tape: UnsafeMutablePointer<JSONTape>, start: UnsafePointer<UInt8>, count: Int,
        stack: UnsafeMutablePointer<Open>, depthLimit: Int
    ) {
        self.tape = tape
        self.start = start
        self.end = start + count
        self.stack = stack
        self.depthLimit = depthLimit
        p = start
    }

    /// Reads one value and nothing behind it but white space.
    mutating func run() throws(JSONFault) {
        reading: while true {
            if try value() { continue }
            while depth > 0 {
                if try separator() { continue reading }
            }
            skipSpace()
            guard p == end else { throw fault(.end) }
            return
        }
    }

    /// Reads a scalar or an empty container (false), or opens a container so that its first value
    /// comes next (true).
    @inline(__always)
    private mutating func value() throws(JSONFault) -> Bool {
        skipSpace()
        guard p < end else { throw fault(.value) }
        switch p.pointee {
        case 0x22: try string()
        case 0x30...0x39, 0x2D: try number()
        case 0x7B: return try open(isObject: true)
        case 0x5B: return try open(isObject: false)
        case 0x74: try literal("true", .bool, 1)
        case 0x66: try literal("false", .bool, 0)
        case 0x6E: try literal("null", .null, 0)
        default: throw fault(.value)
        }
        return false
    }

    /// After a value inside a container: reads a comma (and in an object the next name) and returns
    /// true, or closes the container and returns false.
    @inline(__always)
    private mutating func separator() throws(JSONFault) -> Bool {
        skipSpace()
        let isObject = stack[depth &- 1].isObject
        guard p < end else { throw fault(isObject ? .commaOrBrace : .commaOrBracket) }
        if p.pointee == 0x2C {
            p += 1
            if isObject { try name() }
            stack[depth &- 1].count &+= 1
            return true
        }
        guard p.pointee == (isObject ? 0x7D : 0x5D) else {
            throw fault(isObject ? .commaOrBrace : .commaOrBracket)
        }
        p += 1
        try close()
        return false
    }

    private mutating func open(isObject: Bool) throws(JSONFault) -> Bool {
        guard depth < depthLimit else { throw fault(.depth) }
        stack[depth] = Open(
            index: tape.pointee.entryCount, spaces: spaces, keyBase: tape.pointee.keyCount,
            count: 0,
            isObject: isObject)
        depth &+= 1
        append(
            TapeEntry(kind: isObject ? .object : .array, start: position, end: 0))
        p += 1
        skipSpace()
        guard p < end else { throw fault(isObject ? .name : .value) }
        if p.pointee == (isObject ? 0x7D : 0x5D) {
            p += 1
            try close()
            return false
        }
        if isObject { try name() }
        stack[depth &- 1].count = 1
        return true
    }

    private mutating func close() throws(JSONFault) {
        let open = stack[depth &- 1]
        if open.isObject, tape.pointee.keyCount &- open.keyBase > 1 {
            try refuseDuplicates(open.keyBase)
        }
        depth &-= 1
        let entry = tape.pointee.entries + open.index
        entry.pointee.end = position
        entry.pointee.count = open.count
        entry.pointee.payload = UInt64(tape.pointee.entryCount)
        if spaces != open.spaces { entry.pointee.flags = TapeEntry.spaced }
        if open.isObject { tape.pointee.keyCount = open.keyBase }
    }

    @inline(__always)
    private mutating func name() throws(JSONFault) {
        skipSpace()
        guard p < end, p.pointee == 0x22 else { throw fault(.name) }
        if tape.pointee.keyCount == tape.pointee.keyCapacity { tape.pointee.growKeys() }
        (tape.pointee.keys + tape.pointee.keyCount).initialize(
            to: UInt32(truncatingIfNeeded: tape.pointee.entryCount))
        tape.pointee.keyCount &+= 1
        try string()
        skipSpace()
        guard p < end, p.pointee == 0x3A else { throw fault(.colon) }
        p += 1
    }

    private mutating func literal(
        _ text: StaticString, _ kind: JSONKind, _ payload: UInt64
    ) throws(JSONFault) {
        let count = text.utf8CodeUnitCount
        guard end - p >= count, Bytes.equal(p, text.utf8Start, count: count) else {
            throw fault(.value)
        }
        let start = position
        p += count
        append(TapeEntry(kind: kind, start: start, end: position, payload: payload))
    }

    /// Names in ascending order (all that Rex writes) cost one comparison each, few names are
    /// compared pairwise, many are sorted by bytes: no choice of names makes it quadratic.
    private func refuseDuplicates(_ base: Int) throws(JSONFault) {
        let tape = tape.pointee
        let names = UnsafeBufferPointer(start: tape.keys + base, count: tape.keyCount - base)
        if names.count <= 8 {
            for i in 1..<names.count {
                let later = tape.string(Int(names[i]))
                for j in 0..<i {
                    let earlier = tape.string(Int(names[j]))
                    if earlier.count == later.count, Bytes.order(earlier, later) == 0 {
                        throw duplicate(names[i])
                    }
                }
            }
            return
        }
        var isAscending = true
        for (a, b) in zip(names, names.dropFirst())
        where Bytes.order(tape.string(Int(a)), tape.string(Int(b))) >= 0 {
            isAscending = false
            break
        }
        if isAscending { return }
        let sorted = names.sorted { a, b in
            let order = Bytes.order(tape.string(Int(a)), tape.string(Int(b)))
            return order == 0 ? a < b : order < 0
        }
        for (a, b) in zip(sorted, sorted.dropFirst())
        where Bytes.order(tape.string(Int(a)), tape.string(Int(b))) == 0 {
            throw duplicate(b)
        }
    }

    private func duplicate(_ key: UInt32) -> JSONFault {
        JSONFault(reason: .duplicate, offset: Int(tape.pointee.entries[Int(key)].start))
    }

    /// The place of a fault, from what is still open: a name that is there twice, or where reading
    /// stopped.
    func pointer(to fault: JSONFault) -> JSONPointer {
        var pointer = JSONPointer.root
        for level in 0..<depth where stack[level].count > 0 {
            let open = stack[level]
            if open.isObject {
                var key = Int(tape.pointee.keys[open.keyBase + Int(open.count) - 1])
                if level == depth - 1, fault.reason == .duplicate {
                    key = self.key(at: fault.offset, from: open.keyBase) ?? key
                }
                guard key < tape.pointee.entryCount else { break }
                let name = tape.pointee.string(key)
                pointer = pointer.appending(String(decoding: name, as: UTF8.self))
            } else {
                pointer = pointer.appending(String(open.count - 1))
            }
        }
        return pointer
    }

    private func key(at offset: Int, from base: Int) -> Int? {
        (base..<tape.pointee.keyCount).lazy.map { Int(tape.pointee.keys[$0]) }
            .first { Int(tape.pointee.entries[$0].start) == offset }
    }
}

// The small tools of the pass.
extension JSONScanner {
    var position: UInt32 {
        @inline(__always) get { UInt32(truncatingIfNeeded: p - start) }
    }

    @inline(__always)
    mutating func skipSpace() {
        while p < end, p.pointee <= 0x20 {
            guard p.pointee == 0x20 || p.pointee == 0x0A || p.pointee == 0x0D || p.pointee == 0x09
            else { return }
            p += 1
            spaces &+= 1
        }
    }

    @inline(__always)
    mutating func append(_ entry: TapeEntry) {
        if tape.pointee.entryCount == tape.pointee.entryCapacity { tape.pointee.growEntries() }
        (tape.pointee.entries + tape.pointee.entryCount).initialize(to: entry)
        tape.pointee.entryCount &+= 1
    }

    func fault(_ reason: JSONFault.Reason) -> JSONFault {
        JSONFault(reason: reason, offset: p - start)
    }

    func fault(_ reason: JSONFault.Reason, at place: UnsafePointer<UInt8>) -> JSONFault {
        JSONFault(reason: reason, offset: place - start)
    }
}
