/// An `Encoder` that takes down one level of a value.
struct CaptureEncoder: Encoder, SingleValueEncodingContainer {
    // The capture outlives every encoder that it hands out.
    unowned(unsafe) let capture: Capture
    let node: Int32

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedEncodingContainer<Key> {
        let isDictionary = ObjectIdentifier(Key.self) == TreeEncoder.dictionaryKey
        capture.open(isDictionary ? .sortedObject : .object, node)
        if node == Capture.root { return capture.rootContainer(Key.self) }
        return KeyedEncodingContainer(CaptureKeyed(capture: capture, node: node))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        capture.open(.array, node)
        return CaptureList(capture: capture, node: node)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    private func put(_ content: Capture.Content) {
        capture.open(.single, node)
        capture.put(content, "", in: node)
    }

    func encodeNil() { put(.null) }
    func encode(_ value: Bool) { put(.bool(value)) }
    func encode(_ value: String) { put(.string(value)) }
    func encode(_ value: Double) { put(.double(value)) }
    func encode(_ value: Float) { put(.float(value)) }
    func encode(_ value: Int) { put(.int(value)) }
    func encode(_ value: Int8) { put(.int(Int(value))) }
    func encode(_ value: Int16) { put(.int(Int(value))) }
    func encode(_ value: Int32) { put(.int(Int(value))) }
    func encode(_ value: Int64) { put(.int(Int(value))) }
    func encode(_ value: UInt) { put(.uint(UInt64(value))) }
    func encode(_ value: UInt8) { put(.uint(UInt64(value))) }
    func encode(_ value: UInt16) { put(.uint(UInt64(value))) }
    func encode(_ value: UInt32) { put(.uint(UInt64(value))) }
    func encode(_ value: UInt64) { put(.uint(value)) }
    func encode<T: Encodable>(_ value: T) { put(capture.content(of: value)) }
}

/// The elements of an array that is taken down.
struct CaptureList: UnkeyedEncodingContainer {
    // The capture outlives every encoder that it hands out.
    unowned(unsafe) let capture: Capture
    let node: Int32

    var codingPath: [any CodingKey] { [] }
    var count: Int { Int(capture.node(node).count) }

    private func put(_ content: Capture.Content) { capture.put(content, "", in: node) }

    func encodeNil() { put(.null) }
    func encode(_ value: Bool) { put(.bool(value)) }
    func encode(_ value: String) { put(.string(value)) }
    func encode(_ value: Double) { put(.double(value)) }
    func encode(_ value: Float) { put(.float(value)) }
    func encode(_ value: Int) { put(.int(value)) }
    func encode(_ value: Int8) { put(.int(Int(value))) }
    func encode(_ value: Int16) { put(.int(Int(value))) }
    func encode(_ value: Int32) { put(.int(Int(value))) }
    func encode(_ value: Int64) { put(.int(Int(value))) }
    func encode(_ value: UInt) { put(.uint(UInt64(value))) }
    func encode(_ value: UInt8) { put(.uint(UInt64(value))) }
    func encode(_ value: UInt16) { put(.uint(UInt64(value))) }
    func encode(_ value: UInt32) { put(.uint(UInt64(value))) }
    func encode(_ value: UInt64) { put(.uint(value)) }
    func encode<T: Encodable>(_ value: T) { put(capture.content(of: value)) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(CaptureKeyed<Nested>(capture: capture, node: nested(.object)))
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        CaptureList(capture: capture, node: nested(.array))
    }

    func superEncoder() -> any Encoder { CaptureEncoder(capture: capture, node: nested(.empty)) }

    private func nested(_ kind: Capture.Node.Kind) -> Int32 {
        let child = capture.node(kind)
        put(.node(child))
        return child
    }
}
