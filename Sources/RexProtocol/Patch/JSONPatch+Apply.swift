// Changing a value by a patch.
extension JSONPatch {
    /// How deep a value may nest after a patch: so that a frame that carries it stays within the
    /// depth that a parser grants.
    public static let depthLimit = 120
    /// How many bytes of text the `copy` operations of one patch may add. Without a bound, a few
    /// copies of a value into itself would make it too large to write.
    public static let copyBytesLimit = 16_777_216

    /// Applies all operations in order, or none: after an error the value is as it was.
    ///
    /// O(tokens) per operation, and the length of the list where an element is added or removed.
    /// What nobody else holds is changed in place.
    public func apply(to value: inout JSONValue) throws(PatchError) {
        var application = PatchApplication(value: value)
        value = .null
        defer { value = application.value }
        for (index, operation) in operations.enumerated() {
            do throws(PatchFault) {
                try application.perform(operation)
            } catch {
                application.rollBack()
                throw PatchError(
                    message: "operation \(index), \(operation.name) at '\(operation.path)': "
                        + error.message,
                    operation: index, path: operation.path,
                    at: JSONPointer.root.appending(index).appending(error.member))
            }
        }
    }
}

private struct PatchFault: Error {
    let message: String
    /// The member of the operation that is at fault.
    var member = "path"
}

/// A value while it is patched, and how to get back.
private struct PatchApplication {
    var value: JSONValue
    /// The inverse of each change made, oldest first.
    private var inverses: [JSONPatch.Operation] = []
    private var copiedBytes = 0

    init(value: JSONValue) { self.value = value }

    mutating func perform(_ operation: JSONPatch.Operation) throws(PatchFault) {
        switch operation {
        case .add(let path, let new): try add(new, at: path)
        case .remove(let path): try remove(at: path)
        case .replace(let path, let new): try replace(path, with: new)
        case .move(let from, let path):
            guard let moved = value.value(at: from) else {
                throw PatchFault(message: "there is nothing at '\(from)'", member: "from")
            }
            if from == path { return }
            guard !from.isPrefix(of: path) else {
                throw PatchFault(message: "a value cannot move into itself", member: "from")
            }
            try remove(at: from)
            try add(moved, at: path)
        case .copy(let from, let path):
            guard let copied = value.value(at: from) else {
                throw PatchFault(message: "there is nothing at '\(from)'", member: "from")
            }
            copiedBytes += copied.byteEstimate(upTo: JSONPatch.copyBytesLimit)
            guard copiedBytes <= JSONPatch.copyBytesLimit else {
                throw PatchFault(
                    message: "the copies add more than \(JSONPatch.copyBytesLimit) bytes",
                    member: "from")
            }
            try add(copied, at: path)
        case .test(let path, let expected):
            guard let found = value.value(at: path) else {
                throw PatchFault(message: "there is nothing")
            }
            guard found == expected else {
                // Not which: who dispatches need not be one who may read.
                throw PatchFault(message: "the value is another", member: "value")
            }
        }
    }

    mutating func rollBack() {
        for inverse in inverses.reversed() {
            // The inverse of a change just made always fits.
            switch inverse {
            case .add(let path, let old): try? add(old, at: path)
            case .remove(let path): try? remove(at: path)
            case .replace(let path, let old): try? replace(path, with: old)
            default: break
            }
        }
    }

    private mutating func add(_ new: JSONValue, at path: JSONPointer) throws(PatchFault) {
        guard !new.isDeeper(than: JSONPatch.depthLimit - path.tokens.count) else {
            throw PatchFault(message: "the value would nest deeper than \(JSONPatch.depthLimit)")
        }
        guard let last = path.tokens.last else { return try replace(path, with: new) }
        let inverse = try value.change(path.tokens.dropLast()) {
            (parent) throws(PatchFault) -> JSONPatch.Operation in
            try parent.add(new, last, path)
        }
        inverses.append(inverse)
    }

    private mutating func remove(at path: JSONPointer) throws(PatchFault) {
        guard let last = path.tokens.last else {
            throw PatchFault(message: "the whole value cannot be removed")
        }
        let old = try value.change(path.tokens.dropLast()) {
            (parent) throws(PatchFault) -> JSONValue in
            try parent.remove(last)
        }
        inverses.append(.add(path: path, value: old))
    }

    private mutating func replace(
        _ path: JSONPointer, with new: JSONValue
    ) throws(PatchFault) {
        guard !new.isDeeper(than: JSONPatch.depthLimit - path.tokens.count) else {
            throw PatchFault(message: "the value would nest deeper than \(JSONPatch.depthLimit)")
        }
        let old = try value.change(path.tokens[...]) {
            (place) throws(PatchFault) -> JSONValue in
            let old = place
            place = new
            return old
        }
        inverses.append(.replace(path: path, value: old))
    }
}

extension JSONValue {
    /// Changes the value at a place without copying what lies on the way and is held by nobody
    /// else.
    fileprivate mutating func change<R>(
        _ tokens: ArraySlice<String>, _ body: (inout JSONValue) throws(PatchFault) -> R
    ) throws(PatchFault) -> R {
        guard let token = tokens.first else { return try body(&self) }
        switch kind {
        case .object:
            var object = takeObject()
            defer { self = .object(object) }
            let result = try object.update(token) { (member) throws(PatchFault) -> R in
                try member.change(tokens.dropFirst(), body)
            }
            guard let result else { throw PatchFault(message: "there is no member '\(token)'") }
            return result
        case .array:
            var values = takeArray()
            defer { self = .array(values) }
            let index = try JSONValue.index(token, in: values)
            return try values[index].change(tokens.dropFirst(), body)
        default:
            throw PatchFault(
                message: "there is no '\(token)' in \(kind.words)")
        }
    }

    private static func index(
        _ token: String, in values: [JSONValue], orEnd: Bool = false
    ) throws(PatchFault) -> Int {
        guard let index = JSONPointer.index(token) else {
            throw PatchFault(message: "'\(token)' is no index of an array")
        }
        guard index < values.count || orEnd && index == values.count else {
            throw PatchFault(message: "there is no index \(index) in an array of \(values.count)")
        }
        return index
    }

    /// Adds a member or element to this container and returns how to undo that.
    fileprivate mutating func add(
        _ new: JSONValue, _ token: String, _ path: JSONPointer
    ) throws(PatchFault) -> JSONPatch.Operation {
        switch kind {
        case .object:
            var object = takeObject()
            defer { self = .object(object) }
            let old = object[token]
            object[token] = new
            return old.map { .replace(path: path, value: $0) } ?? .remove(path: path)
        case .array:
            var values = takeArray()
            defer { self = .array(values) }
            let index = token == "-" ? values.count : try Self.index(token, in: values, orEnd: true)
            values.insert(new, at: index)
            let parent = JSONPointer(tokens: Array(path.tokens.dropLast()))
            return .remove(path: parent.appending(index))
        default:
            throw PatchFault(message: "there is no '\(token)' in \(kind.words)")
        }
    }

    // A binding in a pattern would hold the payload a second time, and the change would copy it
    // all.

    @inline(never)
    mutating func takeObject() -> JSONObject {
        guard case .object(let object) = self else { return JSONObject() }
        self = .null
        return object
    }

    @inline(never)
    private mutating func takeArray() -> [JSONValue] {
        guard case .array(let values) = self else { return [] }
        self = .null
        return values
    }

    fileprivate mutating func remove(_ token: String) throws(PatchFault) -> JSONValue {
        switch kind {
        case .object:
            var object = takeObject()
            defer { self = .object(object) }
            guard let old = object.removeValue(forKey: token) else {
                throw PatchFault(message: "there is no member '\(token)'")
            }
            return old
        case .array:
            var values = takeArray()
            defer { self = .array(values) }
            return values.remove(at: try Self.index(token, in: values))
        default:
            throw PatchFault(message: "there is no '\(token)' in \(kind.words)")
        }
    }

    /// About how many bytes the compact text has, counted up to a limit and little beyond.
    /// O(min(size, limit)).
    func byteEstimate(upTo limit: Int) -> Int {
        switch self {
        case .null, .bool: return 4
        case .int, .uint, .double: return 6
        case .string(let text): return text.utf8.count + 2
        case .array(let values):
            var bytes = 2
            for value in values where bytes <= limit {
                bytes += value.byteEstimate(upTo: limit - bytes) + 1
            }
            return bytes
        case .object(let object):
            var bytes = 2
            for (key, value) in object where bytes <= limit {
                bytes += key.utf8.count + 4 + value.byteEstimate(upTo: limit - bytes)
            }
            return bytes
        }
    }
}
