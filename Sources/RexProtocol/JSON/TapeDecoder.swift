import FoundationEssentials
import Rex

/// What one decoding shares: where it began, and how places are called outside.
final class DecodingScope {
    private(set) var root: JSONNode
    private(set) var at: JSONPointer
    /// Whether Actionable types are read in the action form of the wire.
    let readsActions: Bool
    /// The `type` that an action enum did not know.
    var unknownType: JSONNode?
    /// The containers of the action at the root, where more actions follow it.
    var kept: KeptContainers?

    init(root: JSONNode, at: JSONPointer, readsActions: Bool) {
        self.root = root
        self.at = at
        self.readsActions = readsActions
    }

    /// Goes on with another text.
    func begin(_ root: JSONNode, at: JSONPointer) {
        self.root = root
        self.at = at
        unknownType = nil
    }
}

/// A `Decoder` over the tape: 24 bytes, so that an existential holds it without allocating. The
/// path is found from the tape only when an error asks for it.
struct TapeDecoder: Decoder, SingleValueDecodingContainer {
    let node: JSONNode
    let scope: DecodingScope

    var codingPath: [any CodingKey] { scope.codingPath(of: node) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard node.kind == .object else { throw scope.mismatch(node, "an object") }
        return KeyedDecodingContainer(TapeKeyed<Key>(node: node, scope: scope))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard node.kind == .array else { throw scope.mismatch(node, "an array") }
        return TapeList(node: node, scope: scope)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { node.isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try scope.bool(node) }
    func decode(_ type: String.Type) throws -> String { try scope.string(node) }
    func decode(_ type: Double.Type) throws -> Double { try scope.double(node) }
    func decode(_ type: Float.Type) throws -> Float { try scope.float(node) }
    func decode(_ type: Int.Type) throws -> Int { try scope.integer(node) }
    func decode(_ type: Int8.Type) throws -> Int8 { try scope.integer(node) }
    func decode(_ type: Int16.Type) throws -> Int16 { try scope.integer(node) }
    func decode(_ type: Int32.Type) throws -> Int32 { try scope.integer(node) }
    func decode(_ type: Int64.Type) throws -> Int64 { try scope.integer(node) }
    func decode(_ type: UInt.Type) throws -> UInt { try scope.integer(node) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try scope.integer(node) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try scope.integer(node) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try scope.integer(node) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try scope.integer(node) }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try scope.decode(type, node) }
}

// Values off the tape.
extension DecodingScope {
    @inline(__always)
    func bool(_ node: JSONNode) throws -> Bool {
        guard let value = node.bool else { throw mismatch(node, "a boolean") }
        return value
    }

    @inline(__always)
    func string(_ node: JSONNode) throws -> String {
        guard let value = node.string else { throw mismatch(node, "a string") }
        return value
    }

    func double(_ node: JSONNode) throws -> Double {
        guard let value = node.double else { throw mismatch(node, "a number") }
        return value
    }

    func float(_ node: JSONNode) throws -> Float {
        let value = Float(try double(node))
        guard value.isFinite else { throw misfit(node, "a Float") }
        return value
    }

    @inline(__always)
    func integer<I: FixedWidthInteger>(_ node: JSONNode) throws -> I {
        let entry = node.entry
        let value: I? =
            switch entry.kind {
            case .int: I(exactly: Int64(bitPattern: entry.payload))
            case .uint: I(exactly: entry.payload)
            case .double: I(exactly: Double(bitPattern: entry.payload))
            default: throw mismatch(node, "an integer")
            }
        guard let value else {
            let isWhole = entry.kind != .double || node.double.map { $0.rounded() == $0 } == true
            throw isWhole ? misfit(node, "\(I.self)") : mismatch(node, "an integer")
        }
        return value
    }

    /// Reads any type: the standard library's and Foundation's by comparing the type, the rest by
    /// their own `init(from:)`.
    func decode<T: Decodable>(_ type: T.Type, _ node: JSONNode) throws -> T {
        // Equal types, so the bits are the value; a cast would cost a runtime call.
        if T.self == String.self { return unsafeBitCast(try string(node), to: T.self) }
        if T.self == Int.self {
            return unsafeBitCast(try integer(node) as Int, to: T.self)
        }
        if T.self == JSONValue.self { return unsafeBitCast(node.value, to: T.self) }
        if T.self == RawJSON.self { return unsafeBitCast(node.compact, to: T.self) }
        if T.self == Date.self { return unsafeBitCast(try date(node), to: T.self) }
        if T.self == Data.self { return unsafeBitCast(try data(node), to: T.self) }
        if T.self == UUID.self { return unsafeBitCast(try uuid(node), to: T.self) }
        if T.self == URL.self { return unsafeBitCast(try url(node), to: T.self) }
        if T.self == Decimal.self { return unsafeBitCast(try decimal(node), to: T.self) }
        do {
            if readsActions, T.self is any Actionable.Type {
                return try T(from: ActionTapeDecoder(node: node, scope: self))
            }
            return try T(from: TapeDecoder(node: node, scope: self))
        } catch let failure as JSONDecodingFailure {
            throw failure
        } catch {
            throw self.failure(error, node)
        }
    }

    private func date(_ node: JSONNode) throws -> Date {
        guard let text = node.text else { throw mismatch(node, "an RFC 3339 time") }
        guard let date = WireTime.date(text) else {
            throw failure(node, "expected an RFC 3339 time, got \(excerpt(node))")
        }
        return date
    }

    private func data(_ node: JSONNode) throws -> Data {
        guard let data = Data(base64Encoded: try string(node)) else {
            throw failure(node, "expected base64, got \(excerpt(node))")
        }
        return data
    }

    private func uuid(_ node: JSONNode) throws -> UUID {
        guard let uuid = UUID(uuidString: try string(node)) else {
            throw failure(node, "expected a UUID, got \(excerpt(node))")
        }
        return uuid
    }

    private func url(_ node: JSONNode) throws -> URL {
        guard let url = URL(string: try string(node)) else {
            throw failure(node, "expected a URL, got \(excerpt(node))")
        }
        return url
    }

    private func decimal(_ node: JSONNode) throws -> Decimal {
        let text =
            switch node.kind {
            case .int, .uint, .double: String(decoding: node.raw, as: UTF8.self)
            case .string: try string(node)
            default: throw mismatch(node, "a decimal number")
            }
        guard let value = Decimal(string: text) else {
            throw failure(node, "expected a decimal number, got \(excerpt(node))")
        }
        return value
    }
}

// Failures and places.
extension DecodingScope {
    func pointer(to node: JSONNode) -> JSONPointer {
        at.appending(contentsOf: root.pointer(to: node))
    }

    func codingPath(of node: JSONNode) -> [any CodingKey] {
        root.pointer(to: node).tokens.map { token in
            JSONPointer.index(token).map { JSONKey(index: $0) } ?? JSONKey(token)
        }
    }

    @inline(never)
    func failure(_ node: JSONNode, _ message: String) -> JSONDecodingFailure {
        JSONDecodingFailure(message: message, at: pointer(to: node))
    }

    @inline(never)
    func mismatch(_ node: JSONNode, _ expected: String) -> JSONDecodingFailure {
        let got = node.kind == .double ? "the number \(excerpt(node))" : node.kind.words
        return failure(node, "expected \(expected), got \(got)")
    }

    @inline(never)
    func misfit(_ node: JSONNode, _ type: String) -> JSONDecodingFailure {
        failure(node, "the number \(excerpt(node)) does not fit \(type)")
    }

    /// The value's own text, cut to about 40 bytes.
    func excerpt(_ node: JSONNode) -> String {
        let raw = node.raw
        let text = String(decoding: raw.prefix(40), as: UTF8.self)
        return raw.count > 40 ? text + "…" : text
    }

    /// What a type's own `init(from:)` threw, with the place.
    func failure(_ error: any Error, _ node: JSONNode) -> JSONDecodingFailure {
        let place = root.pointer(to: node)
        guard let error = error as? DecodingError else {
            return JSONDecodingFailure(
                message: "\(error)", at: at.appending(contentsOf: place))
        }
        let context: DecodingError.Context
        switch error {
        case .typeMismatch(_, let found), .valueNotFound(_, let found), .keyNotFound(_, let found),
            .dataCorrupted(let found):
            context = found
        @unknown default:
            return JSONDecodingFailure(message: "\(error)", at: at.appending(contentsOf: place))
        }
        let path = context.codingPath.map { $0.intValue.map { String($0) } ?? $0.stringValue }
        return JSONDecodingFailure(
            message: context.debugDescription,
            at: at.appending(
                contentsOf: path.count > place.tokens.count ? JSONPointer(tokens: path) : place))
    }
}
