import FoundationEssentials
import Rex

/// How two values of a type are compared whose bytes differ.
enum ContentKind {
    /// Whose bytes and text differ together: integers, Booleans.
    case plain
    /// Whose text says it all: a string, a time, base64.
    case leaf
    /// A JSON tree.
    case json
    /// What is compared as a JSON tree: a Set, a dictionary that is written as an array.
    case tree
    case list(any ListContent.Type)
    case map(any MapContent.Type)
    case sequence(any DiffableSequence.Type)
    case sharedMap(any DiffableMap.Type)
    /// Anything else: what its `encode(to:)` writes is taken down and compared part by part.
    case composite
}

extension DiffWalk {
    /// How values of a type are compared; found out once.
    @inline(__always)
    func kind<T: Encodable>(of type: T.Type) -> ContentKind {
        if let known = state.pointee.kinds[ObjectIdentifier(type)] { return known }
        let kind = ContentKind(of: type)
        state.pointee.kinds[ObjectIdentifier(type)] = kind
        return kind
    }
}

extension ContentKind {
    private static let plainTypes: [any Any.Type] = [
        Bool.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self, UInt8.self,
        UInt16.self, UInt32.self, UInt64.self,
    ]
    private static let leafTypes: [any Any.Type] = [
        String.self, Double.self, Float.self, Date.self, Data.self, UUID.self, URL.self,
        Decimal.self,
    ]

    fileprivate init<T: Encodable>(of type: T.Type) {
        if Self.plainTypes.contains(where: { $0 == type }) {
            self = .plain
        } else if Self.leafTypes.contains(where: { $0 == type }) {
            self = .leaf
        } else if type == JSONValue.self {
            self = .json
        } else if type == RawJSON.self {
            self = .tree
        } else if let list = type as? any ListContent.Type {
            self = .list(list)
        } else if let map = type as? any MapContent.Type {
            self = map.isObject ? .map(map) : .tree
        } else if let sequence = type as? any DiffableSequence.Type {
            self = .sequence(sequence)
        } else if let map = type as? any DiffableMap.Type {
            self = .sharedMap(map)
        } else {
            self = type is any UnorderedContent.Type ? .tree : .composite
        }
    }
}

/// The arrays of the standard library, as long as their elements can be encoded.
protocol ListContent {
    static func compare(
        _ old: UnsafeRawPointer, _ new: UnsafeRawPointer, in walk: DiffWalk) throws
    /// The element at an index; nil outside.
    static func element(_ list: UnsafeRawPointer, at index: Int) -> (any Encodable)?
}

extension Array: ListContent where Element: Encodable {
    static func compare(
        _ old: UnsafeRawPointer, _ new: UnsafeRawPointer, in walk: DiffWalk
    ) throws {
        try old.assumingMemoryBound(to: Self.self).pointee.withUnsafeBufferPointer { a in
            try new.assumingMemoryBound(to: Self.self).pointee.withUnsafeBufferPointer { b in
                if a.baseAddress == b.baseAddress, a.count == b.count { return }
                try walk.compareLists(BufferPairs(walk: walk, old: a, new: b)) {
                    try walk.scope.encode(new.assumingMemoryBound(to: Self.self).pointee)
                }
            }
        }
    }

    static func element(_ list: UnsafeRawPointer, at index: Int) -> (any Encodable)? {
        let list = list.assumingMemoryBound(to: Self.self)
        return list.pointee.indices.contains(index) ? list.pointee[index] : nil
    }
}

/// The dictionaries of the standard library.
protocol MapContent {
    /// Whether it is written as an object.
    static var isObject: Bool { get }
    static func compare(
        _ old: UnsafeRawPointer, _ new: UnsafeRawPointer, in walk: DiffWalk) throws
    /// The value that is written under a name; nil where there is none.
    static func value(_ map: UnsafeRawPointer, named name: String) -> (any Encodable)?
}
