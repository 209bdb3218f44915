import Rex
import RexProtocol

/// A change of the value at one place of a document.
///
/// The change gets the value, or nil where there is none, and leaves what is to be there; nil
/// removes. Objects on the way that are missing are made. Costs the width of the arrays and objects
/// on the way, as the store keeps the document from before.
struct DocumentEdit {
    let path: JSONPointer

    func apply(
        to document: JSONValue, _ change: (inout JSONValue?) throws(Refusal) -> Void
    ) throws(Refusal) -> JSONValue {
        guard path.tokens.count <= DocumentLimits.depth else {
            throw Refusal(
                "the path has \(path.tokens.count) tokens, the limit is \(DocumentLimits.depth)")
        }
        var slot: JSONValue? = document
        try descend(0, &slot, change)
        guard let result = slot else {
            throw Refusal("the whole document cannot be removed, only set to another value")
        }
        return result
    }

    /// Changes the slot that the first `level` tokens of the path lead to, or what is below it.
    private func descend(
        _ level: Int, _ slot: inout JSONValue?,
        _ change: (inout JSONValue?) throws(Refusal) -> Void
    ) throws(Refusal) {
        guard level < path.tokens.count else { return try change(&slot) }
        let token = path.tokens[level]
        switch slot {
        case nil:
            var inner: JSONValue?
            try descend(level + 1, &inner, change)
            slot = inner.map { .object([token: $0]) }
        case .object(var members):
            var inner = members[token]
            try descend(level + 1, &inner, change)
            members[token] = inner
            slot = .object(members)
        case .array(var elements):
            let index = try index(token, in: elements, at: level)
            var inner: JSONValue? = elements[index]
            try descend(level + 1, &inner, change)
            if let inner { elements[index] = inner } else { elements.remove(at: index) }
            slot = .array(elements)
        case .some(let scalar):
            throw refusal(at: level, "\(scalar.kind.words), so it has no '\(token)'")
        }
    }

    private func index(
        _ token: String, in elements: [JSONValue], at level: Int
    ) throws(Refusal) -> Int {
        guard let index = Int(token), String(index) == token, index >= 0 else {
            throw refusal(at: level, "an array, so it has no '\(token)'")
        }
        guard index < elements.count else {
            throw refusal(at: level, "an array of \(elements.count), so it has no \(index)")
        }
        return index
    }

    /// Says what is at the place of the first `level` tokens.
    private func refusal(at level: Int, _ words: String) -> Refusal {
        let place = JSONPointer(tokens: Array(path.tokens[..<level]))
        return Refusal("\(place.words) is \(words)")
    }
}

extension JSONPointer {
    /// The place in a refusal.
    var words: String { tokens.isEmpty ? "the document" : "'\(self)'" }
}
