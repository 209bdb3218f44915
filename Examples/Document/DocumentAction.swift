public import RexProtocol

/// What can be done to a document. Paths are JSON Pointers (RFC 6901).
public enum DocumentAction: WireAction {
    /// Sets the value at a place; objects on the way that are missing are made.
    case set(path: JSONPointer, value: JSONValue)
    /// Removes the value at a place.
    case remove(path: JSONPointer)
    /// Adds to the number at a place; a missing one counts as 0.
    case increment(path: JSONPointer, by: DocumentNumber)
    /// Adds an element to the array at a place; a missing one counts as empty.
    case append(path: JSONPointer, value: JSONValue)
    /// Merges into the whole as RFC 7396 says: null removes a member.
    case merge(JSONValue)
    /// Does the operations of RFC 6902, all or none.
    case patch(JSONPatch)

    /// What clients may send: everything.
    public static let clientTypes = ["set", "remove", "increment", "append", "merge", "patch"]

    /// The shortcut for values that are set, and for what counts in whole numbers.
    public static func readDirectly(_ node: JSONNode) -> DocumentAction? {
        guard let type = node["type"], let payload = node["payload"],
            let path = payload["path"]?.string, let pointer = try? JSONPointer(path)
        else { return nil }
        if type.isEqual(to: "set") {
            return payload["value"].map { .set(path: pointer, value: $0.value) }
        }
        guard type.isEqual(to: "increment"), let by = payload["by"], by.kind == .int else {
            return nil
        }
        return by.int.map { .increment(path: pointer, by: DocumentNumber($0)) }
    }
}
