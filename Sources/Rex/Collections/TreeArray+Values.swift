extension TreeArray: Equatable where Element: Equatable {
    /// Whether both have equal elements in order. O(n) at worst; what both share in the same place
    /// is not looked at.
    @inlinable
    public static func == (a: TreeArray, b: TreeArray) -> Bool { a.root.isEqual(to: b.root, ==) }
}

extension TreeArray: Hashable where Element: Hashable {
    /// Hashes the elements in order. O(n).
    @inlinable
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for element in self { hasher.combine(element) }
    }
}

extension TreeArray: ExpressibleByArrayLiteral {
    /// A list of these elements.
    @inlinable
    public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension TreeArray: Encodable where Element: Encodable {
    /// Encodes the elements as an Array does.
    public func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try root.forEachLeaf { leaf in
            for element in leaf { try list.encode(element) }
        }
    }
}

extension TreeArray: Decodable where Element: Decodable {
    /// Decodes what an Array of the elements is encoded as.
    public init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        var builder = TreeBuilder<ByPlace<Element>>()
        while !list.isAtEnd { builder.append(try list.decode(Element.self)) }
        root = builder.finish()
    }
}

extension TreeArray: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// As an Array's.
    public var description: String { Array(self).description }
    /// As an Array's.
    public var debugDescription: String { Array(self).debugDescription }
    /// As an Array's.
    public var customMirror: Mirror {
        Mirror(self, unlabeledChildren: self, displayStyle: .collection)
    }
}
