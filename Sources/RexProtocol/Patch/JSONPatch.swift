/// A list of changes to a JSON value (RFC 6902), applied in order.
public struct JSONPatch: Sendable, Equatable {
    /// One change.
    public enum Operation: Sendable, Equatable {
        /// Adds a member, or puts an element before an index; the index may be `-`, the end.
        case add(path: JSONPointer, value: JSONValue)
        /// Removes what is there.
        case remove(path: JSONPointer)
        /// Puts a value in the place of the one that is there.
        case replace(path: JSONPointer, value: JSONValue)
        /// Removes a value and adds it elsewhere.
        case move(from: JSONPointer, path: JSONPointer)
        /// Adds a value that is there elsewhere too.
        case copy(from: JSONPointer, path: JSONPointer)
        /// Fails where the value there is another one.
        case test(path: JSONPointer, value: JSONValue)

        /// The place that is changed.
        public var path: JSONPointer {
            switch self {
            case .add(let path, _), .remove(let path), .replace(let path, _), .move(_, let path),
                .copy(_, let path), .test(let path, _):
                path
            }
        }

        /// The name of the operation on the wire.
        public var name: String {
            switch self {
            case .add: "add"
            case .remove: "remove"
            case .replace: "replace"
            case .move: "move"
            case .copy: "copy"
            case .test: "test"
            }
        }
    }

    /// The changes in their order.
    public var operations: [Operation]

    /// A patch of these changes.
    public init(_ operations: [Operation] = []) { self.operations = operations }

    /// Whether nothing is changed.
    public var isEmpty: Bool { operations.isEmpty }
}

/// Why a patch is none, or does not fit a value.
public struct PatchError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, for a person; names the operation.
    public let message: String
    /// The operation at fault, counted from 0; nil where the patch is no array.
    public let operation: Int?
    /// The place in the patched value that the operation names; nil where the patch is malformed.
    public let path: JSONPointer?
    /// The place in the patch's own text, such as `/2/path`.
    public let at: JSONPointer

    /// The message.
    public var description: String { message }
}

// From a parsed text, and to one.
extension JSONPatch {
    /// Reads an array of operations. Unknown members are ignored; what is missing or mistyped is an
    /// error with its place in the array.
    public init(_ node: JSONNode) throws(PatchError) {
        guard node.kind == .array else {
            throw PatchError(
                message: "expected an array of operations, got \(node.kind.words)", operation: nil,
                path: nil, at: .root)
        }
        operations = []
        operations.reserveCapacity(node.count)
        for element in node.elements {
            let reading = OperationReading(node: element, index: operations.count)
            operations.append(try reading.operation())
        }
    }

    /// Reads an array of operations.
    public init(_ value: JSONValue) throws(PatchError) {
        let read = RawJSON(value).withNode { node in
            Result { () throws(PatchError) in try JSONPatch(node) }
        }
        guard let read else {
            throw PatchError(
                message: "nested deeper than \(JSONCoder.depthLimit)", operation: nil, path: nil,
                at: .root)
        }
        self = try read.get()
    }

    /// Appends the patch as an array.
    public func encode(into writer: inout JSONWriter) {
        writer.byte(0x5B)
        for (index, operation) in operations.enumerated() {
            if index > 0 { writer.byte(0x2C) }
            operation.encode(into: &writer)
        }
        writer.byte(0x5D)
    }

    /// The text of the patch.
    public var raw: RawJSON {
        var writer = JSONWriter()
        encode(into: &writer)
        return RawJSON(writer)
    }
}

extension JSONPatch.Operation {
    /// Appends the operation as an object.
    public func encode(into writer: inout JSONWriter) {
        writer.literal("{\"op\":")
        writer.string(name)
        switch self {
        case .move(let from, _), .copy(let from, _): writer.member("from", from)
        default: break
        }
        writer.member("path", path)
        switch self {
        case .add(_, let value), .replace(_, let value), .test(_, let value):
            writer.name("value")
            writer.value(value)
        default: break
        }
        writer.close()
    }
}

extension JSONPatch: Codable {
    /// Reads an array of operations.
    public init(from decoder: any Decoder) throws {
        let tape = decoder as? TapeDecoder
        let value = tape == nil ? try JSONValue(from: decoder) : .null
        do throws(PatchError) {
            if let tape { try self.init(tape.node) } else { try self.init(value) }
        } catch {
            let path = decoder.codingPath + error.at.tokens.map { JSONKey($0) }
            throw DecodingError.dataCorrupted(
                .init(codingPath: path, debugDescription: error.message))
        }
    }

    /// Writes an array of operations.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(raw)
    }
}

extension JSONPatch: CustomStringConvertible {
    /// The text.
    public var description: String { raw.description }
}

/// One element of the array while it is read.
private struct OperationReading {
    let node: JSONNode
    let index: Int

    func operation() throws(PatchError) -> JSONPatch.Operation {
        guard node.kind == .object else {
            throw error("expected an operation, got \(node.kind.words)", nil)
        }
        guard let op = node["op"]?.string else { throw error("expected a string", "op") }
        switch op {
        case "add": return .add(path: try pointer("path"), value: try value())
        case "remove": return .remove(path: try pointer("path"))
        case "replace": return .replace(path: try pointer("path"), value: try value())
        case "move": return .move(from: try pointer("from"), path: try pointer("path"))
        case "copy": return .copy(from: try pointer("from"), path: try pointer("path"))
        case "test": return .test(path: try pointer("path"), value: try value())
        default: throw error("there is no operation '\(op.prefix(64))'", "op")
        }
    }

    private func pointer(_ name: StaticString) throws(PatchError) -> JSONPointer {
        guard let text = node[name]?.string else {
            throw error("expected a JSON Pointer", "\(name)")
        }
        do {
            return try JSONPointer(text)
        } catch let failure {
            throw error(failure.message, "\(name)")
        }
    }

    private func value() throws(PatchError) -> JSONValue {
        guard let value = node["value"] else { throw error("expected a value", "value") }
        return value.value
    }

    private func error(_ message: String, _ member: String?) -> PatchError {
        let place = JSONPointer.root.appending(index)
        return PatchError(
            message: "operation \(index): \(message)" + (member.map { " in '\($0)'" } ?? ""),
            operation: index, path: nil, at: member.map { place.appending($0) } ?? place)
    }
}
