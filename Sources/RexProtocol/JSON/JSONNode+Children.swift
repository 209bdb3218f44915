// What is inside an object or an array, and where a node stands.
extension JSONNode {
    /// The members of an object in the order of the text: the name (a string node) and the value.
    public struct Members: Sequence, IteratorProtocol {
        let tape: UnsafePointer<JSONTape>
        var key: Int
        let end: Int

        /// The next member.
        @inline(__always)
        public mutating func next() -> (name: JSONNode, value: JSONNode)? {
            guard key < end else { return nil }
            let name = JSONNode(tape: tape, index: key)
            let value = JSONNode(tape: tape, index: key &+ 1)
            key = tape.pointee.next(key &+ 1)
            return (name, value)
        }
    }

    /// The elements of an array in order.
    public struct Elements: Sequence, IteratorProtocol {
        let tape: UnsafePointer<JSONTape>
        var child: Int
        let end: Int

        /// The next element.
        @inline(__always)
        public mutating func next() -> JSONNode? {
            guard child < end else { return nil }
            let node = JSONNode(tape: tape, index: child)
            child = tape.pointee.next(child)
            return node
        }
    }

    /// The members of an object; empty for another kind.
    public var members: Members {
        let entry = entry
        return Members(
            tape: tape, key: position + 1, end: entry.kind == .object ? Int(entry.payload) : 0)
    }

    /// The elements of an array; empty for another kind.
    public var elements: Elements {
        let entry = entry
        return Elements(
            tape: tape, child: position + 1, end: entry.kind == .array ? Int(entry.payload) : 0)
    }

    /// The whole value as a tree of its own, valid for ever. O(size).
    public var value: JSONValue {
        let entry = entry
        switch entry.kind {
        case .null: return .null
        case .bool: return .bool(entry.payload != 0)
        case .int: return .int(Int(truncatingIfNeeded: entry.payload))
        case .uint: return .uint(entry.payload)
        case .double: return .double(Double(bitPattern: entry.payload))
        case .string: return .string(string ?? "")
        case .array:
            var values: [JSONValue] = []
            values.reserveCapacity(Int(entry.count))
            for element in elements { values.append(element.value) }
            return .array(values)
        case .object:
            return .object(object(count: Int(entry.count)))
        }
    }

    /// The members as a tree. Few names are sorted on the tape, where their bytes are at hand.
    private func object(count: Int) -> JSONObject {
        var values: [JSONObject.Element] = []
        values.reserveCapacity(count)
        guard count <= Self.insertionLimit else {
            for (name, value) in members { values.append((name.string ?? "", value.value)) }
            return JSONObject(unique: values)
        }
        withUnsafeTemporaryAllocation(of: Int.self, capacity: count) { sorted in
            var filled = 0
            for (name, _) in members {
                let text = tape.pointee.string(name.position)
                var place = filled
                while place > 0, Bytes.order(tape.pointee.string(sorted[place - 1]), text) > 0 {
                    sorted[place] = sorted[place - 1]
                    place -= 1
                }
                sorted[place] = name.position
                filled += 1
            }
            for key in sorted[..<filled] {
                let name = JSONNode(tape: tape, index: key)
                values.append((name.string ?? "", JSONNode(tape: tape, index: key + 1).value))
            }
        }
        return JSONObject(sorted: values)
    }

    /// Objects with more members are sorted by the standard library.
    private static let insertionLimit = 16

    /// The place of a node inside this one. O(nodes before it on the way down).
    func pointer(to target: JSONNode) -> JSONPointer {
        var pointer = JSONPointer.root
        var current = self
        descending: while current.position < target.position {
            if current.kind == .object {
                for (name, value) in current.members
                where target.position < tape.pointee.next(value.position) {
                    pointer = pointer.appending(name.string ?? "")
                    current = value
                    continue descending
                }
            } else {
                for (index, element) in current.elements.enumerated()
                where target.position < tape.pointee.next(element.position) {
                    pointer = pointer.appending(String(index))
                    current = element
                    continue descending
                }
            }
            break
        }
        return pointer
    }
}
