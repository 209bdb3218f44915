/// The patch from one state to another, written out, with what is needed to cut patches of single
/// places out of it.
public struct StatePatch: Sendable {
    /// The text of the whole patch (RFC 6902): `add`, `remove` and `replace`, applied in order.
    public let raw: RawJSON
    let changes: [Change]

    /// One operation in the text.
    struct Change: Sendable {
        enum Op: Sendable { case add, remove, replace }

        let op: Op
        /// Whether it puts an element into an array or takes one out, and so moves those behind it.
        let mayShift: Bool
        /// Where its object begins.
        let start: Int
        /// Where its path stands, without the quotes.
        let path: Range<Int>
        /// Behind its object.
        let end: Int

        /// What a `replace` without a path and with a value of one character takes.
        static let leastReplaceBytes = 36

        func moved(by bytes: Int) -> Change {
            Change(
                op: op, mayShift: mayShift, start: start + bytes,
                path: path.lowerBound + bytes..<path.upperBound + bytes, end: end + bytes)
        }
    }

    /// Nothing changed.
    public static let empty = StatePatch(raw: JSONPatch().raw, changes: [])

    /// Whether nothing changed.
    public var isEmpty: Bool { changes.isEmpty }

    /// The number of operations.
    public var count: Int { changes.count }
}

extension StatePatch {
    /// What this patch does at one place.
    enum Cut {
        /// Nothing.
        case none
        /// The operations at and below the place, rebased.
        case patch(RawJSON)
        /// Something above the place changed, so that the two values at it have to be compared.
        case undecided
    }

    /// The part of the patch at and below a place. O(operations).
    func cut(at place: JSONPointer) -> Cut {
        if changes.isEmpty { return .none }
        if place.tokens.isEmpty { return .patch(raw) }
        var text: [UInt8] = []
        for token in place.tokens { text.appendPlace(token) }
        return raw.bytes.withUnsafeBytes { bytes in
            text.withUnsafeBytes { place in cut(bytes, at: place) }
        }
    }

    private func cut(_ bytes: UnsafeRawBufferPointer, at place: UnsafeRawBufferPointer) -> Cut {
        var writer = JSONWriter()
        for change in changes {
            switch change.relation(in: bytes, to: place) {
            case .apart: continue
            case .above: return .undecided
            case .inside:
                writer.byte(writer.bytes.isEmpty ? 0x5B : 0x2C)
                writer.raw(
                    UnsafeRawBufferPointer(rebasing: bytes[change.start..<change.path.lowerBound]))
                let rest = change.path.lowerBound + place.count
                writer.raw(UnsafeRawBufferPointer(rebasing: bytes[rest..<change.end]))
            }
        }
        if writer.bytes.isEmpty { return .none }
        writer.byte(0x5D)
        return .patch(RawJSON(writer))
    }
}

extension StatePatch.Change {
    fileprivate enum Relation { case apart, above, inside }

    fileprivate func relation(
        in bytes: UnsafeRawBufferPointer, to place: UnsafeRawBufferPointer
    ) -> Relation {
        let own = UnsafeRawBufferPointer(rebasing: bytes[path])
        if own.count > place.count {
            return own[place.count] == 0x2F && Self.begins(own, with: place)
                ? .inside : shiftRelation(own, place)
        }
        if own.count == place.count, Self.begins(own, with: place) {
            // What is added or removed there, or what was there before, may be null, which is
            // nothing.
            return op == .replace ? .inside : .above
        }
        if own.count < place.count, place[own.count] == 0x2F, Self.begins(place, with: own) {
            return .above
        }
        return shiftRelation(own, place)
    }

    /// Whether the place is inside an element that an insertion or removal moves.
    private func shiftRelation(
        _ own: UnsafeRawBufferPointer, _ place: UnsafeRawBufferPointer
    ) -> Relation {
        guard mayShift, let slash = own.lastIndex(of: 0x2F), place.count > slash,
            place[slash] == 0x2F,
            Self.begins(place, with: UnsafeRawBufferPointer(rebasing: own[..<slash])),
            let index = Self.index(own[(slash + 1)...]),
            let other = Self.index(place[(slash + 1)...].prefix { $0 != 0x2F })
        else { return .apart }
        return index <= other ? .above : .apart
    }

    private static func begins(
        _ text: UnsafeRawBufferPointer, with beginning: UnsafeRawBufferPointer
    ) -> Bool {
        guard text.count >= beginning.count else { return false }
        guard let a = text.baseAddress, let b = beginning.baseAddress else { return true }
        return Bytes.equal(a, b, count: beginning.count)
    }

    private static func index(_ digits: Slice<UnsafeRawBufferPointer>) -> Int? {
        guard (1...18).contains(digits.count) else { return nil }
        var value = 0
        for byte in digits {
            guard byte &- 0x30 < 10 else { return nil }
            value = value * 10 + Int(byte &- 0x30)
        }
        return value
    }
}
