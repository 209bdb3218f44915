/// The members of a JSON object, sorted by the UTF-8 bytes of their names.
///
/// One array holds them, so a copy that was not changed shares it, and whoever compares two objects
/// can see that at once. Lookup is O(log n); setting a value in place O(log n); adding or removing
/// a member O(n).
public struct JSONObject: Sendable {
    /// One member.
    public typealias Element = (key: String, value: JSONValue)

    private var members: [Element]

    /// An object without members.
    public init() { members = [] }

    /// An object of members in any order; of members with the same name the last one counts.
    /// O(n log n).
    public init(_ elements: some Sequence<Element>) {
        members = Self.sorted(Array(elements))
        guard members.count > 1 else { return }
        var kept = 0
        for next in 1..<members.count {
            if !members[kept].key.hasSameBytes(as: members[next].key) { kept += 1 }
            members[kept] = members[next]
        }
        members.removeSubrange((kept + 1)...)
    }

    /// An object of members with different names in any order. O(n) where they are sorted already.
    init(unique elements: [Element]) { members = Self.sorted(elements) }

    /// An object of members with different names in the order of their bytes.
    init(sorted elements: [Element]) { members = elements }

    private static func sorted(_ elements: [Element]) -> [Element] {
        var previous: String?
        for (key, _) in elements {
            if let previous, previous.byteOrder(to: key) >= 0 {
                // Swift's sort is stable: of equal names the later one stays later.
                return elements.sorted { $0.key.byteOrder(to: $1.key) < 0 }
            }
            previous = key
        }
        return elements
    }

    /// The value under a name. Setting nil removes the member.
    public subscript(key: String) -> JSONValue? {
        get {
            let (index, isFound) = find(key)
            guard isFound else { return nil }
            return members[index].value
        }
        set {
            let (index, isFound) = find(key)
            switch (newValue, isFound) {
            case (let value?, true): members[index].value = value
            case (let value?, false): members.insert((key, value), at: index)
            case (nil, true): members.remove(at: index)
            case (nil, false): break
            }
        }
    }

    /// Removes a member and returns its value; nil where there was none. O(n).
    @discardableResult
    public mutating func removeValue(forKey key: String) -> JSONValue? {
        let (index, isFound) = find(key)
        guard isFound else { return nil }
        return members.remove(at: index).value
    }

    /// Changes the value under a name in place; nil where there is none.
    mutating func update<R, E: Error>(
        _ key: String, _ body: (inout JSONValue) throws(E) -> R
    ) throws(E) -> R? {
        let (index, isFound) = find(key)
        guard isFound else { return nil }
        return try body(&members[index].value)
    }

    /// Where a name stands, or where it would be put in.
    private func find(_ key: String) -> (index: Int, isFound: Bool) {
        key.withBytes { name in
            var low = 0
            var high = members.count
            while low < high {
                let middle = (low + high) / 2
                let order = members[middle].key.withBytes { Bytes.order($0, name) }
                if order == 0 { return (middle, true) }
                if order < 0 { low = middle + 1 } else { high = middle }
            }
            return (low, false)
        }
    }

    /// Whether both are the same members in the same memory: equal without a look.
    public func sharesStorage(with other: JSONObject) -> Bool {
        members.sharesStorage(with: other.members)
    }
}

extension JSONObject: RandomAccessCollection {
    /// The first index.
    public var startIndex: Int { 0 }
    /// The number of members.
    public var endIndex: Int { members.count }
    /// The member at a place in the order of the names.
    public subscript(position: Int) -> Element { members[position] }
}

extension JSONObject: Hashable, ExpressibleByDictionaryLiteral {
    /// Whether both have the same names with equal values. O(size), O(1) where they share storage.
    public static func == (a: JSONObject, b: JSONObject) -> Bool {
        if a.members.count != b.members.count { return false }
        if a.sharesStorage(with: b) { return true }
        for (x, y) in zip(a.members, b.members) {
            guard x.key.hasSameBytes(as: y.key), x.value == y.value else { return false }
        }
        return true
    }

    /// Hashes names and values. O(size).
    public func hash(into hasher: inout Hasher) {
        hasher.combine(members.count)
        for (key, value) in members {
            key.withBytes { hasher.combine(bytes: $0) }
            hasher.combine(value)
        }
    }

    /// An object; of members with the same name the last one counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements.lazy.map { (key: $0.0, value: $0.1) })
    }
}
