import FoundationEssentials

/// The members of a frame by name, with errors that name the place. A member that is null counts as
/// absent.
struct FrameFields {
    let node: JSONNode
    /// Where these members are in the frame.
    var place = JSONPointer.root

    func error(_ name: StaticString, _ expected: String, _ got: JSONNode?) -> WireError {
        WireError(
            .badFrame, "expected \(expected), got \(got?.kind.words ?? "nothing")",
            at: place.appending("\(name)"))
    }

    @inline(__always)
    func some(_ name: StaticString) -> JSONNode? {
        guard let member = node[name], !member.isNull else { return nil }
        return member
    }

    func need(_ name: StaticString, _ expected: String) throws(WireError) -> JSONNode {
        guard let member = node[name] else { throw error(name, expected, nil) }
        return member
    }

    func id() throws(WireError) -> FrameID? {
        guard let member = some("id") else { return nil }
        guard let id = FrameID(member) else { throw error("id", "a string or an integer", member) }
        return id
    }

    func string(_ name: StaticString) throws(WireError) -> String? {
        guard let member = some(name) else { return nil }
        guard let text = member.string else { throw error(name, "a string", member) }
        return text
    }

    func text(_ name: StaticString) throws(WireError) -> String {
        guard let text = try string(name) else { throw error(name, "a string", node[name]) }
        return text
    }

    func bool(_ name: StaticString) throws(WireError) -> Bool? {
        guard let member = some(name) else { return nil }
        guard let value = member.bool else { throw error(name, "a boolean", member) }
        return value
    }

    /// An integer from 0: a revision, a count, a duration.
    func count(_ name: StaticString) throws(WireError) -> Int? {
        guard let member = some(name) else { return nil }
        guard let value = member.int, value >= 0 else {
            throw WireError(
                .badFrame,
                "expected an integer from 0, got "
                    + (member.double == nil
                        ? member.kind.words
                        : String(decoding: member.raw.prefix(40), as: UTF8.self)),
                at: place.appending("\(name)"))
        }
        return value
    }

    func number(_ name: StaticString) throws(WireError) -> Int {
        guard let value = try count(name) else { throw error(name, "an integer", node[name]) }
        return value
    }

    func pointer(_ name: StaticString) throws(WireError) -> JSONPointer? {
        guard let text = try string(name) else { return nil }
        do {
            return try JSONPointer(text)
        } catch {
            throw WireError(.badFrame, error.message, at: place.appending("\(name)"))
        }
    }

    func object(_ name: StaticString) throws(WireError) -> FrameFields? {
        guard let member = some(name) else { return nil }
        guard member.kind == .object else { throw error(name, "an object", member) }
        return FrameFields(node: member, place: place.appending("\(name)"))
    }

    func list(_ name: StaticString) throws(WireError) -> [FrameFields] {
        let member = try need(name, "an array")
        guard member.kind == .array else { throw error(name, "an array", member) }
        let list = place.appending("\(name)")
        var fields: [FrameFields] = []
        for (index, element) in member.elements.enumerated() {
            fields.append(FrameFields(node: element, place: list.appending(index)))
        }
        return fields
    }

    func raw(_ name: StaticString) throws(WireError) -> RawJSON {
        try need(name, "a value").compact
    }

    func date(_ name: StaticString) throws(WireError) -> Date {
        let text = try text(name)
        guard let date = WireTime.date(text) else {
            throw WireError(
                .badFrame, "expected an RFC 3339 time, got '\(text.prefix(40))'",
                at: place.appending("\(name)"))
        }
        return date
    }
}

// Members of a frame that is written; an absent one is left out.
extension JSONWriter {
    /// Begins a frame: `{"op":"…"` and the id.
    @inline(__always)
    mutating func open(op: StaticString, id: FrameID? = nil) {
        literal("{\"op\":\"")
        literal(op)
        byte(0x22)
        member(id: id)
    }

    @inline(__always)
    mutating func member(id: FrameID?) {
        guard let id else { return }
        literal(",\"id\":")
        id.encode(into: &self)
    }

    @inline(__always)
    mutating func close() { byte(0x7D) }

    @inline(__always)
    mutating func name(_ name: StaticString) {
        literal(",\"")
        literal(name)
        literal("\":")
    }

    @inline(__always)
    mutating func member(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        self.name(name)
        string(text)
    }

    @inline(__always)
    mutating func member(_ name: StaticString, _ value: Int?) {
        guard let value else { return }
        self.name(name)
        int(value)
    }

    @inline(__always)
    mutating func member(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        self.name(name)
        bool(value)
    }

    mutating func member(_ name: StaticString, _ pointer: JSONPointer?) {
        guard let pointer else { return }
        self.name(name)
        string(pointer.description)
    }

    @inline(__always)
    mutating func member(_ name: StaticString, _ json: RawJSON?) {
        guard let json else { return }
        self.name(name)
        raw(json)
    }

    mutating func member(_ name: StaticString, _ body: FrameBody?) {
        guard let body else { return }
        self.name(name)
        switch body {
        case .node(let node): self.node(node)
        case .raw(let json): raw(json)
        }
    }

    /// A time outside the years 0 to 9999 is written as the Unix epoch.
    mutating func member(_ name: StaticString, _ date: Date) {
        self.name(name)
        string(WireTime.text(date) ?? "1970-01-01T00:00:00.000Z")
    }
}
