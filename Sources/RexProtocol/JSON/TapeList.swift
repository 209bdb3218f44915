/// The elements of an array one after the other: 24 bytes.
struct TapeList: UnkeyedDecodingContainer {
    let scope: DecodingScope
    private let container: UInt32
    private var child: UInt32
    private var position: UInt32 = 0
    private let total: UInt32

    init(node: JSONNode, scope: DecodingScope) {
        self.scope = scope
        container = UInt32(node.position)
        child = container + 1
        total = UInt32(node.count)
    }

    private var node: JSONNode { JSONNode(tape: scope.root.tape, index: Int(container)) }

    var codingPath: [any CodingKey] { scope.codingPath(of: node) }
    var count: Int? { Int(total) }
    var isAtEnd: Bool { position == total }
    var currentIndex: Int { Int(position) }

    /// The element at hand. The place moves on only when it has been read.
    private func current() throws -> JSONNode {
        guard position < total else {
            throw JSONDecodingFailure(
                message: "expected an element, got the end of an array of \(total)",
                at: scope.pointer(to: node).appending(Int(total)))
        }
        return JSONNode(tape: scope.root.tape, index: Int(child))
    }

    private mutating func read<T>(
        _ body: (DecodingScope, JSONNode) throws -> T
    ) throws -> T {
        let value = try body(scope, current())
        child = UInt32(scope.root.tape.pointee.next(Int(child)))
        position += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard try current().isNull else { return false }
        try read { _, _ in }
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try read { try $0.bool($1) } }
    mutating func decode(_ type: String.Type) throws -> String { try read { try $0.string($1) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try read { try $0.double($1) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try read { try $0.float($1) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try integer() }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }

    private mutating func integer<I: FixedWidthInteger>() throws -> I {
        try read { try $0.integer($1) }
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try read { try $0.decode(type, $1) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try read { try TapeDecoder(node: $1, scope: $0).container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try read { try TapeDecoder(node: $1, scope: $0).unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder {
        try read { TapeDecoder(node: $1, scope: $0) }
    }
}
