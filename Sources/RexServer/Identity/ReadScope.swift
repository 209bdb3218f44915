import Rex
import RexProtocol

/// Which part of a value may be read: what some `allow` leads to, or what is inside it, as long as
/// no `deny` leads there too. The places of both are JSON Pointers; a token `*` stands for any
/// one member or element.
struct ReadScope: Hashable, Sendable {
    /// Some `allow` led here, or to something around it.
    private let isAllowed: Bool
    /// The rest of the places that may be read further down.
    private let allow: [JSONPointer]
    /// The rest of the places that may not be.
    private let deny: [JSONPointer]

    /// All of it.
    static let all = ReadScope(allow: [.root], deny: [])
    /// Nothing.
    static let none = ReadScope(allow: [], deny: [])

    init(allow: [JSONPointer], deny: [JSONPointer]) {
        self.init(isAllowed: false, allow: allow, deny: deny)
    }

    private init(isAllowed: Bool, allow: [JSONPointer], deny: [JSONPointer]) {
        let isDenied = deny.contains(.root)
        let isAllowed = !isDenied && (isAllowed || allow.contains(.root))
        self.isAllowed = isAllowed
        self.allow = isAllowed || isDenied ? [] : Self.sorted(allow)
        let hasNothing = !isAllowed && self.allow.isEmpty
        self.deny = hasNothing ? [] : Self.sorted(deny)
    }

    /// One form for one meaning: the order in a file says nothing, nor does saying it twice.
    private static func sorted(_ places: [JSONPointer]) -> [JSONPointer] {
        guard places.count > 1 else { return places }
        return Set(places).sorted { "\($0)".utf8.lexicographicallyPrecedes("\($1)".utf8) }
    }

    /// Whether nothing is kept back.
    var isAll: Bool { isAllowed && deny.isEmpty }
    /// Whether nothing can be seen, whatever is there.
    var isNone: Bool { !isAllowed && allow.isEmpty }

    /// What may be read of a member or an element.
    func advanced(_ token: String) -> ReadScope {
        if isAll || isNone { return self }
        return ReadScope(
            isAllowed: isAllowed, allow: Self.rest(of: allow, behind: token),
            deny: Self.rest(of: deny, behind: token))
    }

    private static func rest(of places: [JSONPointer], behind token: String) -> [JSONPointer] {
        places.compactMap { place in
            let first = place.tokens[0]
            guard first == "*" || first.utf8.elementsEqual(token.utf8) else { return nil }
            return JSONPointer(tokens: Array(place.tokens.dropFirst()))
        }
    }

    /// What may be read at a place.
    func at(_ place: JSONPointer) -> ReadScope {
        place.tokens.reduce(self) { $0.advanced($1) }
    }

    // MARK: Values

    /// The part of a value that may be read; nil where nothing of it may.
    ///
    /// An object lacks the other members. In an array the other elements are `null`, so that those
    /// that are left keep their places; behind the last of these nothing is left. O(value).
    func visible(_ value: JSONValue) -> JSONValue? {
        if isAll { return value }
        if isNone { return nil }
        switch value {
        case .object(let object):
            var members: [JSONObject.Element] = []
            for (name, member) in object {
                if let seen = advanced(name).visible(member) { members.append((name, seen)) }
            }
            return members.isEmpty && !isAllowed ? nil : .object(JSONObject(members))
        case .array(let elements): return visible(elements)
        default: return isAllowed ? value : nil
        }
    }

    private func visible(_ elements: [JSONValue]) -> JSONValue? {
        // No place names an element: then all of them are alike.
        let namesNone = !(allow + deny).contains { JSONPointer.index($0.tokens[0]) != nil }
        let common = namesNone ? advanced("0") : nil
        var list: [JSONValue] = []
        var count = 0
        for (index, element) in elements.enumerated() {
            let seen = (common ?? advanced("\(index)")).visible(element)
            list.append(seen ?? .null)
            if seen != nil { count = list.count }
        }
        list.removeLast(list.count - count)
        return list.isEmpty && !isAllowed ? nil : .array(list)
    }

    /// The operations of a patch that are about what may be read, with the visible part of their
    /// values. For a person to look at: what is left of it need not apply to what is seen.
    func visible(_ patch: RawJSON) -> RawJSON {
        if isAll { return patch }
        let operations = (patch.value.array ?? []).compactMap { visible(operation: $0) }
        return RawJSON(.array(operations))
    }

    private func visible(operation: JSONValue) -> JSONValue? {
        guard var object = operation.object, let text = object["path"]?.string,
            let place = try? JSONPointer(text)
        else { return nil }
        let scope = at(place)
        if scope.isNone { return nil }
        // What was removed is not known here: it may have been something that is not seen.
        guard let value = object["value"] else { return scope.isAll ? operation : nil }
        guard let seen = scope.visible(value) else { return nil }
        object["value"] = seen
        return .object(object)
    }

    // MARK: Names

    /// A name for this scope, the same after a restart: 64 bits of a SHA-256 in hexadecimal.
    var fingerprint: String {
        let lines =
            allow.map { "allow \($0)" } + deny.map { "deny \($0)" } + (isAllowed ? ["all"] : [])
        let text = lines.joined(separator: "\n")
        return Digest.hexadecimal(Array(Digest.sha256(Array(text.utf8)).prefix(8)))
    }
}
