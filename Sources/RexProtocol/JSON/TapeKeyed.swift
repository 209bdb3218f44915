/// The values of an object by key, or those of an action in the form of the wire.
///
/// One type for all three roles, with its functions in itself: each generic type more, and each
/// function in a protocol's extension, costs look-ups in the runtime for every value that is read.
struct TapeKeyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    enum Role {
        /// The members of an object.
        case members
        /// An action: the only key is its case.
        case action
        /// The values of a case, by the keys that Swift gives them: their labels, or `_0`, `_1` …
        /// for those without.
        case payload
    }

    /// Objects with more members are looked up in a sorted index instead of one by one.
    static var scanLimit: Int { 32 }

    /// Nil where this is kept and stands for whatever action is at the root.
    private let own: (node: JSONNode, payload: JSONNode?)?
    let scope: DecodingScope
    let role: Role
    private let index: TapeIndex?
    /// Nil where this is not kept.
    private let last: LastKeys<Key>?

    init(node: JSONNode, scope: DecodingScope, role: Role = .members) {
        own = (node, role == .payload ? node["payload"] : nil)
        last = nil
        self.scope = scope
        self.role = role
        index = role == .members && node.count > Self.scanLimit ? TapeIndex(node) : nil
    }

    /// A part of the action at the scope's root, whatever is there when it is asked.
    init(presentActionOf scope: DecodingScope, role: Role) {
        own = nil
        last = role == .action ? LastKeys() : nil
        self.scope = scope
        self.role = role
        index = nil
    }

    /// The object; the action where this is its payload.
    private var node: JSONNode {
        @inline(__always) get { own?.node ?? scope.root }
    }

    private var payload: JSONNode? {
        @inline(__always) get { own == nil ? scope.kept?.payload : own?.payload }
    }

    var codingPath: [any CodingKey] { scope.codingPath(of: payload ?? node) }

    var allKeys: [Key] {
        switch role {
        case .members: return node.members.compactMap { Key(stringValue: $0.name.string ?? "") }
        case .payload:
            guard let payload else { return [] }
            return payload.members.compactMap { Key(stringValue: $0.name.string ?? "") }
        case .action:
            guard let type = node["type"], let name = type.string else { return [] }
            if let last {
                if let keys = last.keys(name) { return keys }
            } else if let key = Key(stringValue: name) {
                return [key]
            }
            scope.unknownType = type
            return []
        }
    }

    func contains(_ key: Key) -> Bool { (try? find(key)) != nil }

    /// The value of a key; nil where it is absent.
    private func find(_ key: Key) throws -> JSONNode? {
        let name = key.stringValue
        if role == .payload { return try value(name) }
        return name.withBytes { bytes in
            guard let index else { return node.member(bytes) }
            return index.find(bytes)
        }
    }

    /// Whether the case holds one value and that has no label: a key enum of one case has no size.
    private func isWhole(_ name: String) -> Bool { MemoryLayout<Key>.size == 0 && name == "_0" }

    private func value(_ name: String) throws -> JSONNode? {
        if isWhole(name) { return payload }
        guard let payload, !payload.isNull else { return nil }
        if payload.kind == .object { return payload[name: name] }
        guard let index = PayloadKey.index(name) else { throw scope.mismatch(payload, "an object") }
        guard payload.kind == .array else { throw scope.mismatch(payload, "an array") }
        if index == 0 { try refuseTooMany(payload) }
        return payload[element: index]
    }

    /// An array with more elements than the case has values is another case's. Apart, because a
    /// `Key?` in `value` would cost it a look-up in the runtime.
    @inline(never)
    private func refuseTooMany(_ payload: JSONNode) throws {
        guard let last = payload[element: payload.count - 1],
            Key(stringValue: "_\(payload.count - 1)") == nil
        else { return }
        throw scope.failure(last, "expected the end of the array, got \(last.kind.words)")
    }

    /// The place that the value of a key has or would have.
    private func place(_ key: Key) -> JSONPointer {
        let name = key.stringValue
        let place = scope.pointer(to: node)
        guard role == .payload else { return place.appending(name) }
        if isWhole(name) { return place.appending("payload") }
        return place.appending("payload").appending(
            PayloadKey.index(name).map { String($0) } ?? name)
    }

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

    @inline(__always)
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
            throw missing(key, "a value")
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
        if role == .action {
            if own == nil, let kept = scope.kept { return kept.payloadContainer(scope, type) }
            return KeyedDecodingContainer(
                TapeKeyed<Nested>(node: node, scope: scope, role: .payload))
        }
        return try TapeDecoder(node: need(key, "an object"), scope: scope).container(
            keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try TapeDecoder(node: need(key, "an array"), scope: scope).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        TapeDecoder(node: node["super"] ?? node, scope: scope)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        TapeDecoder(node: try need(key, "a value"), scope: scope)
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

/// The keys `_0`, `_1` … of values without a label.
enum PayloadKey {
    static func index(_ name: String) -> Int? {
        let text = name.utf8
        guard text.first == 0x5F, text.count > 1, text.count < 5 else { return nil }
        return JSONPointer.index(String(name.dropFirst()))
    }
}
