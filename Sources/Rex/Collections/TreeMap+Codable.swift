extension TreeMap: Encodable where Key: Encodable, Value: Encodable {
    /// Encodes as a Dictionary does, in the order of the keys: an object where the keys are texts,
    /// integers or otherwise written as names (`CodingKeyRepresentable`), else an array of key,
    /// value, key, value.
    public func encode(to encoder: any Encoder) throws {
        if Key.self is any CodingKeyRepresentable.Type {
            var object = encoder.container(keyedBy: TreeMapName.self)
            try root.forEachLeaf { leaf in
                for (key, value) in leaf {
                    try object.encode(value, forKey: TreeMapName(of: key))
                }
            }
        } else {
            var list = encoder.unkeyedContainer()
            for (key, value) in self {
                try list.encode(key)
                try list.encode(value)
            }
        }
    }
}

extension TreeMap: Decodable where Key: Decodable, Value: Decodable {
    /// Decodes what a Dictionary of the same types is encoded as, in any order; of values with
    /// equal keys the last one counts.
    public init(from decoder: any Decoder) throws {
        guard let type = Key.self as? any CodingKeyRepresentable.Type else {
            self.init(try Self.pairs(in: decoder))
            return
        }
        let object = try decoder.container(keyedBy: TreeMapName.self)
        self.init(
            try object.allKeys.map { name in
                guard let key = type.init(codingKey: name) as? Key else {
                    throw DecodingError.dataCorruptedError(
                        forKey: name, in: object,
                        debugDescription: "'\(name.stringValue)' is no \(Key.self)")
                }
                return (key, try object.decode(Value.self, forKey: name))
            })
    }

    private static func pairs(in decoder: any Decoder) throws -> [(Key, Value)] {
        var list = try decoder.unkeyedContainer()
        var pairs: [(Key, Value)] = []
        while !list.isAtEnd {
            let key = try list.decode(Key.self)
            guard !list.isAtEnd else {
                throw DecodingError.dataCorruptedError(
                    in: list, debugDescription: "the last key has no value")
            }
            pairs.append((key, try list.decode(Value.self)))
        }
        return pairs
    }
}

/// The name under which a value of a map is encoded.
struct TreeMapName: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = Int(stringValue)
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }

    /// A key's, which must be one that is written as a name.
    init<Key>(of key: Key) {
        if let text = key as? String {
            stringValue = text
            intValue = nil
            return
        }
        guard let key = key as? any CodingKeyRepresentable else {
            preconditionFailure("a key of type \(Key.self) is not written as a name")
        }
        stringValue = key.codingKey.stringValue
        intValue = key.codingKey.intValue
    }
}
