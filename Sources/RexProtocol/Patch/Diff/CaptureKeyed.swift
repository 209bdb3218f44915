/// The members of an object that is taken down.
struct CaptureKeyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    // The capture outlives every encoder that it hands out.
    unowned(unsafe) let capture: Capture
    let node: Int32

    var codingPath: [any CodingKey] { [] }

    @inline(__always)
    private func put(_ content: Capture.Content, _ key: Key) {
        capture.put(content, key.stringValue, in: node)
    }

    func encodeNil(forKey key: Key) { put(.null, key) }
    func encode(_ value: Bool, forKey key: Key) { put(.bool(value), key) }
    func encode(_ value: String, forKey key: Key) { put(.string(value), key) }
    func encode(_ value: Double, forKey key: Key) { put(.double(value), key) }
    func encode(_ value: Float, forKey key: Key) { put(.float(value), key) }
    func encode(_ value: Int, forKey key: Key) { put(.int(value), key) }
    func encode(_ value: Int8, forKey key: Key) { put(.int(Int(value)), key) }
    func encode(_ value: Int16, forKey key: Key) { put(.int(Int(value)), key) }
    func encode(_ value: Int32, forKey key: Key) { put(.int(Int(value)), key) }
    func encode(_ value: Int64, forKey key: Key) { put(.int(Int(value)), key) }
    func encode(_ value: UInt, forKey key: Key) { put(.uint(UInt64(value)), key) }
    func encode(_ value: UInt8, forKey key: Key) { put(.uint(UInt64(value)), key) }
    func encode(_ value: UInt16, forKey key: Key) { put(.uint(UInt64(value)), key) }
    func encode(_ value: UInt32, forKey key: Key) { put(.uint(UInt64(value)), key) }
    func encode(_ value: UInt64, forKey key: Key) { put(.uint(value), key) }
    func encode<T: Encodable>(_ value: T, forKey key: Key) {
        put(capture.content(of: value), key)
    }

    // A nil property is written as null, never left out.

    func encodeIfPresent(_ value: Bool?, forKey key: Key) {
        if let value { put(.bool(value), key) } else { put(.null, key) }
    }
    func encodeIfPresent(_ value: String?, forKey key: Key) {
        if let value { put(.string(value), key) } else { put(.null, key) }
    }
    func encodeIfPresent(_ value: Double?, forKey key: Key) {
        if let value { put(.double(value), key) } else { put(.null, key) }
    }
    func encodeIfPresent(_ value: Float?, forKey key: Key) {
        if let value { put(.float(value), key) } else { put(.null, key) }
    }
    func encodeIfPresent(_ value: Int?, forKey key: Key) {
        if let value { put(.int(value), key) } else { put(.null, key) }
    }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) {
        if let value { put(.int(Int(value)), key) } else { put(.null, key) }
    }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) {
        if let value { put(.int(Int(value)), key) } else { put(.null, key) }
    }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) {
        if let value { put(.int(Int(value)), key) } else { put(.null, key) }
    }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) {
        if let value { put(.int(Int(value)), key) } else { put(.null, key) }
    }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) {
        if let value { put(.uint(UInt64(value)), key) } else { put(.null, key) }
    }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) {
        if let value { put(.uint(UInt64(value)), key) } else { put(.null, key) }
    }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) {
        if let value { put(.uint(UInt64(value)), key) } else { put(.null, key) }
    }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) {
        if let value { put(.uint(UInt64(value)), key) } else { put(.null, key) }
    }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) {
        if let value { put(.uint(value), key) } else { put(.null, key) }
    }
    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) {
        if let value { put(capture.content(of: value), key) } else { put(.null, key) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        KeyedEncodingContainer(
            CaptureKeyed<Nested>(capture: capture, node: nested(.object, key.stringValue)))
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        CaptureList(capture: capture, node: nested(.array, key.stringValue))
    }

    func superEncoder() -> any Encoder {
        CaptureEncoder(capture: capture, node: nested(.empty, "super"))
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        CaptureEncoder(capture: capture, node: nested(.empty, key.stringValue))
    }

    private func nested(_ kind: Capture.Node.Kind, _ name: String) -> Int32 {
        let child = capture.node(kind)
        capture.put(.node(child), name, in: node)
        return child
    }
}
