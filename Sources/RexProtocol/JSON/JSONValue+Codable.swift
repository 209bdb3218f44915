extension JSONValue: Codable {
    /// Reads any value with any decoder; Rex's own copies it off the tape.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? TapeDecoder {
            self = decoder.node.value
            return
        }
        if let keyed = try? decoder.container(keyedBy: JSONKey.self) {
            var members: [JSONObject.Element] = []
            for key in keyed.allKeys {
                members.append((key.stringValue, try keyed.decode(JSONValue.self, forKey: key)))
            }
            self = .object(JSONObject(members))
            return
        }
        if var list = try? decoder.unkeyedContainer() {
            var values: [JSONValue] = []
            while !list.isAtEnd { values.append(try list.decode(JSONValue.self)) }
            self = .array(values)
            return
        }
        let single = try decoder.singleValueContainer()
        if single.decodeNil() {
            self = .null
        } else if let value = try? single.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? single.decode(Int.self) {
            self = .int(value)
        } else if let value = try? single.decode(UInt64.self) {
            self = .uint(value)
        } else if let value = try? single.decode(Double.self) {
            self = .double(value)
        } else {
            self = .string(try single.decode(String.self))
        }
    }

    /// Writes the value with any encoder; Rex's own appends it as it is.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .array(let values):
            var list = encoder.unkeyedContainer()
            for value in values { try list.encode(value) }
        case .object(let object):
            var keyed = encoder.container(keyedBy: JSONKey.self)
            for (key, value) in object { try keyed.encode(value, forKey: JSONKey(key)) }
        default:
            var single = encoder.singleValueContainer()
            switch self {
            case .bool(let value): try single.encode(value)
            case .int(let value): try single.encode(value)
            case .uint(let value): try single.encode(value)
            case .double(let value): try single.encode(value)
            case .string(let text): try single.encode(text)
            default: try single.encodeNil()
            }
        }
    }
}

/// A name or an index where no type of the user's gives one.
struct JSONKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    init(index: Int) {
        stringValue = String(index)
        intValue = index
    }

    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { self.init(index: intValue) }
}
