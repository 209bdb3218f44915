import Rex

/// What the keyed containers over the tape have in common: a way to find the value of a key.
protocol TapeMembers: KeyedDecodingContainerProtocol {
    var scope: DecodingScope { get }
    /// The value of a key; nil where it is absent.
    func find(_ key: Key) throws -> JSONNode?
    /// The place that the value of a key has or would have.
    func place(_ key: Key) -> JSONPointer
}

/// The members of an object by key.
struct TapeKeyed<Key: CodingKey>: TapeMembers {
    /// Objects with more members are looked up in a sorted index instead of one by one.
    static var scanLimit: Int { 32 }

    let node: JSONNode
    let scope: DecodingScope
    private let index: TapeIndex?

    init(node: JSONNode, scope: DecodingScope) {
        self.node = node
        self.scope = scope
        index = node.count > Self.scanLimit ? TapeIndex(node) : nil
    }

    var codingPath: [any CodingKey] { scope.codingPath(of: node) }

    var allKeys: [Key] {
        node.members.compactMap { Key(stringValue: $0.name.string ?? "") }
    }

    @inline(__always)
    func find(_ key: Key) -> JSONNode? {
        key.stringValue.withBytes { index?.find($0) ?? (index == nil ? node.member($0) : nil) }
    }

    func place(_ key: Key) -> JSONPointer {
        scope.pointer(to: node).appending(key.stringValue)
    }

    func superDecoder() throws -> any Decoder {
        TapeDecoder(node: node["super"] ?? node, scope: scope)
    }
}

/// The members of a large object, sorted by the bytes of their names.
final class TapeIndex {
    private let tape: UnsafePointer<JSONTape>
    private let keys: [Int]

    init(_ node: JSONNode) {
        let tape = node.tape
        self.tape = tape
        keys = node.members.map(\.name.position).sorted {
            Bytes.order(tape.pointee.string($0), tape.pointee.string($1)) < 0
        }
    }

    func find(_ name: UnsafeRawBufferPointer) -> JSONNode? {
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            let order = Bytes.order(tape.pointee.string(keys[middle]), name)
            if order == 0 { return JSONNode(tape: tape, index: keys[middle] + 1) }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}

extension TapeMembers {
    func contains(_ key: Key) -> Bool { (try? find(key)) != nil }

    /// The value of a key that must be there.
    @inline(__always)
    private func need(_ key: Key, _ expected: @autoclosure () -> String) throws -> JSONNode {
        guard let node = try find(key) else { throw missing(key, expected()) }
        return node
    }

    /// The value of a key; nil where it is absent or null.
    @inline(__always)
    private func some(_ key: Key) throws -> JSONNode? {
        guard let node = try find(key), !node.isNull else { return nil }
        return node
    }

    private func missing(_ key: Key, _ expected: String) -> JSONDecodingFailure {
        JSONDecodingFailure(message: "expected \(expected), got nothing", at: place(key))
    }

    func decodeNil(forKey key: Key) throws -> Bool { try some(key) == nil }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try scope.bool(need(key, "a boolean"))
    }
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try scope.string(need(key, "a string"))
    }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try scope.double(need(key, "a number"))
    }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try scope.float(need(key, "a number"))
    }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try integer(key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try integer(key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try integer(key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try integer(key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try integer(key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try integer(key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try integer(key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try integer(key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try integer(key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try integer(key) }

    private func integer<I: FixedWidthInteger>(_ key: Key) throws -> I {
        try scope.integer(need(key, "an integer"))
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        guard let node = try find(key) else {
            // Absent is nil, also for an Optional that is asked for without "if present".
            if let optional = T.self as? any ExpressibleByNilLiteral.Type,
                let none = optional.init(nilLiteral: ()) as? T
            {
                return none
            }
            throw missing(key, "a value (\(T.self))")
        }
        return try scope.decode(type, node)
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try some(key).map { try scope.bool($0) }
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try some(key).map { try scope.string($0) }
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try some(key).map { try scope.double($0) }
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try some(key).map { try scope.integer($0) }
    }
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        try some(key).map { try scope.decode(type, $0) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try TapeDecoder(node: need(key, "an object"), scope: scope).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try TapeDecoder(node: need(key, "an array"), scope: scope).unkeyedContainer()
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        TapeDecoder(node: try need(key, "a value"), scope: scope)
    }
}
