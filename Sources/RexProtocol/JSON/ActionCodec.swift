import Rex

/// Why JSON is not an action.
public struct ActionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// `badFrame` where there is no `type`, `badAction` where the action does not decode,
    /// `forbidden` where clients may not send it.
    public let code: ErrorCode
    /// What was expected and what came, for a person.
    public let message: String
    /// The place, from the prefix that decoding was given.
    public let at: JSONPointer
    /// The message and the place.
    public var description: String { at.tokens.isEmpty ? message : "\(message) at \(at)" }
}

/// Actions as the wire has them, over Swift's synthesized Codable.
///
/// `type` is the name of the case. Without values there is no `payload` (null is taken for none);
/// one value without label is the payload; values with labels are an object; several without labels
/// an array; some with and some without an object in which those without are called `_0`, `_1` …
/// by their place. A value that is itself `Actionable` has the action form, anywhere inside.
public enum ActionCodec {
    /// Appends an action. After an error the writer is as it was before.
    public static func encode<A: WireAction>(_ action: A, into writer: inout JSONWriter) throws {
        try JSONCoder.encode(action, into: &writer, writesActions: true)
    }

    /// The text of an action.
    public static func encode<A: WireAction>(_ action: A) throws -> RawJSON {
        var writer = JSONWriter()
        try encode(action, into: &writer)
        return RawJSON(writer)
    }

    /// The tree of an action. O(size of its text).
    public static func value<A: WireAction>(of action: A) throws -> JSONValue {
        try encode(action).value
    }

    /// The `type` of what may be an action; nil where there is none.
    public static func typeName(of node: JSONNode) -> String? { node["type"]?.string }

    /// Decodes an action. `at` is what the node is called outside: `/action` in a dispatch.
    public static func decode<A: WireAction>(
        _ type: A.Type, from node: JSONNode, at: JSONPointer
    ) throws(ActionError) -> A {
        let scope = DecodingScope(root: node, at: at, readsActions: true)
        return try decode(type, from: node, in: scope)
    }

    static func decode<A: WireAction>(
        _ type: A.Type, from node: JSONNode, in scope: DecodingScope
    ) throws(ActionError) -> A {
        if let action = A.readDirectly(node) { return action }
        let at = scope.at
        guard node.kind == .object else {
            throw ActionError(
                code: .badFrame, message: "expected an action, got \(node.kind.words)", at: at)
        }
        guard let name = node["type"] else {
            throw ActionError(
                code: .badFrame, message: "an action needs a member 'type'", at: at)
        }
        guard name.kind == .string else {
            throw ActionError(
                code: .badFrame, message: "expected a string, got \(name.kind.words)",
                at: at.appending("type"))
        }
        do {
            return try A(from: ActionTapeDecoder(node: node, scope: scope))
        } catch {
            if let unknown = scope.unknownType {
                throw unknownType(unknown, of: type, scope)
            }
            let failure = error as? JSONDecodingFailure ?? scope.failure(error, node)
            throw ActionError(code: .badAction, message: failure.message, at: failure.at)
        }
    }

    /// Decodes an action that a client sent: one of `clientTypes`. Whatever else the enum has is
    /// `forbidden`, also where `ownTypes` does not name it.
    public static func decodeFromClient<A: WireAction>(
        _ type: A.Type, from node: JSONNode, at: JSONPointer
    ) throws(ActionError) -> A {
        let scope = DecodingScope(root: node, at: at, readsActions: true)
        return try decodeFromClient(type, from: node, in: scope)
    }

    static func decodeFromClient<A: WireAction>(
        _ type: A.Type, from node: JSONNode, in scope: DecodingScope
    ) throws(ActionError) -> A {
        guard let name = typeName(of: node), !A.clientTypes.contains(name) else {
            return try decode(type, from: node, in: scope)
        }
        // Throws where there is no such action at all.
        if !A.ownTypes.contains(name) { _ = try decode(type, from: node, in: scope) }
        throw ActionError(
            code: .forbidden, message: "\(name) is the store's own action; clients may not send it",
            at: scope.at.appending("type"))
    }

    /// Decodes an action from a tree. O(size of its text).
    public static func decode<A: WireAction>(
        _ type: A.Type, from value: JSONValue, at: JSONPointer = .root
    ) throws(ActionError) -> A {
        try decode(type, from: RawJSON(value), at: at)
    }

    /// Decodes an action from a text that is known to be valid.
    public static func decode<A: WireAction>(
        _ type: A.Type, from json: RawJSON, at: JSONPointer = .root
    ) throws(ActionError) -> A {
        let decoded = json.withNode { node in
            Result { () throws(ActionError) in try decode(type, from: node, at: at) }
        }
        guard let decoded else {
            throw ActionError(
                code: .badAction, message: "nested deeper than \(JSONCoder.depthLimit)", at: at)
        }
        return try decoded.get()
    }

    private static func unknownType<A: WireAction>(
        _ node: JSONNode, of type: A.Type, _ scope: DecodingScope
    ) -> ActionError {
        let name = node.string ?? ""
        let place = scope.pointer(to: node)
        var message = "no action has the type '\(name.prefix(64))'"
        // A nested action's types are its own enum's, which has no list.
        if place == scope.at.appending("type") {
            let known = A.clientTypes
            if let nearest = Spelling.nearest(to: name, among: known) {
                message += "; did you mean '\(nearest)'?"
            } else {
                message += "."
            }
            message += " Known types: \(known.joined(separator: ", "))"
        }
        return ActionError(code: .badAction, message: message, at: place)
    }
}
