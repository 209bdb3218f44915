import RexProtocol

/// The size of a JSON value: near that of its compact text, and so made that it can be kept up to
/// date at the cost of what changed.
extension JSONValue {
    /// What every number, boolean and null counts.
    private static let scalarBytes = 8
    /// What quotes, commas, colons and brackets count: at each value, and at each name.
    private static let frameBytes = 3

    /// O(value).
    var sizeBytes: Int {
        switch self {
        case .null, .bool, .int, .uint, .double: Self.scalarBytes
        case .string(let text): Self.frameBytes + text.utf8.count
        case .array(let values): values.reduce(Self.frameBytes) { $0 + $1.sizeBytes }
        case .object(let members): members.reduce(Self.frameBytes) { $0 + Self.size(of: $1) }
        }
    }

    /// `sizeBytes` less that of an older value. Skips what both share, so after an edit it costs
    /// the width of the arrays and objects on the way to it.
    func growth(from old: JSONValue) -> Int {
        switch (old, self) {
        case (.array(let before), .array(let after)):
            if before.sharesMemory(with: after) { return 0 }
            return Self.growth(
                from: before, to: after, isSame: { $0.isSame(as: $1) },
                pair: { $1.growth(from: $0) }, size: \.sizeBytes)
        case (.object(let before), .object(let after)):
            if before.sharesStorage(with: after) { return 0 }
            return Self.growth(
                from: before, to: after,
                isSame: {
                    $0.key.utf8.count == $1.key.utf8.count && $0.value.isSame(as: $1.value)
                },
                pair: { $1.key.utf8.count - $0.key.utf8.count + $1.value.growth(from: $0.value) },
                size: Self.size(of:))
        default:
            return sizeBytes - old.sizeBytes
        }
    }

    private static func size(of member: JSONObject.Element) -> Int {
        frameBytes + member.key.utf8.count + member.value.sizeBytes
    }

    /// Compares from both ends what is the same. What is left is taken pairwise where nothing was
    /// added or removed, else counted on both sides: any pairing gives the same sum.
    private static func growth<Items: RandomAccessCollection>(
        from old: Items, to new: Items, isSame: (Items.Element, Items.Element) -> Bool,
        pair: (Items.Element, Items.Element) -> Int, size: (Items.Element) -> Int
    ) -> Int where Items.Index == Int {
        var start = 0
        let shared = min(old.count, new.count)
        while start < shared, isSame(old[start], new[start]) { start += 1 }
        var (oldEnd, newEnd) = (old.count, new.count)
        while oldEnd > start, newEnd > start, isSame(old[oldEnd - 1], new[newEnd - 1]) {
            oldEnd -= 1
            newEnd -= 1
        }
        if oldEnd == newEnd {
            return (start..<oldEnd).reduce(0) { $0 + pair(old[$1], new[$1]) }
        }
        return (start..<newEnd).reduce(0) { $0 + size(new[$1]) }
            - (start..<oldEnd).reduce(0) { $0 + size(old[$1]) }
    }

    /// Whether both have the same size for sure, at a glance: the same memory, or both scalars.
    private func isSame(as other: JSONValue) -> Bool {
        switch (self, other) {
        case (.array(let a), .array(let b)): a.sharesMemory(with: b)
        case (.object(let a), .object(let b)): a.sharesStorage(with: b)
        case (.string(let a), .string(let b)): a.utf8.count == b.utf8.count
        case (.array, _), (.object, _), (.string, _), (_, .array), (_, .object), (_, .string): false
        default: true
        }
    }
}

extension [JSONValue] {
    fileprivate func sharesMemory(with other: [JSONValue]) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBufferPointer { a in
            other.withUnsafeBufferPointer { b in a.baseAddress == b.baseAddress }
        }
    }
}
