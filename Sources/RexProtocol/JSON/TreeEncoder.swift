/// An `Encoder` that writes as it goes.
struct TreeEncoder: Encoder, SingleValueEncodingContainer {
    let scope: EncodingScope
    let place: Place
    /// How many elements of an unkeyed container belong together where it is put in order; 0 where
    /// it is not.
    var stride = 0

    var codingPath: [any CodingKey] { scope.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// The key type of the standard library's dictionaries, which has no public name: what
    /// `Dictionary` asks a container for.
    static let dictionaryKey: ObjectIdentifier = {
        let probe = DictionaryProbe()
        try? [String: Int]().encode(to: probe)
        return probe.found
    }()

    func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedEncodingContainer<Key> {
        let isDictionary = ObjectIdentifier(Key.self) == Self.dictionaryKey
        scope.open(isDictionary ? .sortedObject : .object, at: place)
        return KeyedEncodingContainer(TreeKeyed(scope: scope, place: place))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        scope.open(stride == 0 ? .array : .sortedArray(stride: stride), at: place)
        return TreeList(scope: scope, place: place)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    private var writer: UnsafeMutablePointer<EncodingScope.State> { scope.state }

    func encodeNil() { writer.pointee.writer.null() }
    func encode(_ value: Bool) throws { writer.pointee.writer.bool(value) }
    func encode(_ value: String) throws { writer.pointee.writer.string(value) }
    func encode(_ value: Double) throws { try scope.double(value) }
    func encode(_ value: Float) throws { try scope.float(value) }
    func encode(_ value: Int) throws { writer.pointee.writer.int(value) }
    func encode(_ value: Int8) throws { writer.pointee.writer.int(Int(value)) }
    func encode(_ value: Int16) throws { writer.pointee.writer.int(Int(value)) }
    func encode(_ value: Int32) throws { writer.pointee.writer.int(Int(value)) }
    func encode(_ value: Int64) throws { writer.pointee.writer.int(Int(value)) }
    func encode(_ value: UInt) throws { writer.pointee.writer.uint(UInt64(value)) }
    func encode(_ value: UInt8) throws { writer.pointee.writer.uint(UInt64(value)) }
    func encode(_ value: UInt16) throws { writer.pointee.writer.uint(UInt64(value)) }
    func encode(_ value: UInt32) throws { writer.pointee.writer.uint(UInt64(value)) }
    func encode(_ value: UInt64) throws { writer.pointee.writer.uint(value) }
    func encode<T: Encodable>(_ value: T) throws { try scope.encode(value) }
}

/// Learns which key type a dictionary uses.
private final class DictionaryProbe: Encoder {
    var found = ObjectIdentifier(JSONKey.self)
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        found = ObjectIdentifier(type)
        return TreeEncoder.scratch().0.keyed()
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { TreeEncoder.scratch().0.list() }
    func singleValueContainer() -> any SingleValueEncodingContainer { TreeEncoder.scratch().0 }
}

extension TreeEncoder {
    fileprivate static func scratch() -> (TreeEncoder, EncodingScope) {
        let scope = EncodingScope(writer: JSONWriter(), writesActions: false)
        return (TreeEncoder(scope: scope, place: Place(depth: 0, token: 0)), scope)
    }

    fileprivate func keyed<Key: CodingKey>() -> KeyedEncodingContainer<Key> {
        scope.open(.object, at: place)
        return KeyedEncodingContainer(TreeKeyed(scope: scope, place: place))
    }

    fileprivate func list() -> any UnkeyedEncodingContainer {
        scope.open(.array, at: place)
        return TreeList(scope: scope, place: place)
    }
}

/// The elements of an array, one after the other.
struct TreeList: UnkeyedEncodingContainer {
    let scope: EncodingScope
    let place: Place
    private(set) var count = 0

    init(scope: EncodingScope, place: Place) {
        self.scope = scope
        self.place = place
    }

    var codingPath: [any CodingKey] { scope.codingPath }

    /// Begins an element and gives what writes its value.
    private mutating func next() throws -> TreeEncoder {
        try scope.beginElement(at: place)
        count += 1
        return TreeEncoder(scope: scope, place: place)
    }

    mutating func encodeNil() throws { try next().encodeNil() }
    mutating func encode(_ value: Bool) throws { try next().encode(value) }
    mutating func encode(_ value: String) throws { try next().encode(value) }
    mutating func encode(_ value: Double) throws { try next().encode(value) }
    mutating func encode(_ value: Float) throws { try next().encode(value) }
    mutating func encode(_ value: Int) throws { try next().encode(value) }
    mutating func encode(_ value: Int8) throws { try next().encode(value) }
    mutating func encode(_ value: Int16) throws { try next().encode(value) }
    mutating func encode(_ value: Int32) throws { try next().encode(value) }
    mutating func encode(_ value: Int64) throws { try next().encode(value) }
    mutating func encode(_ value: UInt) throws { try next().encode(value) }
    mutating func encode(_ value: UInt8) throws { try next().encode(value) }
    mutating func encode(_ value: UInt16) throws { try next().encode(value) }
    mutating func encode(_ value: UInt32) throws { try next().encode(value) }
    mutating func encode(_ value: UInt64) throws { try next().encode(value) }
    mutating func encode<T: Encodable>(_ value: T) throws { try next().scope.encode(value) }

    // A container must be given even where its place is gone: what it writes is then refused.

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        guard (try? next()) != nil else {
            return KeyedEncodingContainer(TreeKeyed(scope: scope, place: .gone))
        }
        return KeyedEncodingContainer(TreeKeyed(scope: scope, place: scope.openNested(.object)))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        guard (try? next()) != nil else { return TreeList(scope: scope, place: .gone) }
        return TreeList(scope: scope, place: scope.openNested(.array))
    }

    mutating func superEncoder() -> any Encoder {
        guard (try? next()) != nil else { return TreeEncoder(scope: scope, place: .gone) }
        return TreeEncoder(scope: scope, place: scope.nextPlace())
    }
}
