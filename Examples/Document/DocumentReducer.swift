public import Rex
import RexProtocol

/// Edits a JSON value. What does not fit is refused with the place where it does not.
///
/// It reads neither the time nor who asked, so it is a plain `Reducer`, and it has no effects.
public struct DocumentReducer: Reducer {
    /// A reducer; it keeps nothing between two actions.
    public init() {}

    /// Throws `Refusal` that names the place; `state` is then to be dropped.
    public func reduce(
        state: inout DocumentState, action: DocumentAction
    ) throws -> [Effect<DocumentAction>] {
        let document = state.value
        let next =
            switch action {
            case .set(let path, let value): try set(value, at: path, in: document)
            case .remove(let path): try remove(at: path, in: document)
            case .increment(let path, let number): try add(number, at: path, in: document)
            case .append(let path, let value): try append(value, at: path, in: document)
            case .merge(let value): try merge(value, into: document)
            case .patch(let patch): try apply(patch, to: document)
            }
        try state.become(next)
        return []
    }

    private func set(
        _ value: JSONValue, at path: JSONPointer, in document: JSONValue
    ) throws(Refusal) -> JSONValue {
        try value.checkDepth(at: path.tokens.count)
        return try DocumentEdit(path: path).apply(to: document) { $0 = value }
    }

    private func remove(
        at path: JSONPointer, in document: JSONValue
    ) throws(Refusal) -> JSONValue {
        try DocumentEdit(path: path).apply(to: document) { slot throws(Refusal) in
            guard slot != nil else { throw Refusal("there is nothing at '\(path)'") }
            slot = nil
        }
    }

    private func add(
        _ number: DocumentNumber, at path: JSONPointer, in document: JSONValue
    ) throws(Refusal) -> JSONValue {
        try DocumentEdit(path: path).apply(to: document) { slot throws(Refusal) in
            let old = slot ?? 0
            guard old.double != nil else {
                throw Refusal("\(path.words) is \(old.kind.words), not a number")
            }
            guard let sum = number.added(to: old) else {
                throw Refusal(
                    "\(path.words): \(old) and \(number.value) add up to more than a number holds")
            }
            slot = sum
        }
    }

    private func append(
        _ value: JSONValue, at path: JSONPointer, in document: JSONValue
    ) throws(Refusal) -> JSONValue {
        try value.checkDepth(at: path.tokens.count + 1)
        return try DocumentEdit(path: path).apply(to: document) { slot throws(Refusal) in
            let old = slot ?? []
            guard case .array(var elements) = old else {
                throw Refusal("\(path.words) is \(old.kind.words), not an array")
            }
            elements.append(value)
            slot = .array(elements)
        }
    }

    private func merge(
        _ value: JSONValue, into document: JSONValue
    ) throws(Refusal) -> JSONValue {
        try value.checkDepth(at: 0)
        var next = document
        MergePatch.apply(value, to: &next)
        return next
    }

    private func apply(
        _ patch: JSONPatch, to document: JSONValue
    ) throws(Refusal) -> JSONValue {
        guard patch.operations.count <= DocumentLimits.patchOperations else {
            throw Refusal(
                "the patch has \(patch.operations.count) operations, "
                    + "the limit is \(DocumentLimits.patchOperations)")
        }
        var next = document
        do {
            try patch.apply(to: &next)
        } catch {
            throw Refusal(error.message)
        }
        return next
    }
}

extension JSONValue {
    /// Refuses a value that is to stand under so many names and indices where the document would
    /// nest deeper than it may. O(value).
    func checkDepth(at level: Int) throws(Refusal) {
        guard !isDeeper(than: DocumentLimits.depth - level) else {
            throw Refusal("the document would nest deeper than \(DocumentLimits.depth)")
        }
    }
}
