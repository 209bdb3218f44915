/// What kind of JSON value a node is. Numbers are told apart by how they are kept.
public enum JSONKind: UInt8, Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool
    /// A number without fraction and exponent that fits an Int64.
    case int
    /// A number without fraction and exponent above Int64.max that fits a UInt64.
    case uint
    /// Any other number.
    case double
    /// A string.
    case string
    /// An array.
    case array
    /// An object.
    case object

    /// The words of error messages: "a string", "an integer".
    public var words: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .int, .uint: "an integer"
        case .double: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

/// One value on the tape, 24 bytes. A container stands before its children; a member's name is a
/// string entry directly before its value.
struct TapeEntry {
    static let escaped: UInt8 = 1
    static let spaced: UInt8 = 2

    var kind: JSONKind
    /// `escaped`: the string's bytes lie in the tape's own buffer. `spaced`: there is white space
    /// between the tokens of this container.
    var flags: UInt8 = 0
    /// Bytes of a string's text, members of an object, elements of an array.
    var count: UInt32 = 0
    /// Place in the source, the quotes or brackets included.
    var start: UInt32
    var end: UInt32
    /// The number's bits, the boolean, the place of unescaped text, or the index behind a
    /// container.
    var payload: UInt64 = 0
}

/// The result of one parse: where everything is. Owned by a `JSONParser`, read through `JSONNode`.
struct JSONTape {
    /// How many entries stay allocated from one parse to the next (1.5 MiB).
    static let retainedEntryLimit = 65_536
    /// How many bytes for unescaped text stay allocated from one parse to the next.
    static let retainedTextLimit = 1_048_576

    var bytes: UnsafePointer<UInt8>
    var entries: UnsafeMutablePointer<TapeEntry>
    var entryCount = 0
    var entryCapacity: Int
    var text: UnsafeMutablePointer<UInt8>
    var textCount = 0
    var textCapacity: Int
    /// The entries of the names of all objects that are open, innermost last; used while parsing.
    var keys: UnsafeMutablePointer<UInt32>
    var keyCount = 0
    var keyCapacity = 32
    /// Counts the parses; a node of an earlier one is caught in debug builds.
    var generation: UInt32 = 0

    init(entryCapacity: Int) {
        self.entryCapacity = entryCapacity
        entries = .allocate(capacity: entryCapacity)
        text = .allocate(capacity: 1)
        textCapacity = 1
        keys = .allocate(capacity: keyCapacity)
        bytes = UnsafePointer(text)
    }

    func deallocate() {
        entries.deallocate()
        text.deallocate()
        keys.deallocate()
    }

    mutating func reset(for source: UnsafePointer<UInt8>) {
        bytes = source
        entryCount = 0
        textCount = 0
        keyCount = 0
        generation &+= 1
        if entryCapacity > Self.retainedEntryLimit {
            entries.deallocate()
            entryCapacity = Self.retainedEntryLimit
            entries = .allocate(capacity: entryCapacity)
        }
        if textCapacity > Self.retainedTextLimit {
            text.deallocate()
            textCapacity = 1
            text = .allocate(capacity: 1)
        }
        if keyCapacity > Self.retainedEntryLimit {
            keys.deallocate()
            keyCapacity = 32
            keys = .allocate(capacity: keyCapacity)
        }
    }

    @inline(never)
    mutating func growEntries() {
        let larger = UnsafeMutablePointer<TapeEntry>.allocate(capacity: entryCapacity * 2)
        larger.moveInitialize(from: entries, count: entryCount)
        entries.deallocate()
        entries = larger
        entryCapacity *= 2
    }

    @inline(never)
    mutating func growKeys() {
        let larger = UnsafeMutablePointer<UInt32>.allocate(capacity: keyCapacity * 2)
        larger.moveInitialize(from: keys, count: keyCount)
        keys.deallocate()
        keys = larger
        keyCapacity *= 2
    }

    /// Makes room for all text that `count` bytes of source can hold: unescaping never adds bytes.
    @inline(never)
    mutating func reserveText(_ count: Int) {
        guard textCapacity < count else { return }
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
        larger.moveInitialize(from: text, count: textCount)
        text.deallocate()
        text = larger
        textCapacity = count
    }

    /// The text of a string entry, unescaped.
    @inline(__always)
    func string(_ index: Int) -> UnsafeRawBufferPointer {
        let entry = entries[index]
        let start =
            entry.flags & TapeEntry.escaped == 0
            ? bytes + (Int(entry.start) &+ 1) : UnsafePointer(text) + Int(entry.payload)
        return UnsafeRawBufferPointer(start: start, count: Int(entry.count))
    }

    /// The index behind the value at `index`.
    @inline(__always)
    func next(_ index: Int) -> Int {
        let kind = entries[index].kind
        return kind == .object || kind == .array ? Int(entries[index].payload) : index &+ 1
    }
}
