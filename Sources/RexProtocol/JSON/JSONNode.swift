/// A value on the tape of a `JSONParser`: a cursor of 16 bytes without ownership.
///
/// A node is valid until its parser's next `parse`, only while that parser lives and only while the
/// parsed bytes stay where they are. It is not Sendable; what must outlive the turn is taken out of
/// it as a `JSONValue`, a `RawJSON` or a decoded type. A node of an earlier parse traps in debug
/// builds.
public struct JSONNode {
    let tape: UnsafePointer<JSONTape>
    let index: Int32
    private let generation: UInt32

    @inline(__always)
    init(tape: UnsafePointer<JSONTape>, index: Int) {
        self.tape = tape
        self.index = Int32(truncatingIfNeeded: index)
        generation = tape.pointee.generation
    }

    var entry: TapeEntry {
        @inline(__always) get {
            assert(tape.pointee.generation == generation, "a node outlived its parse")
            return tape.pointee.entries[position]
        }
    }

    var position: Int {
        @inline(__always) get { Int(UInt32(bitPattern: index)) }
    }

    /// What the value is.
    public var kind: JSONKind {
        @inline(__always) get { entry.kind }
    }

    /// Whether the value is `null`.
    public var isNull: Bool { kind == .null }

    /// The boolean; nil for another kind.
    public var bool: Bool? {
        let entry = entry
        return entry.kind == .bool ? entry.payload != 0 : nil
    }

    /// The number, where it is an integer of 64 bits with sign, also when written with a fraction
    /// of zero (`5.0`); nil for anything else.
    public var int: Int? {
        @inline(__always) get {
            let entry = entry
            if entry.kind == .int { return Int(truncatingIfNeeded: entry.payload) }
            return entry.kind == .double ? Int(exactly: Double(bitPattern: entry.payload)) : nil
        }
    }

    /// The number, where it is an integer from 0 that fits 64 bits; nil for anything else.
    public var uint: UInt64? {
        let entry = entry
        switch entry.kind {
        case .uint: return entry.payload
        case .int: return UInt64(exactly: Int64(bitPattern: entry.payload))
        case .double: return UInt64(exactly: Double(bitPattern: entry.payload))
        default: return nil
        }
    }

    /// The number, rounded to the nearest Double where it is a long integer; nil for another kind.
    public var double: Double? {
        let entry = entry
        switch entry.kind {
        case .double: return Double(bitPattern: entry.payload)
        case .int: return Double(Int64(bitPattern: entry.payload))
        case .uint: return Double(entry.payload)
        default: return nil
        }
    }

    /// The text of a string; nil for another kind. Allocates where it is longer than 15 bytes.
    public var string: String? {
        @inline(__always) get {
            guard entry.kind == .string else { return nil }
            return String(decoding: tape.pointee.string(position), as: UTF8.self)
        }
    }

    /// The text of a string in UTF-8, escapes resolved; nil for another kind.
    public var text: UnsafeRawBufferPointer? {
        entry.kind == .string ? tape.pointee.string(position) : nil
    }

    /// Whether the value is a string of exactly these bytes. Allocates nothing.
    @inline(__always)
    public func isEqual(to text: StaticString) -> Bool {
        guard entry.kind == .string else { return false }
        let own = tape.pointee.string(position)
        guard own.count == text.utf8CodeUnitCount else { return false }
        guard let base = own.baseAddress else { return true }
        return Bytes.equal(base, text.utf8Start, count: own.count)
    }

    /// Members of an object, elements of an array, 0 for a scalar.
    public var count: Int {
        let entry = entry
        return entry.kind == .object || entry.kind == .array ? Int(entry.count) : 0
    }

    /// The member of an object with this name; nil where there is none or the value is no object.
    /// O(members before it).
    @inline(__always)
    public subscript(_ name: StaticString) -> JSONNode? {
        member(UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    }

    /// The member of an object with this name; nil where there is none or the value is no object.
    /// O(members before it).
    public subscript(name name: String) -> JSONNode? {
        name.withBytes { member($0) }
    }

    /// The element of an array at an index; nil outside. O(index).
    public subscript(element element: Int) -> JSONNode? {
        guard kind == .array, element >= 0, element < count else { return nil }
        var child = position + 1
        for _ in 0..<element { child = tape.pointee.next(child) }
        return JSONNode(tape: tape, index: child)
    }

    @inline(__always)
    func member(_ name: UnsafeRawBufferPointer) -> JSONNode? {
        guard entry.kind == .object else { return nil }
        var key = position + 1
        let end = Int(entry.payload)
        while key < end {
            let own = tape.pointee.string(key)
            if own.count == name.count {
                guard let a = own.baseAddress, let b = name.baseAddress,
                    !Bytes.equal(a, b, count: own.count)
                else { return JSONNode(tape: tape, index: key &+ 1) }
            }
            key = tape.pointee.next(key &+ 1)
        }
        return nil
    }

    /// The value exactly as it stands in the parsed bytes, white space inside it included.
    public var raw: UnsafeRawBufferPointer {
        let entry = entry
        return UnsafeRawBufferPointer(
            start: tape.pointee.bytes + Int(entry.start), count: Int(entry.end - entry.start))
    }

    /// The value's own text without insignificant white space: one copy where there is none.
    public var compact: RawJSON {
        guard entry.flags & TapeEntry.spaced != 0, kind == .object || kind == .array else {
            return RawJSON(unchecked: [UInt8](raw))
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        var isInString = false
        var isEscaped = false
        for byte in raw {
            if isInString {
                bytes.append(byte)
                if isEscaped {
                    isEscaped = false
                } else if byte == 0x5C {
                    isEscaped = true
                } else if byte == 0x22 {
                    isInString = false
                }
            } else if byte > 0x20 {
                bytes.append(byte)
                isInString = byte == 0x22
            }
        }
        return RawJSON(unchecked: bytes)
    }
}
